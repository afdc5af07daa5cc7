import type { FieldErrors } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { paths } from '#web/paths.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Field, FormErrors } from '#web/ui/field.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'

/** A refused form: its values by field name, and what is wrong with them. */
export type RefusedDraft = { typed: Record<string, string>; message: string; fields: FieldErrors }

const names = ['name', 'email', 'emailSubject', 'message'] as const

/** The message to the firm (P-10): a plain form that posts to the contact page and needs no script. */
export function ContactForm({ refused }: { refused?: RefusedDraft }) {
  const firstInvalid = names.find(name => refused?.fields[name] !== undefined)
  const control = (name: (typeof names)[number]) => ({
    defaultValue: refused?.typed[name],
    autoFocus: name === firstInvalid,
  })
  return (
    <form method="post" action={paths.contact} className="grid gap-5">
      {refused && (
        <p role="alert" className="border-bad border-s-4 bg-bad-soft px-4 py-3 text-bad">
          {refused.message}
        </p>
      )}
      <FormErrors value={refused?.fields ?? {}}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="name" label={t('Name')}>
            <Input autoComplete="name" dir="auto" maxLength={120} {...control('name')} />
          </Field>
          <Field name="email" label={t('Email')}>
            <Input
              type="email"
              dir="ltr"
              className="rtl:text-end"
              autoComplete="email"
              maxLength={254}
              {...control('email')}
            />
          </Field>
        </div>
        <Field name="emailSubject" label={t('Subject')}>
          <Input maxLength={200} {...control('emailSubject')} />
        </Field>
        <Field name="message" label={t('Message')}>
          <Textarea dir="auto" rows={6} maxLength={5000} {...control('message')} />
        </Field>
      </FormErrors>
      <div className="honeypot" aria-hidden="true">
        <label htmlFor="website">{t('Leave this empty')}</label>
        <input id="website" name="website" tabIndex={-1} autoComplete="off" />
      </div>
      <div>
        <button type="submit" className={buttonClass()}>
          {t('Send message')}
        </button>
      </div>
    </form>
  )
}
