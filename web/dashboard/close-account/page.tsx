import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { closeAccount, closing, type OpenMatter } from '#shared/contract/closing.ts'
import { secondFactor } from '#shared/contract/second-factor.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { leave } from '#web/api/session.ts'
import { Usd } from '#web/components/amounts.tsx'
import { AnyCodeField } from '#web/components/code-fields.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

export const meta = pageMeta(msg('Close your account'))

/** Closes the account, or says what stands in the way. */
export default function CloseAccountPage() {
  const open = useRead(closing, {})
  const factor = useRead(secondFactor, {})
  const failed = open.isError ? open : factor.isError ? factor : undefined
  return (
    <>
      <PageHead
        title={t('Close your account')}
        lead={t('You can close your account once nothing in it is open.')}
      />
      {failed ? (
        <FailedState onRetry={() => void failed.refetch()}>
          {t('We could not look through your account.')}
        </FailedState>
      ) : open.data === undefined || factor.data === undefined ? (
        <Loading label={t('Looking through your account')} lines={6} />
      ) : open.data.matters.length > 0 ? (
        <StillOpen matters={open.data.matters} />
      ) : (
        <div className="grid gap-10">
          <WhatHappens />
          <Confirmation asksForCode={factor.data.on} />
        </div>
      )}
    </>
  )
}

const places: Record<OpenMatter['kind'], { link: string; to: string }> = {
  balance: { link: msg('Withdraw it'), to: paths.dashboard.withdrawals },
  investment: { link: msg('See your investments'), to: paths.dashboard.investments },
  deposit: { link: msg('See your deposits'), to: paths.dashboard.deposit },
  withdrawal: { link: msg('See your withdrawals'), to: paths.dashboard.withdrawals },
  earning: { link: msg('See your earnings'), to: paths.dashboard.history },
  debt: { link: msg('Write to us'), to: paths.dashboard.ask() },
  payment: { link: msg('See your deposits'), to: paths.dashboard.deposit },
}

function wordsOf({ kind, count, amount }: OpenMatter): ReactNode {
  const usd = amount !== null && <Usd value={amount} />
  switch (kind) {
    case 'balance':
      return tr('Your account holds {usd}: available, on hold or in plans.', { usd })
    case 'investment':
      return tr(
        '{count, plural, one {# investment of {usd} pending or active.} other {# investments of {usd} pending or active.}}',
        { count, usd },
      )
    case 'deposit':
      return tr(
        '{count, plural, one {# deposit of {usd} pending. Cancel what you will not pay.} other {# deposits of {usd} pending. Cancel what you will not pay.}}',
        { count, usd },
      )
    case 'withdrawal':
      return tr(
        '{count, plural, one {# withdrawal of {usd} not paid yet.} other {# withdrawals of {usd} not paid yet.}}',
        { count, usd },
      )
    case 'earning':
      return tr(
        '{count, plural, one {# earning of {usd} waiting for approval.} other {# earnings of {usd} waiting for approval.}}',
        { count, usd },
      )
    case 'debt':
      return tr('You owe {usd} for a deposit that its network reversed.', { usd })
    case 'payment':
      return t(
        '{count, plural, one {# payment to your addresses not credited yet.} other {# payments to your addresses not credited yet.}}',
        { count },
      )
  }
}

function StillOpen({ matters }: { matters: readonly OpenMatter[] }) {
  return (
    <Section title={t('What stands in the way')}>
      <ul className="grid max-w-3xl gap-3">
        {matters.map(matter => (
          <li key={matter.kind} className="flex flex-wrap gap-x-4 gap-y-1 border-wait border-s-4 ps-4">
            <span>{wordsOf(matter)}</span>
            <Link className="prose-link" to={places[matter.kind].to}>
              {translate(places[matter.kind].link)}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const consequences = [
  msg('You are logged out everywhere and cannot log in any more.'),
  msg('We keep our books, your records and your messages, because a firm must keep them by law.'),
  msg('We send you one email that confirms it, and no others.'),
  msg(
    'Your email address cannot open another account. If you change your mind, write to us: we can open this one again.',
  ),
  msg('Your referral code stops working.'),
  msg(
    'Do not pay to addresses that we showed you. What still arrives is not lost, but we can credit it only after we have opened your account again.',
  ),
]

function WhatHappens() {
  return (
    <Section title={t('What happens when you close it')}>
      <ul className="grid max-w-3xl list-disc gap-2 ps-5 text-ink-soft">
        {consequences.map(consequence => (
          <li key={consequence}>{translate(consequence)}</li>
        ))}
      </ul>
      <p className="mt-4">
        <Link className="prose-link" to={paths.dashboard.profile}>
          {t('Download your data first')}
        </Link>
      </p>
    </Section>
  )
}

const fields = ['password', 'code'] as const

/** The password again, whenever it was last given: only staff can undo this. */
function Confirmation({ asksForCode }: { asksForCode: boolean }) {
  const { run, pending, error } = useMutation(closeAccount, {
    async onSuccess() {
      await leave()
      // A new document, so that nothing of the account stays in memory.
      location.assign(paths.loginAfterClosing)
    },
  })
  const asked = asksForCode ? fields : fields.slice(0, 1)
  return (
    <Section title={t('Confirm it’s you')}>
      <Form
        fields={fields}
        check={values =>
          missing(
            values,
            asked,
            asksForCode ? t('Password and code are required') : t('Password is required'),
          )
        }
        onSubmit={({ password, code }) => run({ body: { password, ...(asksForCode ? { code } : {}) } })}
        pending={pending}
        error={error}
        className="max-w-md"
      >
        <Field name="password" label={t('Password')}>
          <PasswordInput autoComplete="current-password" />
        </Field>
        {asksForCode && <AnyCodeField />}
        <FormRefusal />
        <SubmitButton tone="danger" className="justify-self-start">
          {t('Close my account')}
        </SubmitButton>
      </Form>
    </Section>
  )
}
