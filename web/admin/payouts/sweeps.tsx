import type { ReactNode } from 'react'
import { type SweepWallet, sweepRails } from '#shared/batch-coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import { depositHoldings, newSweep, previewSweep, readHoldings } from '#shared/contract/sweeps.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { holdingsMinutes } from '#shared/limits.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { openAction } from '#web/admin/actions/open.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { GroupedAddress } from '#web/components/grouped-address.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { CoinText, calculating, feeWords } from './parts.tsx'

type Holding = CallData<typeof depositHoldings>[number]
type Preview = CallData<typeof previewSweep>

/** Moves deposits from the addresses that investors paid to the payout address; nothing where none have their own. */
export function SweepSection() {
  const { data, isError, refetch } = useRead(depositHoldings, {})
  if (!data && !isError) return null
  if (data?.length === 0) return null
  return (
    <Section title={t('Move deposits')} anchor="move">
      {data ? (
        <div className="grid grid-cols-1 gap-8">
          <p className="max-w-prose text-ink-soft">
            {t(
              'Each investor pays to an address of their own. Payouts spend what is at the payout address, so move the deposits there with a batch that you sign.',
            )}
          </p>
          {[...Map.groupBy(data, ({ network }) => network)].map(([network, rows]) => (
            <Holdings key={network} network={network} rows={rows} />
          ))}
        </div>
      ) : (
        <FailedState onRetry={() => void refetch()}>
          {t('The deposits to move could not be loaded.')}
        </FailedState>
      )}
    </Section>
  )
}

/** The coins of one network, which a worker reads together. */
function Holdings({ network, rows }: { network: string; rows: readonly Holding[] }) {
  const { run, pending } = useMutation(readHoldings)
  const [first] = rows
  const place = (words: ReactNode) => <span className="sr-only">{words}</span>
  const { wallet, unavailable, isReading, failure, readAt } = first!
  if (unavailable !== null) return <EmptyState>{unavailable}</EmptyState>
  return (
    <div className="grid grid-cols-1 gap-4">
      <h3 className="font-medium">{network}</h3>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button tone="quiet" busy={pending || isReading} onClick={() => void run({ body: { wallet } })}>
          {readAt === null
            ? tr('Read the balances<place> on {network}</place>', { place, network })
            : tr('Read the balances again<place> on {network}</place>', { place, network })}
        </Button>
        <p className="text-ink-soft text-sm" role="status">
          {isReading
            ? t('Our node reads them within a minute.')
            : failure !== null
              ? t('Our node could not read them ({failure}). Try again.', { failure })
              : readAt === null
                ? t('Nobody has read them yet.')
                : tr('Read {when}. They count for {minutes, plural, one {# minute} other {# minutes}}.', {
                    when: <When at={readAt} />,
                    minutes: holdingsMinutes,
                  })}
        </p>
      </div>
      {readAt !== null && (
        <Table
          wide
          caption={t('What the addresses of deposits hold on {network}', { network })}
          columns={columns}
          rows={rows}
          keyOf={row => row.wallet}
        />
      )}
    </div>
  )
}

const columns: readonly Column<Holding>[] = [
  { header: msg('Coin'), cell: ({ wallet }) => wallet },
  { header: msg('Addresses'), cell: ({ addresses }) => number(addresses), numeric: true },
  { header: msg('Amount'), cell: row => <CoinText of={row} />, numeric: true },
  {
    header: msg('Action'),
    cell: ({ wallet, addresses }) =>
      addresses > 0 ? (
        <Button
          tone="quiet"
          size="sm"
          onClick={() => openAction(close => <ConfirmSweep wallet={wallet} onClose={close} />)}
        >
          {t('Move {wallet}', { wallet })}
        </Button>
      ) : (
        <span className="text-ink-faint">{t('Nothing to move')}</span>
      ),
  },
]

/** Previews the batch, as the server calculates it, before it is created. */
function ConfirmSweep({ wallet, onClose }: { wallet: SweepWallet; onClose: () => void }) {
  const preview = useRead(previewSweep, { query: { wallet } }, { held: true })
  const { data } = preview
  return (
    <ActionDialog
      call={newSweep}
      title={t('Move these deposits?')}
      description={t(
        'This makes a batch for you to sign. The coins stay ours, and no investor’s balance changes.',
      )}
      entries={data ? entriesOf(data, wallet) : []}
      waiting={calculating(preview)}
      optionalReason="log"
      loading={t('Creating the batch')}
      confirm={t('Create batch')}
      input={() => ({ body: { wallet } })}
      shown={made => shownAt(consolePaths.payout(made._id), made.number, false)}
      onClose={onClose}
    />
  )
}

function entriesOf({ count, amountCrypto, to, fee, topUps, left }: Preview, wallet: SweepWallet): Entry[] {
  const { asset } = sweepRails[wallet]
  return [
    [t('Addresses'), number(count)],
    [t('Amount'), <CoinText key="amount" of={{ amountCrypto, asset }} />],
    [t('Payout address'), <GroupedAddress key="to" address={to} />],
    [t('Network fee'), fee && feeWords(fee)],
    [
      t('Sent to addresses for their fees'),
      topUps &&
        tr('{amount}, to {count, plural, one {# address} other {# addresses}}', {
          amount: <bdi dir="ltr">{topUps.amount}</bdi>,
          count: topUps.count,
        }),
    ],
    ...left.map(
      ({ why, ...of }): Entry => [
        translate(reasons[why]),
        <span key={why}>
          {tr('{amount} at {count, plural, one {# address} other {# addresses}}', {
            amount: <CoinText of={{ ...of, asset }} />,
            count: of.count,
          })}
        </span>,
      ],
    ),
  ]
}

const reasons: Record<Preview['left'][number]['why'], string> = {
  dust: msg('Left: not worth the fee'),
  busy: msg('Left: already being moved'),
  refused: msg('Left: the coin’s contract refuses it'),
  unfunded: msg('Left: send ether to these addresses from the Safe first'),
  more: msg('Left for the next batch'),
}
