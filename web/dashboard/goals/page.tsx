import { useState } from 'react'
import { Link } from 'react-router'
import { chooseEndingAlert, type Goal, listGoals, newGoal, removeGoal } from '#shared/contract/goals.ts'
import { enterUsd, parseTypedUsd } from '#shared/i18n/amounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestGoalName, maximumGoals } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { Day, When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, fieldError, mergeErrors, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input, MoneyInput, Select } from '#web/ui/input.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'

export const meta = pageMeta(msg('Goals and alerts'))

/** What the investor saves for, and what they are told before it happens (D-31). */
export default function GoalsPage() {
  const { data, isError, refetch } = useRead(listGoals, {})
  return (
    <>
      <PageHead
        title={t('Goals and alerts')}
        lead={t('A goal moves no money. It compares your total funds with an amount of your own.')}
      />
      {data ? (
        <div className="grid gap-12">
          <Goals goals={data.goals} funds={data.funds} />
          <NewGoal isFull={data.goals.length >= maximumGoals} />
          <EndingAlert key={data.endingAlertDays} days={data.endingAlertDays} />
        </div>
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>{t('Your goals could not be loaded.')}</FailedState>
      ) : (
        <Loading label={t('Loading your goals')} lines={8} />
      )}
    </>
  )
}

const goalsAnchor = 'your-goals'

function Goals({ goals, funds }: { goals: readonly Goal[]; funds: number }) {
  return (
    <Section title={t('Your goals')} anchor={goalsAnchor}>
      <p className="mb-4 max-w-2xl text-ink-soft">
        {tr('Your total funds are {amount}: available, on hold and invested.', {
          amount: <Usd value={funds} />,
        })}
      </p>
      {goals.length === 0 ? (
        <EmptyState>{t('You have no goals yet.')}</EmptyState>
      ) : (
        <ul className="grid max-w-3xl">
          {goals.map(goal => (
            <GoalItem key={goal._id} goal={goal} />
          ))}
        </ul>
      )}
    </Section>
  )
}

const bar =
  'h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent ' +
  '[&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent'

function GoalItem({ goal }: { goal: Goal }) {
  const { _id, name, amount, day, percent } = goal
  const [isRemoving, setRemoving] = useState(false)
  return (
    <li className="grid gap-2 border-rule border-b py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h3 className="font-medium">
          <bdi>{name}</bdi>
        </h3>
        <span>
          {day === null ? (
            <Usd value={amount} />
          ) : (
            tr('{amount} by {day}', { amount: <Usd value={amount} />, day: <Day on={day} /> })
          )}
        </span>
      </div>
      <progress
        className={bar}
        max={100}
        value={percent}
        aria-label={t('{name}: {percent, number}% reached', { name, percent })}
      />
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 text-sm">
        <p className="max-w-xl text-ink-soft">
          <Progress goal={goal} />
        </p>
        <Button
          tone="quiet"
          size="sm"
          aria-label={t('Remove {name}', { name })}
          onClick={() => setRemoving(true)}
        >
          {t('Remove')}
        </Button>
      </div>
      {isRemoving && (
        <ConfirmCall
          call={removeGoal}
          input={{ params: { id: _id } }}
          title={t('Remove this goal?')}
          confirm={t('Remove goal')}
          tone="danger"
          onClose={() => setRemoving(false)}
          focusTo={() => document.getElementById(goalsAnchor)}
        >
          {tr('“{name}” and its progress will be gone. No money moves.', { name: <bdi>{name}</bdi> })}
        </ConfirmCall>
      )}
    </li>
  )
}

/** What is so now; no earnings are assumed. */
function Progress({ goal: { percent, missing: lacking, monthly, reachedAt } }: { goal: Goal }) {
  return (
    <>
      {reachedAt !== null && <>{tr('Reached on {day}.', { day: <When at={reachedAt} date /> })} </>}
      {lacking === 0
        ? t('Your total funds are at least this much.')
        : tr('{percent, number}% now, {amount} to go.', { percent, amount: <Usd value={lacking} /> })}
      {monthly !== null && (
        <>
          {' '}
          {tr(
            'Without any earnings, you would reach it by paying in {amount} each month. Targets are not guaranteed, so we do not count them.',
            { amount: <Usd value={monthly} /> },
          )}
        </>
      )}
    </>
  )
}

const fields = ['name', 'amount', 'day'] as const

function NewGoal({ isFull }: { isFull: boolean }) {
  const [saved, setSaved] = useState(0)
  const { run, pending, error } = useMutation(newGoal, { onSuccess: () => setSaved(saved + 1) })
  if (isFull)
    return (
      <Section title={t('New goal')}>
        <p className="text-ink-soft">
          {t('You can have at most {count} goals. Remove one to set another.', { count: maximumGoals })}
        </p>
      </Section>
    )
  return (
    <Section title={t('New goal')}>
      <div className="max-w-md">
        <Form
          // Remounts with empty fields once it is saved, ready for another.
          key={saved}
          fields={fields}
          check={values =>
            mergeErrors(
              missing(values, ['name', 'amount'], t('Name and amount are required')),
              values.amount === '' || parseTypedUsd(values.amount) !== undefined
                ? undefined
                : fieldError('amount', enterUsd(5_000_000n)),
            )
          }
          onSubmit={({ name, amount, day }) =>
            run({ body: { name, amount: usdToJson(parseTypedUsd(amount)!), day: day === '' ? null : day } })
          }
          pending={pending}
          error={error}
        >
          <Field name="name" label={t('Name')}>
            <Input maxLength={longestGoalName} autoComplete="off" dir="auto" autoFocus={saved > 0} />
          </Field>
          <Field name="amount" label={t('Amount')}>
            <MoneyInput />
          </Field>
          <Field name="day" label={t('Day')} optional hint={t('By when you want to have it (UTC).')}>
            <Input type="date" min="2000-01-01" max="2199-12-31" />
          </Field>
          <p className="text-ink-soft text-sm">
            {t('We tell you when your total funds reach it, in your notifications and by email.')}
          </p>
          <SubmitButton className="justify-self-start">{t('Save goal')}</SubmitButton>
        </Form>
      </div>
    </Section>
  )
}

/** Choices of days before an investment ends. */
const choices = [1, 3, 7, 14, 30]

function EndingAlert({ days }: { days: number | null }) {
  const { run, pending, error } = useMutation(chooseEndingAlert)
  const offered = days === null || choices.includes(days) ? choices : [...choices, days]
  return (
    <Section title={t('Before your principal returns')}>
      <div className="max-w-md">
        <Form
          fields={['days']}
          onSubmit={values => run({ body: { days: values.days === '' ? null : Number(values.days) } })}
          pending={pending}
          error={error}
        >
          <Field name="days" label={t('Tell me before an investment ends')}>
            <Select defaultValue={days ?? ''}>
              <option value="">{t('Don’t tell me')}</option>
              {offered.map(count => (
                <option key={count} value={count}>
                  {t('{count, plural, one {# day before} other {# days before}}', { count })}
                </option>
              ))}
            </Select>
          </Field>
          <p className="text-ink-soft text-sm">
            {tr(
              'We always show changes of your deposits, withdrawals and investments in your notifications. <link>Choose your emails</link>',
              {
                link: words => (
                  <Link className="prose-link" to={`${paths.dashboard.profile}#emails`}>
                    {words}
                  </Link>
                ),
              },
            )}
          </p>
          <SubmitButton className="justify-self-start">{t('Save alert')}</SubmitButton>
        </Form>
      </div>
    </Section>
  )
}
