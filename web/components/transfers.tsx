import { isStablecoin } from '#shared/coins.ts'
import type { DepositTransfer } from '#shared/contract/entities.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { Amount, Usd } from './amounts.tsx'
import { shortDecimal } from './crypto.tsx'
import { ShortId } from './short-id.tsx'
import { When } from './when.tsx'

const standing: Record<DepositTransfer['state'], string> = {
  seen: msg('Seen, not in a block yet'),
  confirming: msg('Confirming'),
  confirmed: msg('Confirmed, not credited yet'),
  credited: msg('Credited'),
  credited_manually: msg('Credited by our team'),
  dropped: msg('Replaced or dropped by the network'),
  dust: msg('Too small to credit (dust)'),
  wrong_asset: msg('Wrong coin, not credited'),
  internal: msg('Internal transfer, not credited'),
}

const columns = (): readonly Column<DepositTransfer>[] => [
  { header: t('Seen'), cell: ({ arrivedAt }) => <When at={arrivedAt} /> },
  {
    header: t('Amount'),
    numeric: true,
    cell: ({ amountCrypto, token }) => (
      <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${token}`}</Amount>
    ),
  },
  {
    header: t('Status'),
    cell: ({ state, confirmations: { have, needed } }) =>
      state === 'confirming'
        ? t('Confirming: {have} of {needed}', { have, needed })
        : translate(standing[state]),
  },
  { header: t('Credited'), numeric: true, cell: transfer => <CreditedAs transfer={transfer} /> },
  {
    header: t('Transaction'),
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
  if (block === null) return t('Sent by a contract; its block was replaced')
  return (
    <>
      {tr('Sent by a contract; block {height} shows it: {hash}', {
        height: block.height,
        hash: <ShortId id={block.hash} name="block hash" />,
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
      {late && rate !== null && !isStablecoin(token) && (
        <span className="block text-ink-soft text-sm">
          {t('Late: rate {rate}, {source}', {
            rate: localRate(rate),
            source: rateSource === null ? '' : sourceWords(rateSource),
          })}
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
        caption={t('Transfers to the address of {deposit}', { deposit: of })}
        columns={columns()}
        rows={transfers}
        keyOf={({ _id }) => _id}
      />
      {more > 0 && (
        <p className="mt-3 text-ink-soft text-sm">
          {t(
            '{more, plural, one {# more is not shown. Payments come first, dust last.} other {# more are not shown. Payments come first, dust last.}}',
            { more },
          )}
        </p>
      )}
    </>
  )
}
