import { isStablecoin } from '#shared/coins.ts'
import type { DepositTransfer } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Amount, Usd } from './amounts.tsx'
import { shortDecimal } from './crypto.tsx'
import { ShortId } from './short-id.tsx'
import { When } from './when.tsx'

const standing: Record<DepositTransfer['state'], string> = {
  seen: 'Seen, not in a block yet',
  confirming: 'Confirming',
  confirmed: 'Confirmed, not credited yet',
  credited: 'Credited',
  credited_manually: 'Credited by our team',
  dropped: 'Replaced or dropped by the network',
  dust: 'Too small to credit (dust)',
  wrong_asset: 'Wrong coin, not credited',
  internal: 'Internal transfer, not credited',
}

const columns: readonly Column<DepositTransfer>[] = [
  { header: msg('Seen'), cell: ({ arrivedAt }) => <When at={arrivedAt} /> },
  {
    header: msg('Amount'),
    numeric: true,
    cell: ({ amountCrypto, token }) => (
      <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${token}`}</Amount>
    ),
  },
  {
    header: msg('Status'),
    cell: ({ state, confirmations: { have, needed } }) =>
      state === 'confirming' ? `${standing[state]}: ${have} of ${needed}` : standing[state],
  },
  { header: msg('Credited'), numeric: true, cell: transfer => <CreditedAs transfer={transfer} /> },
  {
    header: msg('Transaction'),
    cell: transfer => (
      <span className="text-sm">
        <Evidence of={transfer} />
      </span>
    ),
  },
]

/** The transaction's id. Ether that a contract sends has no transaction of its own: the address's balance rose in a block. */
function Evidence({ of: { transactionId, block } }: { of: DepositTransfer }) {
  if (transactionId !== null) return <ShortId id={transactionId} name="transaction id" />
  if (block === null) return 'Sent by a contract; its block was replaced'
  return (
    <>
      {tr('Sent by a contract; block {height} shows it: {shortId}', {
        height: block.height,
        shortId: <ShortId id={block.hash} name="block hash" />,
      })}
    </>
  )
}

/** Dollars credited and, for late transfers, the rate. */
function CreditedAs({ transfer }: { transfer: DepositTransfer }) {
  const { token, credited, rate, rateSource, late } = transfer
  if (credited === null) return '—'
  return (
    <>
      <Usd value={credited} />
      {late && !isStablecoin(token) && (
        <span className="block text-ink-soft text-sm">
          {t('Late: rate ${rate}, {rateSource}', { rate, rateSource })}
        </span>
      )}
    </>
  )
}

type TransfersProps = { of: string; transfers: readonly DepositTransfer[]; more: number }

/** Transfers seen at a deposit's address, and how many more there are. */
export function Transfers({ of, transfers, more }: TransfersProps) {
  return (
    <>
      <Table
        wide
        caption={`Transfers to the address of ${of}`}
        columns={columns}
        rows={transfers}
        keyOf={({ _id }) => _id}
      />
      {more > 0 && (
        <p className="mt-3 text-ink-soft text-sm">
          {t('{withCommas} more {value} not shown. Payments come first, dust last.', {
            withCommas: withCommas(String(more)),
            value: more === 1 ? 'is' : 'are',
          })}
        </p>
      )}
    </>
  )
}
