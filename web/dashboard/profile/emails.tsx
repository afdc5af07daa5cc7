import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { chooseEmails, emailChoice } from '#shared/contract/notifications.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type MoneyNotice, moneyNoticeKinds, moneyNotices } from '#shared/notifications.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { Checkbox } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** Kinds of emails by heading. */
const groups = [
  [msg('Deposits'), 'deposit'],
  [msg('Investments'), 'investment'],
  [msg('Withdrawals'), 'withdrawal'],
  [msg('Earnings'), 'earning'],
  [msg('Goals'), 'goal'],
] as const

/** Email preferences (L-07): emails about money can be turned off, those about security cannot. */
export function Emails() {
  const { data, isError, refetch } = useRead(emailChoice, {})
  const isThere = data !== undefined
  useFocusOnEmails(isThere)
  if (isThere) return <EmailsForm key={data.muted.join()} muted={data.muted} />
  if (isError)
    return <FailedState onRetry={refetch}>{t('Your email preferences could not be loaded.')}</FailedState>
  return <Loading label={t('Loading your email preferences')} lines={5} />
}

function EmailsForm({ muted }: { muted: MoneyNotice[] }) {
  const { run, pending, error } = useMutation(chooseEmails)
  return (
    <Form
      fields={moneyNoticeKinds}
      onSubmit={values => run({ body: { muted: moneyNoticeKinds.filter(kind => values[kind] === '') } })}
      pending={pending}
      error={error}
    >
      <p className="max-w-2xl text-ink-soft text-sm">
        {t(
          'Choose which emails you want. We always email you about account security and every withdrawal request. You’ll always see everything in your notifications. Your devices follow the same choices.',
        )}
      </p>
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {groups.map(([heading, record]) => (
          <fieldset key={record}>
            <legend className="mb-1 font-medium text-sm">{translate(heading)}</legend>
            {moneyNoticeKinds
              .filter(kind => kind.startsWith(`${record}.`))
              .map(kind => (
                <Checkbox key={kind} name={kind} defaultChecked={!muted.includes(kind)}>
                  {translate(moneyNotices[kind])}
                </Checkbox>
              ))}
          </fieldset>
        ))}
      </div>
      <SubmitButton className="justify-self-start">{t('Save preferences')}</SubmitButton>
    </Form>
  )
}

/** The link in emails (`#emails`) takes the focus there once the page has loaded. */
function useFocusOnEmails(isThere: boolean) {
  const { hash } = useLocation()
  useEffect(() => {
    if (isThere && hash === '#emails') document.getElementById('emails')?.focus()
  }, [isThere, hash])
}
