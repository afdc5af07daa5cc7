import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Link, useSearchParams } from 'react-router'
import { phonePattern } from '#shared/account-rules.ts'
import { signup } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { ShownTerms } from '#shared/contract/policies.ts'
import type { site } from '#shared/contract/site.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { leastAge, minimumPasswordLength } from '#shared/limits.ts'
import { type PolicyKind, policyPaths } from '#shared/policies.ts'
import { deviceId } from '#web/api/device.ts'
import { useMutation } from '#web/api/mutation.ts'
import { beginFirstSession } from '#web/api/session.ts'
import { CountrySelect } from '#web/components/country-select.tsx'
import { useSite } from '#web/frame.ts'
import { go } from '#web/go.ts'
import { publicPath } from '#web/language.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import {
  Form,
  FormRefusal,
  fieldError,
  mergeErrors,
  missing,
  SubmitButton,
  type ValidationError,
} from '#web/ui/form.tsx'
import { Input, PasswordInput } from '#web/ui/input.tsx'
import { EmailField } from './email-field.tsx'
import { AccountHead } from './layout.tsx'
import { LoggedInNotice } from './logged-in-notice.tsx'
import { newPasswordError } from './password-rules.ts'

export const meta = pageMeta(msg('Register'), {
  path: paths.register,
  description: msg(
    "Open an account: it's free, with no obligation. Choose a plan when you have looked around.",
  ),
})

const required = ['name', 'email', 'country', 'phone', 'password', 'confirmPassword'] as const
const fields = [...required, 'referrer'] as const
type Values = Record<(typeof fields)[number], string>

/** Every error of the form that needs no server. */
export function registrationError(values: Values): ValidationError | undefined {
  const email = values.email.trim()
  return mergeErrors(
    missing(values, required, t('Please complete all required fields')),
    newPasswordError(values, values),
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
      ? undefined
      : fieldError('email', t('Enter a valid email address')),
    phonePattern.test(values.phone.trim()) ? undefined : fieldError('phone', t('Enter a valid phone number')),
  )
}

/** Register. A referral link, `/register?ref=CODE`, prefills the code. */
export default function RegisterPage() {
  return useSite().registrationOpen ? <Open /> : <Closed />
}

function Head() {
  return (
    <AccountHead title={t('Register')}>
      {tr('Already have an account? <link>Log in</link>', {
        link: words => (
          <Link className="prose-link" to={paths.login}>
            {words}
          </Link>
        ),
      })}
    </AccountHead>
  )
}

function Closed() {
  return (
    <>
      <Head />
      <p role="status">
        {tr('We are not opening new accounts at present. Your questions are welcome: <a>contact us</a>.', {
          a: words => (
            <a className="prose-link" href={paths.contact}>
              {words}
            </a>
          ),
        })}
      </p>
    </>
  )
}

function Open() {
  const terms = useSite().policies.find(({ kind }) => kind === 'terms')
  const { run, pending, error } = useMutation(signup, {
    onSuccess(data) {
      beginFirstSession(data)
      return go(paths.verify(data.user.email))
    },
  })
  return (
    <>
      <Head />
      <LoggedInNotice />
      <Form
        fields={fields}
        check={registrationError}
        onSubmit={({ referrer, ...values }) =>
          run({
            body: {
              ...values,
              referrer: referrer.trim() === '' ? undefined : referrer,
              device: deviceId(),
              ...(terms ? { terms: shownTerms(terms) } : {}),
            },
          })
        }
        pending={pending}
        error={error}
      >
        <Field name="name" label={t('Name')}>
          <Input autoComplete="name" dir="auto" />
        </Field>
        <EmailField />
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="country" label={t('Country')}>
            <CountrySelect />
          </Field>
          <Field name="phone" label={t('Mobile number')}>
            <Input type="tel" autoComplete="tel" dir="ltr" className="rtl:text-end" />
          </Field>
        </div>
        <Field
          name="password"
          label={t('Password')}
          hint={t('At least {minimum} characters. Three or four unrelated words are hard to guess.', {
            minimum: minimumPasswordLength,
          })}
        >
          <PasswordInput autoComplete="new-password" />
        </Field>
        <Field name="confirmPassword" label={t('Confirm password')}>
          <PasswordInput autoComplete="new-password" />
        </Field>
        <Field name="referrer" label={t('Referral code')} optional>
          <ReferralCode />
        </Field>
        <p className="text-ink-soft text-sm">
          {tr(
            'We publish our books so that anyone can check them. Your transactions appear there with their day and amount, never with your name. Only you can show which are yours. <a>What we publish about you</a>',
            {
              a: words => (
                <a className="prose-link" href={`${paths.proof}#about-you`}>
                  {words}
                </a>
              ),
            },
          )}
        </p>
        <FormRefusal />
        <Stated />
        <SubmitButton>{t('Register')}</SubmitButton>
      </Form>
    </>
  )
}

/** What registering states and accepts, beside the button that does. */
function Stated() {
  const { policies } = useSite()
  const isThere = (kind: PolicyKind) => policies.some(policy => policy.kind === kind)
  const terms = (words: ReactNode) => <PolicyLink to="terms">{words}</PolicyLink>
  return (
    <p className="text-sm">
      {isThere('terms')
        ? tr(
            'By registering, you confirm that you are at least {leastAge} years old and accept our <terms>terms</terms>.',
            { leastAge, terms },
          )
        : t('By registering, you confirm that you are at least {leastAge} years old.', { leastAge })}
      {isThere('privacy') && ' '}
      {isThere('privacy') &&
        tr('Our <privacy>privacy notice</privacy> says what we do with your data.', {
          privacy: words => <PolicyLink to="privacy">{words}</PolicyLink>,
        })}
    </p>
  )
}

/** In a new tab, so that nothing typed is lost. */
function PolicyLink({ to, children }: { to: PolicyKind; children: ReactNode }) {
  return (
    <a className="prose-link" href={publicPath(policyPaths[to])} target="_blank" rel="noopener">
      {children}
      <span className="sr-only">{` ${t('(opens a new tab)')}`}</span>
    </a>
  )
}

/** Prefilled once the page runs: its document knows no address. */
function ReferralCode() {
  const input = useRef<HTMLInputElement>(null)
  const code = useSearchParams()[0].get('ref')
  useLayoutEffect(() => {
    if (input.current!.value === '') input.current!.value = code ?? ''
  }, [code])
  return (
    <Input
      ref={input}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      dir="ltr"
      className="rtl:text-end"
    />
  )
}

/** As the linked page shows them. */
function shownTerms({ version, translations }: CallData<typeof site>['policies'][number]): ShownTerms {
  const language = languageNow()
  return { version, translation: language === sourceLanguage ? null : (translations[language] ?? null) }
}
