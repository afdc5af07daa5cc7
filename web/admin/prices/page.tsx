import type { CallData } from '#shared/contract/define.ts'
import { listPriceSources } from '#shared/contract/site.ts'
import { agreeingPriceSources, priceDeviationPercent } from '#shared/limits.ts'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { useRead } from '#web/api/read.ts'
import { ageWords, priceStateWords, sourceName } from '#web/components/prices.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'
import { cx } from '#web/ui/cx.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

export const meta = pageMeta('Prices')

/** Polling interval in milliseconds; sources are queried every minute. */
const everyMs = 20_000

type Prices = CallData<typeof listPriceSources>
type Source = Prices['sources'][number]
type Coin = Prices['coins'][number]

/** Price sources (C-30): their state and readings. */
export default function PricesPage() {
  const { data, isError, refetch } = useRead(listPriceSources, {}, { every: everyMs })
  return (
    <>
      <PageHead
        title="Prices"
        lead="Where payment rates come from. We query each source every minute and pause one that fails."
      />
      {!data && !isError && <Loading label="Loading the prices" lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>The prices could not be loaded.</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section title="Sources" aside={<AsOf at={data.asOf} />}>
            {data.sources.length === 0 ? (
              <EmptyState>
                No price source is configured, so we can only quote coins with a fixed rate.
              </EmptyState>
            ) : (
              <Table
                caption="Price sources"
                columns={sourceColumns}
                rows={data.sources}
                keyOf={({ source }) => source}
              />
            )}
          </Section>
          <Section title="Coins">
            <Rule sources={data.sources.length} />
            <Table
              caption="Coin prices, and each source’s reading"
              columns={coinColumns}
              rows={data.coins}
              keyOf={({ symbol }) => symbol}
            />
          </Section>
        </div>
      )}
    </>
  )
}

function AsOf({ at }: { at: string }) {
  return (
    <span className="text-ink-faint text-sm">
      As of <When at={at} />
    </span>
  )
}

function Rule({ sources }: { sources: number }) {
  const needed = Math.min(agreeingPriceSources, sources)
  return (
    <p className="mb-4 max-w-3xl text-ink-soft text-sm">
      A price is the median of the sources that agree: more than half must be within {priceDeviationPercent}%
      of the middle reading. We quote only at good prices
      {needed > 1 && `, which needs ${needed} sources`}.
    </p>
  )
}

const sourceColumns: readonly Column<Source>[] = [
  {
    header: 'Source',
    cell: ({ source, sample }) => (
      <span className="font-medium">{sample ? 'Sample series' : sourceName(source)}</span>
    ),
  },
  { header: 'State', cell: source => <SourceState source={source} /> },
  {
    header: 'Last reading',
    cell: ({ reading }) =>
      reading === null ? (
        '—'
      ) : (
        <RecordCell note={<When at={reading.at} />}>{ageWords(reading.ageSeconds)} old</RecordCell>
      ),
  },
  {
    header: 'Last error',
    cell: ({ fault }) =>
      fault === null ? 'None' : <RecordCell note={<When at={fault.at} />}>{capital(fault.words)}</RecordCell>,
  },
]

function SourceState({ source }: { source: Source }) {
  const { failures, restUntil } = source
  const [tone, words] = stateOf(source)
  if (failures === 0) return <Badge tone={tone}>{words}</Badge>
  return (
    <RecordCell
      note={
        <>
          {failures} {failures === 1 ? 'failure' : 'failures'} in a row
          {source.breaker === 'open' && restUntil !== null && (
            <>
              , until <When at={restUntil} />
            </>
          )}
        </>
      }
    >
      <Badge tone={tone}>{words}</Badge>
    </RecordCell>
  )
}

function stateOf({ sample, breaker, failures, askedAt }: Source): [Tone, string] {
  if (sample) return ['plain', 'Sample data, not a market']
  if (askedAt === null) return ['plain', 'Not queried yet']
  if (breaker === 'open') return ['bad', 'Paused']
  if (breaker === 'half_open') return ['wait', 'Retrying next']
  return failures === 0 ? ['good', 'OK'] : ['wait', 'Failing']
}

const coinColumns: readonly Column<Coin>[] = [
  {
    header: 'Coin',
    cell: ({ name, symbol }) => (
      <span className="whitespace-nowrap">
        <span className="font-medium">{name}</span> <span className="text-ink-faint text-xs">{symbol}</span>
      </span>
    ),
  },
  {
    header: 'Price',
    cell: ({ usd }) => <span className="tabular-nums">{usd === null ? '—' : `$${usd}`}</span>,
    numeric: true,
  },
  { header: 'State', cell: ({ state }) => <CoinState state={state} /> },
  { header: 'Readings by source', cell: coin => <Readings coin={coin} /> },
]

function CoinState({ state }: { state: Coin['state'] }) {
  if (state === null) return <Badge tone="bad">No price</Badge>
  const tone = state === 'good' ? 'good' : state === 'disputed' ? 'bad' : 'wait'
  return <Badge tone={tone}>{capital(priceStateWords[state])}</Badge>
}

function Readings({ coin: { readings } }: { coin: Coin }) {
  if (readings.length === 0) return '—'
  return (
    <ul className="flex flex-wrap justify-end gap-x-5 gap-y-1 text-sm sm:justify-start">
      {readings.map(({ source, usd, ageSeconds, standing }) => (
        <li key={source} className="text-right sm:text-left">
          <span className="whitespace-nowrap text-ink-soft">{shortName(source)}</span>{' '}
          <span className="tabular-nums">${usd}</span>{' '}
          <span className="whitespace-nowrap text-ink-faint text-xs">{ageWords(ageSeconds)}</span>
          {standing !== 'counted' && (
            <span className={cx('ml-1.5 text-xs', standing === 'stale' ? 'text-wait' : 'text-bad')}>
              {standing}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function shortName(source: string): string {
  return source.startsWith('Sample series') ? 'Sample series' : sourceName(source)
}
