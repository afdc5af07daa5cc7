import { Fragment } from 'react'
import { Link } from 'react-router'
import { chainOverview } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { SyncErrorKind } from '#shared/contract/entities.ts'
import { formatUsd, usdFromJson, withCommas } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Amount, Cents, Usd } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Overview = CallData<typeof chainOverview>
type AssetRow = Overview['assets'][number]
export type Rail = Overview['rails'][number]

/** What lies on the chains beside what the books say, and how each network is watched. */
export function ChainsSection() {
  const { data, isError, refetch } = useRead(chainOverview, {}, { every: 60_000 })
  return (
    <Section title="On the chains" anchor="chains">
      {isError && !data && (
        <FailedState onRetry={() => void refetch()}>What lies on the chains could not be loaded.</FailedState>
      )}
      {!data && !isError && <Loading label="Loading what lies on the chains" lines={6} />}
      {data && (
        <div className="grid gap-6">
          <Table
            wide
            caption="Coins on the chains and in the books"
            columns={assetColumns}
            rows={data.assets}
            keyOf={({ asset }) => asset}
          />
          <Against overview={data} />
          <Table
            wide
            caption="How each network is watched"
            columns={railColumnsAt(data.asOf)}
            rows={data.rails}
            keyOf={({ method }) => method}
          />
        </div>
      )}
    </Section>
  )
}

function Coins({ amount, asset }: { amount: string; asset: string }) {
  return <Amount>{`${withCommas(shortDecimal(amount))} ${asset}`}</Amount>
}

const assetColumns: readonly Column<AssetRow>[] = [
  { header: 'Coin', cell: ({ asset }) => <span className="whitespace-nowrap font-medium">{asset}</span> },
  { header: 'On watched addresses', cell: row => <OnChain row={row} /> },
  { header: 'In the books', cell: row => <InBooks row={row} /> },
  {
    header: 'Difference',
    cell: ({ difference, asset }) =>
      difference === null ? 'Not known' : <Coins amount={difference} asset={asset} />,
  },
  { header: 'Rate', cell: row => <RateOf row={row} /> },
]

function Lines({ children, note }: { children: React.ReactNode; note: React.ReactNode }) {
  return (
    <span className="grid justify-items-end gap-0.5 tabular-nums sm:justify-items-start">
      {children}
      {note && <span className="text-ink-faint text-sm">{note}</span>}
    </span>
  )
}

function OnChain({ row: { asset, onChain } }: { row: AssetRow }) {
  if (onChain === null) return <span className="text-ink-soft">Nothing was read</span>
  const { amountCrypto, amount, addresses, at } = onChain
  return (
    <Lines
      note={
        <>
          {amount !== null && <Usd value={amount} />} at{' '}
          {addresses === 1 ? '1 address' : `${addresses} addresses`}, <When at={at} />
        </>
      }
    >
      <Coins amount={amountCrypto} asset={asset} />
    </Lines>
  )
}

function InBooks({ row: { asset, inBooks, inBooksUsd, received, paidOut } }: { row: AssetRow }) {
  return (
    <Lines
      note={
        <>
          {inBooksUsd !== null && (
            <>
              <Usd value={inBooksUsd} />:{' '}
            </>
          )}
          received <Coins amount={received} asset={asset} /> − paid out{' '}
          <Coins amount={paidOut} asset={asset} />
        </>
      }
    >
      <Coins amount={inBooks} asset={asset} />
    </Lines>
  )
}

function RateOf({ row: { asset, rate } }: { row: AssetRow }) {
  if (rate === null) return 'None'
  return (
    <Lines
      note={
        <>
          {rate.source}
          {asset === 'USDT' ? (
            '; each counts as $1.00'
          ) : (
            <>
              , <When at={rate.at} />
              {rate.stale && ', too old or disputed'}
            </>
          )}
        </>
      }
    >
      {`$${rate.rate}`}
    </Lines>
  )
}

/** All that was read, in dollars, against what is owed; and what these figures do not say. */
function Against({ overview }: { overview: Overview }) {
  const { assets, liabilities, paidByHand, stray } = overview
  const known = assets.flatMap(({ onChain }) =>
    onChain?.amount == null ? [] : [usdFromJson(onChain.amount)!],
  )
  return (
    <div className="grid max-w-3xl gap-2 text-ink-soft text-sm">
      <p className="tabular-nums">
        <span className="font-medium text-ink">On watched addresses:</span>{' '}
        {known.length === 0 ? (
          'nothing was read.'
        ) : (
          <>
            <Cents cents={known.reduce((a, b) => a + b, 0n)} /> at the rates above.
          </>
        )}{' '}
        <span className="font-medium text-ink">Owed to investors:</span> <Usd value={liabilities} />.
      </p>
      <p>
        Watched are addresses of an extended key that something was paid to, their change, and the addresses
        that payouts are sent from. What lies at a fixed payment address or in a cold wallet is not on watched
        addresses.
      </p>
      {paidByHand.count > 0 && (
        <p>
          {paidByHand.count === 1 ? '1 withdrawal' : `${paidByHand.count} withdrawals`} (
          {formatUsd(usdFromJson(paidByHand.amount)!)}) were paid without a fixed amount in a coin: what left
          for them is in no figure here.
        </p>
      )}
      {stray.map(({ token, amountCrypto }) => (
        <p key={token}>
          <Coins amount={amountCrypto} asset={token} /> lies on watched addresses although nobody is asked for{' '}
          {token}: it is in no book.
        </p>
      ))}
    </div>
  )
}

const railColumnsAt = (asOf: string): readonly Column<Rail>[] => [
  {
    header: 'Network',
    cell: ({ method, network }) => (
      <Lines note={network ?? 'Not offered'}>
        <span className="font-medium">{methodLabel(method)}</span>
      </Lines>
    ),
  },
  { header: 'State', cell: rail => <RailState rail={rail} asOf={asOf} /> },
  {
    header: 'Read up to',
    cell: ({ cursor }) =>
      cursor === null ? '—' : <Lines note={`of ${cursor.tipHeight}`}>{`Block ${cursor.syncedHeight}`}</Lines>,
  },
  { header: 'Last look', cell: ({ cursor }) => (cursor === null ? '—' : <When at={cursor.polledAt} />) },
]

/** A network that is well is looked at every few seconds. In milliseconds. */
const quietMs = 300_000

function RailState({ rail, asOf }: { rail: Rail; asOf: string }) {
  const { tone, words, note } = stateOf(rail, asOf)
  return (
    <Lines note={note}>
      <Badge tone={tone}>{words}</Badge>
    </Lines>
  )
}

type State = { tone: Tone; words: string; note?: React.ReactNode }

/** How a network is watched and, where it is not as it should be, what to do. */
export function stateOf({ watched, receiving, cursor, startError }: Rail, asOf: string): State {
  if (!watched) {
    const note = receiving === null ? 'No address is configured' : 'Payments are approved by hand'
    return { tone: 'plain', words: 'Not watched', note }
  }
  if (cursor === null) {
    if (startError !== null) return failing(startError.error, startError.since, 'reading')
    return { tone: 'wait', words: 'Not looked at yet', note: 'A worker looks at it: is one running?' }
  }
  const { syncError, syncErrorSince, syncErrorKind, halted, syncedHeight, tipHeight, polledAt } = cursor
  if (halted) {
    const note = `${syncError}. Nothing is credited until an operator has it read again (npm run chain:resume).`
    return withFailed({ tone: 'bad', words: 'Stopped', note }, cursor)
  }
  if (syncError !== null) return withFailed(failing(syncError, syncErrorSince!, syncErrorKind!), cursor)
  if (hasFailed(cursor))
    return { tone: 'bad', words: 'Failing in part', note: <FailedNote cursor={cursor} /> }
  if (syncedHeight < tipHeight) return { tone: 'wait', words: 'Catching up' }
  if (Date.parse(asOf) - Date.parse(polledAt) > quietMs) {
    return { tone: 'bad', words: 'Not looked at', note: 'Nobody looks at it any more: is a worker running?' }
  }
  return { tone: 'good', words: 'Watched' }
}

function failing(error: string, since: string, kind: SyncErrorKind): State {
  const note = (
    <>
      {error}, since <When at={since} />. {untilThen[kind]}
    </>
  )
  // Blocks are what money counts by.
  return kind === 'unconfirmed'
    ? { tone: 'wait', words: 'Failing in part', note }
    : { tone: 'bad', words: 'Failing', note }
}

const untilThen: Record<SyncErrorKind, string> = {
  reading: 'It is asked again by itself; until it answers, nothing that comes is credited.',
  unconfirmed:
    'Its blocks are read, and what is confirmed is credited. What waits for a block is not known, and payouts may have to wait for that.',
  crediting: 'It is tried again by itself; until then nothing that comes is credited, and nothing is lost.',
  payouts: 'It is tried again by itself; what comes is credited.',
}

type Cursor = NonNullable<Rail['cursor']>

function hasFailed({ failedDeposits, failedPayouts }: Cursor): boolean {
  return failedDeposits > 0 || failedPayouts.length > 0
}

/** What not to do meanwhile is said also where the whole network is at fault: then the more so. */
function withFailed(state: State, cursor: Cursor): State {
  if (!hasFailed(cursor)) return state
  const note = (
    <>
      {state.note} <FailedNote cursor={cursor} />
    </>
  )
  return { ...state, tone: 'bad', note }
}

/** Withdrawals that are named; of more it is said how many there are. */
const namedPayouts = 3

/** What could not be assessed although the rest was, and what not to do meanwhile. */
function FailedNote({ cursor }: { cursor: Cursor }) {
  const { failedDeposits: deposits, failedPayouts, syncError, halted } = cursor
  const named = failedPayouts.slice(0, namedPayouts)
  const more = failedPayouts.length - named.length
  return (
    <>
      {deposits > 0 &&
        `${deposits === 1 ? 'One deposit' : `${deposits} deposits`} could not be credited or taken back${syncError === null ? '; all others are' : ''}. `}
      {named.length > 0 && (
        <>
          What its network shows of the payout of{' '}
          {named.map(({ _id, invoiceId }, place) => (
            <Fragment key={_id}>
              {place > 0 && ', '}
              <Link className="prose-link" to={paths.admin.withdrawal(_id)}>
                {invoiceId}
              </Link>
            </Fragment>
          ))}
          {more > 0 && ` and ${more} more`} could not be written down. It is tried again{' '}
          {halted ? 'once the network is read again' : 'by itself'}: until then do not pay{' '}
          {failedPayouts.length === 1 ? 'it' : 'them'} in another way.{' '}
        </>
      )}
      The log of the worker says why.
    </>
  )
}
