import { type ReactNode, useDeferredValue, useMemo } from 'react'
import type { StatementLine } from '#shared/contract/entities.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { accountNames } from '#shared/statement.ts'
import { cx } from '#web/ui/cx.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Amount, Cents } from './amounts.tsx'
import { type Change, type Movement, movementsOf } from './movements.ts'
import { ShortWhen, When } from './when.tsx'

type PostingsProps = {
  caption: string
  lines: readonly StatementLine[]
  /** Renders what moved the money. Must be a stable function. */
  what?: (movement: Movement) => ReactNode
  /** A whole statement instead of one record's few postings. */
  long?: boolean
}

/** Movements of one investor's money, each with the balances after it. */
export function Postings({ caption, lines, what, long }: PostingsProps) {
  const columns = useMemo(() => columnsWith({ what, long }), [what, long])
  // The page answers while many lines render.
  const rows = useDeferredValue(useMemo(() => movementsOf(lines), [lines]))
  return (
    <div className="movements">
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        keyOf={movement => movement.key}
        tracks={long ? '[--tracks:10.5rem_minmax(6rem,1fr)_7.25rem_10rem_9rem]' : undefined}
      />
    </div>
  )
}

function columnsWith({ what, long }: Pick<PostingsProps, 'what' | 'long'>): readonly Column<Movement>[] {
  return [
    { header: t('Date'), cell: ({ line }) => (long ? <ShortWhen at={line.at} /> : <When at={line.at} />) },
    { header: t('What'), cell: what ?? (({ line }) => line.description) },
    { header: t('Account'), cell: movement => <Accounts of={movement} /> },
    { header: t('Amount'), cell: movement => <Amounts of={movement} />, numeric: true },
    {
      header: t('Balance after'),
      cell: movement => (
        <Each of={movement}>
          {({ account, balance }) => (
            <>
              {movement.isTransfer && (
                <span className={long ? 'sr-only' : 'min-[44rem]:sr-only'}>
                  {translate(accountNames[account])}{' '}
                </span>
              )}
              <Cents cents={balance} />
            </>
          )}
        </Each>
      ),
      numeric: true,
    },
  ]
}

type OfMovement = { of: Movement }

/** Something of each account, a line each. */
function Each({ of, children }: OfMovement & { children: (change: Change) => ReactNode }) {
  return of.changes.map(change => (
    <span key={change.account} className="each">
      {children(change)}
    </span>
  ))
}

function Accounts({ of }: OfMovement) {
  return (
    <Each of={of}>
      {({ account }) => (
        <>
          {translate(accountNames[account])}
          {of.isTransfer && account === of.changes[0]?.account && (
            <>
              {' '}
              <span aria-hidden="true" className="inline-block rtl:-scale-x-100">
                →
              </span>
              <span className="sr-only">{t(' to ')}</span>
            </>
          )}
        </>
      )}
    </Each>
  )
}

/** Between the investor's own accounts, one amount without a sign. */
function Amounts({ of }: OfMovement) {
  const { changes, isTransfer } = of
  if (isTransfer) return <Cents cents={changes.at(-1)!.amount} />
  return <Each of={of}>{({ amount }) => <Signed cents={amount} />}</Each>
}

/** Credits have a plus sign, not just a colour. */
function Signed({ cents }: { cents: bigint }) {
  return (
    <span className={cx(cents > 0n && 'text-good')}>
      <Amount>{`${cents > 0n ? '+' : ''}${localUsd(cents)}`}</Amount>
    </span>
  )
}
