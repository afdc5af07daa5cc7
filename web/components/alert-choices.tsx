import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { type AlertChoice, alertType } from '#shared/alerts.ts'
import { chooseAlerts, getAlertChoices } from '#shared/contract/alerts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { alertMailMinutes } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Form, SubmitButton } from '#web/ui/form.tsx'
import { Checkbox } from '#web/ui/input.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** What a member of staff is told in the bell and by email (L-09). */
export default function Alerts() {
  const { data, isError, refetch } = useRead(getAlertChoices, {})
  const isThere = data !== undefined
  useFocusOnAlerts(isThere)
  if (isThere) return <ChoicesForm key={JSON.stringify(data.choices)} choices={data.choices} />
  if (isError)
    return <FailedState onRetry={() => void refetch()}>{t('Your alerts could not be loaded.')}</FailedState>
  return <Loading label={t('Loading your alerts')} lines={8} />
}

const bellOf = ({ kind }: AlertChoice) => `${kind}:bell` as const
const emailOf = ({ kind }: AlertChoice) => `${kind}:email` as const
const onlyAssigned = 'onlyAssigned'

function ChoicesForm({ choices }: { choices: AlertChoice[] }) {
  const { run, pending, error } = useMutation(chooseAlerts)
  const chosen = (values: Record<string, string>) =>
    choices.map(choice => ({
      kind: choice.kind,
      bell: values[bellOf(choice)] !== '',
      email: values[emailOf(choice)] !== '',
      onlyAssigned: choice.kind === 'message.waiting' && values[onlyAssigned] !== '',
    }))
  return (
    <Form
      fields={[onlyAssigned, ...choices.flatMap(choice => [bellOf(choice), emailOf(choice)])]}
      onSubmit={values => run({ body: { choices: chosen(values) } })}
      pending={pending}
      error={error}
    >
      <p className="max-w-2xl text-ink-soft text-sm">
        {t(
          'The bell shows what waits until someone has dealt with it. Emails only say how much is new: at most one in {alertMailMinutes} minutes, with a notification on your devices. You get no alerts about your own acts.',
          { alertMailMinutes },
        )}
      </p>
      <div className="grid max-w-4xl gap-x-16 lg:grid-cols-2">
        {choices.map(choice => (
          <Choice key={choice.kind} choice={choice} />
        ))}
      </div>
      <SubmitButton className="justify-self-start">{t('Save alerts')}</SubmitButton>
    </Form>
  )
}

function Choice({ choice }: { choice: AlertChoice }) {
  const { kind, bell, email, onlyAssigned: isNarrowed } = choice
  const type = alertType(kind)
  return (
    <fieldset className="border-rule border-b py-3">
      <legend className="sr-only">{translate(type.label)}</legend>
      <p aria-hidden="true" className="text-sm">
        {translate(type.label)}
      </p>
      <div className="flex flex-wrap items-center gap-x-6">
        <Checkbox name={bellOf(choice)} defaultChecked={bell}>
          {t('Bell')}
        </Checkbox>
        {type.email === 'own' ? (
          <span className="text-ink-soft text-sm">{t('Admins always get an email')}</span>
        ) : (
          <Checkbox name={emailOf(choice)} defaultChecked={email}>
            {t('Email')}
          </Checkbox>
        )}
        {kind === 'message.waiting' && (
          <Checkbox name={onlyAssigned} defaultChecked={isNarrowed}>
            {t('Only if assigned to me')}
          </Checkbox>
        )}
      </div>
    </fieldset>
  )
}

/** The link in emails (`#alerts`) takes the focus there once the page has loaded. */
function useFocusOnAlerts(isThere: boolean) {
  const { hash } = useLocation()
  useEffect(() => {
    if (isThere && hash === '#alerts') document.getElementById('alerts')?.focus()
  }, [isThere, hash])
}
