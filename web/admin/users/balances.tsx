import { Fragment } from 'react'
import { t, translate } from '#shared/i18n/t.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { Usd } from '#web/components/amounts.tsx'
import type { UserDetail } from './user-detail.ts'

/** An account's balances, each with the postings that make it up. */
export function Balances({ user }: { user: UserDetail }) {
  return (
    <dl className="grid">
      {user.accounts.map(({ account, balance, kinds }) => (
        <div
          key={account}
          className="grid grid-cols-[1fr_auto] items-baseline gap-x-6 gap-y-1 border-rule border-b py-3 last:border-b-0"
        >
          <dt className="text-ink-soft">{translate(accountNames[account])}</dt>
          <dd className="numeral text-xl">
            <Usd value={balance} />
          </dd>
          <dd className="col-span-2 text-ink-faint text-sm tabular-nums">
            <Formula kinds={kinds} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** '= Deposits $500.00 − Withdrawals $100.00' */
function Formula({ kinds }: Pick<UserDetail['accounts'][number], 'kinds'>) {
  const terms = kinds.flatMap(({ kind, in: came, out: went }) => [
    ...(came === 0 ? [] : [{ key: `${kind} in`, sign: '+', name: translate(kindNames[kind]), value: came }]),
    ...(went === 0 ? [] : [{ key: `${kind} out`, sign: '−', name: translate(kindNames[kind]), value: went }]),
  ])
  if (terms.length === 0) return t('No money has moved yet')
  return (
    <>
      ={' '}
      {terms.map(({ key, sign, name, value }, at) => (
        <Fragment key={key}>
          {at > 0 || sign === '−' ? ` ${sign} ` : ''}
          <span className="whitespace-nowrap">
            {name} <Usd value={value} />
          </span>
        </Fragment>
      ))}
    </>
  )
}
