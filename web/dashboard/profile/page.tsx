import { lazy, Suspense, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ownPasswordError } from '#shared/account-rules.ts'
import { changePassword, me, updateProfile } from '#shared/contract/accounts.ts'
import type { User } from '#shared/contract/entities.ts'
import { ownIdentity } from '#shared/contract/identity.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { minimumPasswordLength, staffPasswordLength } from '#shared/limits.ts'
import { may } from '#shared/roles.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { roleLoggedIn } from '#web/api/tokens.ts'
import { CountrySelect } from '#web/components/country-select.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { publishedAboutYou } from '#web/components/published-about-you.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, fieldError, mergeErrors, missing, SubmitButton, type ValidationError } from '#web/ui/form.tsx'
import { Input, PasswordInput } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { toast } from '#web/ui/toast.ts'
import { Emails } from './emails.tsx'
import { LanguageForm } from './language.tsx'
import { PendingEmail } from './pending-email.tsx'
import { devicesAnchor, PushDevices } from './push-devices.tsx'
import { YourData } from './your-data.tsx'

export const meta = pageMeta(msg('Profile'))

/** Loaded in the console only. */
const Alerts = lazy(() => import('#web/components/alert-choices.tsx'))

const allRequired = () => t('All fields are required')

/** The user's profile (D-04 to D-06). */
export default function ProfilePage() {
  const { data: user, isError, refetch } = useRead(me, {})
  const isConsole = useLocation().pathname === paths.admin.profile
  const security = isConsole ? paths.admin.security : paths.dashboard.security
  return (
    <>
      <PageHead title={t('Profile')} />
      <div className="grid gap-x-16 gap-y-12 lg:grid-cols-2">
        <Section title={t('Update profile')}>
          {user ? (
            <div className="grid gap-8">
              {/* Remounts when the address or the pending address changes. */}
              <ProfileForm key={`${user.email} ${user.pendingEmail}`} user={user} isConsole={isConsole} />
              {user.pendingEmail !== null && <PendingEmail email={user.email} pending={user.pendingEmail} />}
            </div>
          ) : isError ? (
            <FailedState onRetry={refetch}>{t('Your profile could not be loaded.')}</FailedState>
          ) : (
            <Loading label={t('Loading your profile')} lines={8} />
          )}
        </Section>
        <div className="grid content-start gap-12">
          <Section
            title={t('Change password')}
            aside={
              <Link className="prose-link text-sm" to={security}>
                {t('Sessions and security')}
              </Link>
            }
          >
            <PasswordForm user={user} />
          </Section>
          <Section title={t('Referral')}>
            {user ? <Referral user={user} /> : <Loading label={t('Loading your referral code')} lines={2} />}
          </Section>
        </div>
        {!isConsole && (
          <Section title={t('What we publish about you')} className="lg:col-span-2">
            <PublishedAboutYou />
            <p className="mt-4">
              <a className="prose-link" href={paths.proof}>
                {t('How the public proof works')}
              </a>
            </p>
          </Section>
        )}
        {!isConsole && (
          <Section title={t('Terms')} className="lg:col-span-2">
            <Link className="prose-link" to={paths.dashboard.terms}>
              {t('Our terms and policies, and what you have accepted')}
            </Link>
          </Section>
        )}
        {user && (
          <Section title={t('Language')}>
            <LanguageForm language={user.language} />
          </Section>
        )}
        {isConsole && may(roleLoggedIn(), 'console') && (
          <Section title={t('Alerts')} anchor="alerts" className="scroll-mt-28 outline-none lg:col-span-2">
            <Suspense fallback={<Loading label={t('Loading your alerts')} lines={8} />}>
              <Alerts />
            </Suspense>
          </Section>
        )}
        <Section
          title={t('Notifications on your devices')}
          anchor={devicesAnchor}
          className="outline-none lg:col-span-2"
        >
          <PushDevices />
        </Section>
        <Section title={t('Emails')} anchor="emails" className="scroll-mt-28 outline-none lg:col-span-2">
          <Emails />
        </Section>
        {!isConsole && (
          <Section title={t('Your data')} className="lg:col-span-2">
            <YourData />
          </Section>
        )}
      </div>
    </>
  )
}

function PublishedAboutYou() {
  const { data, isError, refetch } = useRead(proofOverview, {})
  if (isError)
    return <FailedState onRetry={() => void refetch()}>{t('We could not load what we publish')}</FailedState>
  if (data === undefined) return <Loading label={t('Loading what we publish')} lines={8} />
  return (
    <dl className="grid max-w-3xl gap-4">
      {publishedAboutYou(data.isClosed).map(({ title, text }) => (
        <div key={title} className="grid gap-1 sm:grid-cols-[12rem_1fr] sm:gap-6">
          <dt className="font-medium">{title}</dt>
          <dd className="text-ink-soft">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

const endsProof = msg(
  'Your identity is verified under this name. If you change it, you have to prove your identity again.',
)

const profileFields = ['name', 'email', 'phone', 'country'] as const

function ProfileForm({ user, isConsole }: { user: User; isConsole: boolean }) {
  const { run, pending, error } = useMutation(updateProfile)
  const { data: identity } = useRead(ownIdentity, {}, { enabled: !isConsole, quiet: true })
  const isVerified = identity !== undefined && identity.level !== 'none'
  return (
    <Form
      fields={profileFields}
      check={values => missing(values, profileFields, allRequired())}
      onSubmit={values => run({ body: values })}
      pending={pending}
      error={error}
    >
      <Field name="name" label={t('Name')} hint={isVerified ? translate(endsProof) : undefined}>
        <Input autoComplete="name" dir="auto" defaultValue={user.name} />
      </Field>
      <Field name="email" label={t('Email')} hint={<EmailStanding user={user} />}>
        <Input
          type="email"
          dir="ltr"
          className="rtl:text-end"
          autoComplete="email"
          defaultValue={user.email}
        />
      </Field>
      <Field name="phone" label={t('Phone')}>
        <Input type="tel" dir="ltr" className="rtl:text-end" autoComplete="tel" defaultValue={user.phone} />
      </Field>
      <Field name="country" label={t('Country')}>
        <CountrySelect stored={user.country} />
      </Field>
      <SubmitButton className="justify-self-start">{t('Update profile')}</SubmitButton>
    </Form>
  )
}

function EmailStanding({ user }: { user: User }) {
  if (user.emailVerified) {
    return t('Verified. If you change it, we’ll send a code to the new address first.')
  }
  return (
    <>
      {tr('Not verified yet: <link>enter the code we sent</link>.', {
        link: words => (
          <Link className="prose-link" to={paths.verify(user.email)}>
            {words}
          </Link>
        ),
      })}
    </>
  )
}

const passwordFields = ['oldPassword', 'newPassword', 'confirmation'] as const

function passwordError(
  values: Record<(typeof passwordFields)[number], string>,
  user: User | undefined,
): ValidationError | undefined {
  const { newPassword, confirmation } = values
  const told = user && ownPasswordError(newPassword, user)
  return mergeErrors(
    missing(values, passwordFields, allRequired()),
    newPassword === confirmation ? undefined : fieldError('confirmation', t('New passwords must match')),
    told === undefined ? undefined : fieldError('newPassword', told),
  )
}

function PasswordForm({ user }: { user: User | undefined }) {
  const [changes, setChanges] = useState(0)
  const least = user?.type === 'admin' ? staffPasswordLength : minimumPasswordLength
  const { run, pending, error } = useMutation(changePassword, { onSuccess: () => setChanges(changes + 1) })
  return (
    <Form
      // Remounts after a change, so that no password stays in the fields.
      key={changes}
      fields={passwordFields}
      check={values => passwordError(values, user)}
      onSubmit={({ oldPassword, newPassword }) => run({ body: { oldPassword, newPassword } })}
      pending={pending}
      error={error}
    >
      {/* Tells password managers whose password it is. */}
      <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
      <Field name="oldPassword" label={t('Current password')}>
        <PasswordInput autoComplete="current-password" />
      </Field>
      <Field
        name="newPassword"
        label={t('New password')}
        hint={t('At least {count} characters. You’ll be logged out everywhere else.', { count: least })}
      >
        <PasswordInput autoComplete="new-password" />
      </Field>
      <Field name="confirmation" label={t('Confirm new password')}>
        <PasswordInput autoComplete="new-password" />
      </Field>
      <SubmitButton className="justify-self-start">{t('Update password')}</SubmitButton>
    </Form>
  )
}

function Referral({ user }: { user: User }) {
  return (
    <div className="grid gap-4">
      <DescriptionList
        entries={[
          [
            t('Your referral code'),
            <span key="code" className="select-all font-medium">
              {user.referralCode}
            </span>,
          ],
          [t('Referred by'), user.referrer ?? t('No one')],
        ]}
      />
      <div className="flex flex-wrap gap-3">
        <CopyButton
          text={user.referralCode}
          label={t('Copy referral code')}
          onCopied={() => toast.success(t('Referral code copied'))}
        />
        {user.type !== 'admin' && (
          <LinkButton to={paths.dashboard.referrals} tone="quiet" size="sm">
            {t('Who joined with it')}
          </LinkButton>
        )}
      </div>
    </div>
  )
}
