import { useState } from 'react'
import { proposePolicy, type WrittenPolicy } from '#shared/contract/policies.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { longestPolicy, longestPolicyChanges, policyDaysAhead, termsNoticeDays } from '#shared/limits.ts'
import { dayAfter } from '#shared/moments.ts'
import { type PolicyKind, policyTitles } from '#shared/policies.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { unchanged } from '#web/admin/versions/what-changes.tsx'
import { Markdown } from '#web/components/markdown.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import { newTranslations, TranslationFields, translationErrors, translationFields } from './translations.tsx'

const first = ['text', 'from', 'reason'] as const
const later = ['text', 'changes', 'from', 'reason'] as const
const all = [...later, ...translationFields] as const

/** @param newest the version that the new one follows, in force or not */
type ProposeProps = { kind: PolicyKind; newest: WrittenPolicy | undefined; onClose: () => void }

export function ProposeVersion({ kind, newest, onClose }: ProposeProps) {
  const [text, setText] = useState(newest?.text ?? '')
  const fields = newest ? later : first
  const notice = kind === 'terms' && newest ? termsNoticeDays : 0
  return (
    <ActionDialog
      call={proposePolicy}
      title={t('{policy}: propose version {version}', {
        policy: translate(policyTitles[kind]),
        version: (newest?.version ?? 0) + 1,
      })}
      description={t(
        'Nothing changes until another admin approves it. It cannot be changed afterwards, only followed by another version.',
      )}
      entries={[]}
      fields={all}
      check={values =>
        mergeErrors(
          missing(values, fields, t('Complete all fields')),
          values.text.trim() === newest?.text ? fieldError('text', unchanged.message) : undefined,
          translationErrors(values, newest !== undefined),
          reasonError(values),
        )
      }
      confirm={t('Propose')}
      input={({ text, changes, from, reason, ...values }) => ({
        body: {
          kind,
          text: text.trim(),
          changes: newest ? changes.trim() : null,
          from,
          version: newest?.version ?? 0,
          translations: newTranslations(values),
          reason,
        },
      })}
      onClose={onClose}
      wide
    >
      <Field
        name="text"
        label={t('Text')}
        hint={t(
          'In Markdown: ## for a heading, - for a list, an empty line between paragraphs, [words](https://…) for a link.',
        )}
      >
        <Textarea
          rows={14}
          maxLength={longestPolicy}
          defaultValue={newest?.text}
          onInput={event => setText(event.currentTarget.value)}
        />
      </Field>
      <details>
        <summary className="prose-link mb-3 w-fit cursor-pointer">{t('Preview')}</summary>
        <Markdown text={text} />
      </details>
      {newest && (
        <Field
          name="changes"
          label={t('What changes')}
          hint={t('In plain words, for investors: what is different, and what it means for them.')}
        >
          <Textarea rows={4} maxLength={longestPolicyChanges} />
        </Field>
      )}
      <Field
        name="from"
        label={t('In force from')}
        hint={
          notice > 0
            ? t(
                'A day in UTC, at least {days, plural, one {# day} other {# days}} after the approval, so that investors can read it first.',
                { days: notice },
              )
            : t('A day in UTC.')
        }
      >
        <Input
          type="date"
          min={dayAfter(new Date(), notice)}
          max={dayAfter(new Date(), policyDaysAhead)}
          defaultValue={dayAfter(new Date(), notice === 0 ? 0 : notice + 2)}
        />
      </Field>
      <TranslationFields hasChanges={newest !== undefined} />
      <ReasonField reader="log" />
    </ActionDialog>
  )
}
