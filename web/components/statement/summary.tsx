import { Fragment, type ReactNode } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import type { StatementAccount } from '#shared/contract/entities.ts'
import { statementSummary } from '#shared/contract/ledger.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { useRead } from '#web/api/read.ts'
import { Usd, usdOrWait } from '#web/components/amounts.tsx'
import { Day, timeZone } from '#web/components/when.tsx'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { queryOf, type StatementFilter } from './filter.ts'

type Summary = CallData<typeof statementSummary>

/** Totals of the period over all kinds: opening balance, money in and out, closing balance. */
export function PeriodSummary({ filter, userId }: { filter: StatementFilter; userId?: string }) {
  const { account, days, kind } = filter
  const { kind: _, ...query } = queryOf(filter)
  const { data, isError, refetch } = useRead(statementSummary, { query: { ...query, userId } })
  if (isError && !data)
    return <FailedState onRetry={refetch}>{t('The totals could not be loaded.')}</FailedState>
  return (
    <div className="mb-4">
      <Figures inLines>
        <Figure
          label={t('Opening balance')}
          value={usdOrWait(data?.opening)}
          note={days.from ? <Day on={days.from} /> : t('Before the first entry')}
        />
        <Figure
          label={t('Money in')}
          value={usdOrWait(data?.in)}
          note={data && madeOf(data, 'in', account)}
        />
        <Figure
          label={t('Money out')}
          value={usdOrWait(data?.out)}
          note={data && madeOf(data, 'out', account)}
        />
        <Figure
          label={t('Closing balance')}
          value={usdOrWait(data?.closing)}
          note={days.to ? <Day on={days.to} /> : t('Now')}
        />
      </Figures>
      <p className="max-w-3xl text-ink-faint text-sm">
        {scopeWords(account, kind !== undefined)}{' '}
        {t('Dates are in your time zone, {timeZone}.', { timeZone: timeZone() })}
      </p>
    </div>
  )
}

function scopeWords(account: StatementAccount | undefined, isOfOneKind: boolean): string {
  const scope =
    account === undefined
      ? t('Across all accounts. Transfers between them aren’t counted.')
      : t('For the account {account}: everything credited to it or debited from it.', {
          account: translate(accountNames[account]),
        })
  return isOfOneKind ? `${scope} ${t('Totals include all kinds, not only the one selected.')}` : scope
}

/** Across all accounts only payments by coin count as money in for investments. */
const ofAllAccounts = { ...kindNames, investment: msg('Payments for investments') }

/** 'Deposits $500.00 · Earnings $12.30' */
function madeOf({ kinds }: Summary, way: 'in' | 'out', account: StatementAccount | undefined): ReactNode {
  const names = account === undefined ? ofAllAccounts : kindNames
  const parts = kinds.filter(kind => kind[way] !== 0)
  if (parts.length === 0) return t('Nothing')
  return parts.map(({ kind, [way]: usd }, at) => (
    <Fragment key={kind}>
      {at > 0 && ' · '}
      {translate(names[kind])} <Usd value={usd} />
    </Fragment>
  ))
}
