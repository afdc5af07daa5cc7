import { Link } from 'react-router'
import { isStablecoin, railLabels } from '#shared/coins.ts'
import { chainOverview } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { SyncErrorKind } from '#shared/contract/entities.ts'
import { localRate, localUsd, localUsdJson } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { assetDecimals, formatDecimal, parseDecimal, usdFromJson, withCommas } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { useRead } from '#web/api/read.ts'
import { Amount, Cents, Usd } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Overview = CallData<typeof chainOverview>
type AssetRow = Overview['assets'][number]
export type Rail = Overview['rails'][number]

/** On-chain balances beside the ledger's, and the sync state of each network. */
export function ChainsSection() {
  const { data, isError, refetch } = useRead(chainOverview, {}, { every: 60_000 })
  return (
    <Section title={t('On the chains')} anchor="chains">
      {isError && !data && (
        <FailedState onRetry={() => void refetch()}>
          {t('The on-chain balances could not be loaded.')}
        </FailedState>
      )}
      {!data && !isError && <Loading label={t('Loading the on-chain balances')} lines={6} />}
      {data && (
        <div className="grid gap-6">
          <Comparison overview={data} />
          <Table
            wide
            caption={t('Sync state of each network')}
            columns={railColumnsAt(data.asOf)}
            rows={data.rails}
            keyOf={({ rail }) => rail}
          />
        </div>
      )}
    </Section>
  )
}

/** Without a watched network there is nothing to compare with: columns without figures would look like a failure. */
function Comparison({ overview }: { overview: Overview }) {
  const { assets } = overview
  const isCompared = assets.some(({ watched, onChain }) => watched || onChain !== null)
  return (
    <>
      <Table
        wide
        caption={isCompared ? t('Coins on-chain and in the ledger') : t('Coins in the ledger')}
        columns={assetColumns.filter(column => isCompared || !chainColumns.includes(column))}
        rows={assets}
        keyOf={({ asset }) => asset}
      />
      {isCompared ? <Against overview={overview} /> : <NothingWatched />}
      {isCompared && <Simulated />}
      <PaidByHand {...overview.paidByHand} />
    </>
  )
}

function NothingWatched() {
  const { mode } = useSite()
  return (
    <p className="max-w-3xl text-ink-soft text-sm">
      {mode === 'demo'
        ? t(
            'This demonstration watches no network, so there are no on-chain balances to compare with. Started with DEMO_CHAIN=anvil, it brings a simulated Ethereum network of its own.',
          )
        : t(
            'We watch no network, so there are no on-chain balances to compare with. An extended key and a node for a network change that (docs/operate.md).',
          )}
    </p>
  )
}

/** What the sample's invented past means for the figures of a demonstration. */
function Simulated() {
  const { mode, demoWallet } = useSite()
  if (mode !== 'demo') return null
  return (
    <p className="max-w-3xl text-ink-soft text-sm">
      {demoWallet
        ? t(
            'This demonstration’s Ethereum network is simulated: a chain on this computer, whose coins are worth nothing. It began with the coins that the ledger had then, at the payout address; what has happened since can be checked on it. The past of other coins is invented and on no network.',
          )
        : t(
            'The past of this demonstration is invented, so its coins are on no network. They are in the differences.',
          )}
    </p>
  )
}

function PaidByHand({ count, amount }: Overview['paidByHand']) {
  if (count === 0) return null
  return (
    <p className="max-w-3xl text-ink-soft text-sm">
      {t(
        '{count, plural, one {# withdrawal ({amount}) has no recorded coin amount and is not included.} other {# withdrawals ({amount}) have no recorded coin amount and are not included.}}',
        { count, amount: localUsdJson(amount) },
      )}
    </p>
  )
}

function Coins({ amount, asset }: { amount: string; asset: string }) {
  return <Amount>{`${withCommas(shortDecimal(amount))} ${asset}`}</Amount>
}

const onChainColumn: Column<AssetRow> = {
  header: msg('On watched addresses'),
  cell: row => <OnChain row={row} />,
}
const differenceColumn: Column<AssetRow> = {
  header: msg('Difference'),
  cell: row => <Difference row={row} />,
}
const chainColumns = [onChainColumn, differenceColumn]
const assetColumns: readonly Column<AssetRow>[] = [
  {
    header: msg('Coin'),
    cell: ({ asset }) => <span className="whitespace-nowrap font-medium">{asset}</span>,
  },
  onChainColumn,
  { header: msg('In the ledger'), cell: row => <InBooks row={row} /> },
  differenceColumn,
  { header: msg('Rate'), cell: row => <RateOf row={row} /> },
]

function Lines({ children, note }: { children: React.ReactNode; note: React.ReactNode }) {
  return (
    <span className="grid justify-items-end gap-0.5 tabular-nums sm:justify-items-start">
      {children}
      {note && <span className="text-ink-faint text-sm">{note}</span>}
    </span>
  )
}

function OnChain({ row: { asset, watched, onChain } }: { row: AssetRow }) {
  if (onChain === null)
    return <span className="text-ink-soft">{watched ? t('Not read yet') : t('Not watched')}</span>
  const { amountCrypto, amount, addresses, at } = onChain
  return (
    <Lines
      note={
        amount === null
          ? tr('at {addresses, plural, one {# address} other {# addresses}}, {when}', {
              addresses,
              when: <When at={at} />,
            })
          : tr('{amount} at {addresses, plural, one {# address} other {# addresses}}, {when}', {
              amount: <Usd value={amount} />,
              addresses,
              when: <When at={at} />,
            })
      }
    >
      <Coins amount={amountCrypto} asset={asset} />
    </Lines>
  )
}

function InBooks({ row: { asset, inBooks, inBooksUsd, ...row } }: { row: AssetRow }) {
  const received = <Coins amount={row.received} asset={asset} />
  const paid = <Coins amount={row.paidOut} asset={asset} />
  return (
    <Lines
      note={
        inBooksUsd === null
          ? tr('received {received} − paid out {paid}', { received, paid })
          : tr('{amount}: received {received} − paid out {paid}', {
              amount: <Usd value={inBooksUsd} />,
              received,
              paid,
            })
      }
    >
      <Coins amount={inBooks} asset={asset} />
    </Lines>
  )
}

/** Network fees leave our addresses and are in no book: what remains without them needs an explanation. */
function Difference({ row: { asset, watched, difference, fees } }: { row: AssetRow }) {
  if (difference === null)
    return <span className="text-ink-soft">{watched ? t('Not read yet') : t('Not compared')}</span>
  const [gap, paid] = [difference, fees ?? '0'].map(text => parseDecimal(text, assetDecimals[asset])!)
  return (
    <Lines
      note={
        paid! > 0n &&
        tr('Network fees {fees}, other {rest}', {
          fees: <Coins amount={`-${fees}`} asset={asset} />,
          rest: <Coins amount={formatDecimal(gap! + paid!, assetDecimals[asset])} asset={asset} />,
        })
      }
    >
      <Coins amount={difference} asset={asset} />
    </Lines>
  )
}

function RateOf({ row: { asset, rate } }: { row: AssetRow }) {
  if (rate === null) return t('None', {}, 'a rate')
  return <Lines note={rateNote(rate, asset)}>{localRate(rate.rate)}</Lines>
}

function rateNote({ at, stale, ...rate }: NonNullable<AssetRow['rate']>, asset: AssetRow['asset']) {
  const source = <bdi>{sourceWords(rate.source)}</bdi>
  if (isStablecoin(asset)) {
    return tr('{source}, for new deposits; here each counts as {dollar}', { source, dollar: localUsd(100n) })
  }
  return stale
    ? tr('{source}, {when}, too old or disputed', { source, when: <When at={at} /> })
    : tr('{source}, {when}', { source, when: <When at={at} /> })
}

const name = (words: React.ReactNode) => <span className="font-medium text-ink">{words}</span>

/** On-chain balances in dollars against liabilities, and what the figures leave out. */
function Against({ overview }: { overview: Overview }) {
  const { assets, liabilities, stray, unassigned } = overview
  const owed = <Usd value={liabilities} />
  const known = assets.flatMap(({ onChain }) =>
    onChain?.amount == null ? [] : [usdFromJson(onChain.amount)!],
  )
  return (
    <div className="grid max-w-3xl gap-2 text-ink-soft text-sm">
      <p className="tabular-nums">
        {known.length === 0
          ? tr('<b>On watched addresses:</b> not read yet. <b>Owed to investors:</b> {owed}.', {
              b: name,
              owed,
            })
          : tr(
              '<b>On watched addresses:</b> {watched} at the rates above. <b>Owed to investors:</b> {owed}.',
              { b: name, watched: <Cents cents={known.reduce((a, b) => a + b, 0n)} />, owed },
            )}
      </p>
      <p>
        {t(
          'We monitor used addresses of an extended key, their change, and payout senders. Fixed payment addresses and cold wallets are not monitored.',
        )}
      </p>
      {unassigned.map(payment => (
        <p
          key={`${payment.transactionId} ${payment.address} ${payment.token}`}
          className="wrap-anywhere text-bad"
        >
          <Unassigned payment={payment} />
        </p>
      ))}
      {stray.map(({ token, amountCrypto }) => (
        <p key={token}>
          {tr(
            '{coins} is on watched addresses although we do not accept {token}: it is not recorded in the ledger.',
            { coins: <Coins amount={amountCrypto} asset={token} />, token },
          )}
        </p>
      ))}
    </div>
  )
}

/** Of a payment that a contract made, a node tells the block only. */
function Unassigned({ payment }: { payment: Overview['unassigned'][number] }) {
  const { transactionId, byContract, index, token } = payment
  const coins = <Coins amount={payment.amountCrypto} asset={token} />
  const address = <bdi dir="ltr">{payment.address}</bdi>
  const when = <When at={payment.seenAt} />
  const id = <bdi dir="ltr">{transactionId}</bdi>
  return byContract
    ? tr(
        '{coins} arrived at address {index}, {address}, which we gave to nobody, {when}: it is not recorded in the ledger. A contract sent it. Block {block}.',
        { coins, index, address, when, block: id },
      )
    : tr(
        '{coins} arrived at address {index}, {address}, which we gave to nobody, {when}: it is not recorded in the ledger. Transaction {transaction}.',
        { coins, index, address, when, transaction: id },
      )
}

const railColumnsAt = (asOf: string): readonly Column<Rail>[] => [
  {
    header: t('Network'),
    cell: ({ rail, network }) => (
      <Lines note={network ?? t('Not offered', {}, 'a network')}>
        <span className="font-medium">{railLabels[rail]}</span>
      </Lines>
    ),
  },
  { header: t('State'), cell: rail => <RailState rail={rail} asOf={asOf} /> },
  {
    header: t('Synced to'),
    cell: ({ cursor }) =>
      cursor === null ? (
        '—'
      ) : (
        <Lines note={t('of {height}', { height: cursor.tipHeight })}>
          {t('Block {height}', { height: cursor.syncedHeight })}
        </Lines>
      ),
  },
  {
    header: t('Last checked'),
    cell: ({ cursor }) => (cursor === null ? '—' : <When at={cursor.polledAt} />),
  },
]

/** Milliseconds without a sync until a network counts as stale; syncs run every few seconds. */
const quietMs = 300_000

function RailState({ rail, asOf }: { rail: Rail; asOf: string }) {
  const { tone, words, note } = stateOf(rail, asOf)
  return (
    <span className="grid gap-2">
      <Lines note={note}>
        <Badge tone={tone}>{words}</Badge>
      </Lines>
      {rail.stopped && (
        <Lines note={<StopNote stopped={rail.stopped} />}>
          <Badge tone="bad">{t('No new addresses')}</Badge>
        </Lines>
      )}
    </span>
  )
}

const stopWords = {
  mark: msg(
    'This machine has shown later addresses than the database knows: it was restored to an earlier time.',
  ),
  server: msg('The database is on another server, and this machine has no record of the addresses shown.'),
  chain: msg(
    'A payment arrived at an address that we gave to nobody: somebody else uses the same key, or the database was restored.',
  ),
}

function StopNote({ stopped: { because, since, knownIndex } }: { stopped: NonNullable<Rail['stopped']> }) {
  return (
    <>
      {translate(stopWords[because])}{' '}
      {knownIndex !== null && `${t('Address {index} is somebody else’s.', { index: knownIndex })} `}
      {tr(
        'Since {when}. Payments to addresses already shown are credited. An operator resumes it (npm run addresses:resume).',
        { when: <When at={since} /> },
      )}
    </>
  )
}

type State = { tone: Tone; words: string; note?: React.ReactNode }

/** The sync state of a network and, if something is wrong, what to do. */
export function stateOf({ watched, receiving, cursor, startError }: Rail, asOf: string): State {
  if (!watched) {
    const note = receiving === null ? t('No address is configured') : t('Payments are approved manually')
    return { tone: 'plain', words: t('Not watched'), note }
  }
  if (cursor === null) {
    if (startError !== null) return failing(startError.error, startError.since, 'reading')
    return { tone: 'wait', words: t('Not synced yet'), note: t('Check that a worker is running.') }
  }
  const { syncError, syncErrorSince, syncErrorKind, halted, syncedHeight, tipHeight, polledAt } = cursor
  if (halted) {
    const note = t(
      '{error}. Nothing is credited until an operator resumes the sync (npm run chain:resume).',
      { error: syncError! },
    )
    return withFailed({ tone: 'bad', words: t('Halted'), note }, cursor)
  }
  if (syncError !== null) return withFailed(failing(syncError, syncErrorSince!, syncErrorKind!), cursor)
  if (hasFailed(cursor))
    return { tone: 'bad', words: t('Partly failing'), note: <FailedNote cursor={cursor} /> }
  if (syncedHeight < tipHeight) {
    const { caughtUpBy } = cursor
    const note =
      caughtUpBy &&
      tr('{count, plural, other {# blocks to read, at this speed until {when}}}', {
        count: tipHeight - syncedHeight,
        when: <When at={caughtUpBy} />,
      })
    return { tone: 'wait', words: t('Catching up'), ...(note && { note }) }
  }
  if (Date.parse(asOf) - Date.parse(polledAt) > quietMs) {
    return { tone: 'bad', words: t('Stale'), note: t('No recent sync. Is a worker running?') }
  }
  return { tone: 'good', words: t('Watched') }
}

function failing(error: string, since: string, kind: SyncErrorKind): State {
  const note = tr('{error}, since {when}. {consequence}', {
    error,
    when: <When at={since} />,
    consequence: translate(untilThen[kind]),
  })
  // Without the mempool, confirmed payments still count.
  return kind === 'unconfirmed'
    ? { tone: 'wait', words: t('Partly failing'), note }
    : { tone: 'bad', words: t('Failing', {}, 'a network'), note }
}

const untilThen: Record<SyncErrorKind, string> = {
  reading: msg('We retry automatically. Until it answers, no payment is credited.'),
  unconfirmed: msg(
    'Confirmed payments are credited. Unconfirmed ones are unknown, so payouts may have to wait.',
  ),
  crediting: msg('We retry automatically. Until it works, no payment is credited; nothing is lost.'),
  payouts: msg('We retry automatically. Payments are credited.'),
}

type Cursor = NonNullable<Rail['cursor']>

function hasFailed({ failedDeposits, failedPayouts }: Cursor): boolean {
  return failedDeposits > 0 || failedPayouts.length > 0
}

/** Adds the note about single failures to a network's error. */
function withFailed(state: State, cursor: Cursor): State {
  if (!hasFailed(cursor)) return state
  const note = (
    <>
      {state.note} <FailedNote cursor={cursor} />
    </>
  )
  return { ...state, tone: 'bad', note }
}

/** The most withdrawals named; the rest is counted. */
const namedPayouts = 3

/** Single failures, and what to avoid until they are resolved. */
function FailedNote({ cursor }: { cursor: Cursor }) {
  const { failedDeposits, failedPayouts, syncError, halted } = cursor
  return (
    <>
      {failedDeposits > 0 && `${failedDepositsWords(failedDeposits, syncError === null)} `}
      {failedPayouts.length > 0 && <>{failedPayoutsWords(failedPayouts, halted)} </>}
      {t('The worker log has the details.')}
    </>
  )
}

function failedDepositsWords(count: number, isRestCredited: boolean): string {
  return isRestCredited
    ? t(
        '{count, plural, one {One deposit could not be credited or reversed; all others were.} other {# deposits could not be credited or reversed; all others were.}}',
        { count },
      )
    : t(
        '{count, plural, one {One deposit could not be credited or reversed.} other {# deposits could not be credited or reversed.}}',
        { count },
      )
}

function failedPayoutsWords(failed: Cursor['failedPayouts'], isHalted: boolean): React.ReactNode {
  const values = { count: failed.length, withdrawals: <Failed payouts={failed} /> }
  return isHalted
    ? tr(
        '{count, plural, one {The payout of {withdrawals} could not be processed. We retry once the sync resumes; until then do not pay it another way.} other {The payout of {withdrawals} could not be processed. We retry once the sync resumes; until then do not pay them another way.}}',
        values,
      )
    : tr(
        '{count, plural, one {The payout of {withdrawals} could not be processed. We retry automatically; until then do not pay it another way.} other {The payout of {withdrawals} could not be processed. We retry automatically; until then do not pay them another way.}}',
        values,
      )
}

/** 'WDR-1, WDR-2, WDR-3 and 2 more', with links. */
function Failed({ payouts }: { payouts: Cursor['failedPayouts'] }) {
  const more = payouts.length - namedPayouts
  const links = payouts.slice(0, namedPayouts).map(({ _id, invoiceId }) => (
    <Link key={_id} className="prose-link" to={consolePaths.withdrawal(_id)}>
      {invoiceId}
    </Link>
  ))
  const named = links.reduce<React.ReactNode>(
    (list, next) => (list === undefined ? next : tr('{list}, {next}', { list, next })),
    undefined,
  )
  return more > 0 ? tr('{withdrawals} and {count, number} more', { withdrawals: named, count: more }) : named
}
