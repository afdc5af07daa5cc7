import type { CallData } from '#shared/contract/define.ts'
import { listPriceSources } from '#shared/contract/site.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { agreeingPriceSources, priceDeviationPercent } from '#shared/limits.ts'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { useRead } from '#web/api/read.ts'
import { ageWords, priceStateWords, sourceName } from '#web/components/prices.ts'
import { When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'
import { cx } from '#web/ui/cx.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

export const meta = pageMeta(msg('Prices'))

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
        title={t('Prices')}
        lead={t('Where payment rates come from. We query each source every minute and pause one that fails.')}
      />
      {!data && !isError && <Loading label={t('Loading the prices')} lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The prices could not be loaded.')}</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section title={t('Sources')} aside={<AsOf at={data.asOf} />}>
            {data.sources.length === 0 ? (
              <EmptyState>
                {t('No price source is configured, so we can only quote coins with a fixed rate.')}
              </EmptyState>
            ) : (
              <Table
                caption={t('Price sources')}
                columns={sourceColumns()}
                rows={data.sources}
                keyOf={({ source }) => source}
              />
            )}
          </Section>
          <Section title={t('Coins')}>
            <Rule sources={data.sources.length} />
            <Table
              caption={t('Coin prices, and each source’s reading')}
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
  return <span className="text-ink-faint text-sm">{tr('As of {when}', { when: <When at={at} /> })}</span>
}

function Rule({ sources }: { sources: number }) {
  const needed = Math.min(agreeingPriceSources, sources)
  return (
    <p className="mb-4 max-w-3xl text-ink-soft text-sm">
      {needed > 1
        ? t(
            'A price is the median of the sources that agree: more than half must be within {percent}% of the middle reading. We quote only at good prices, which needs {needed, plural, one {# source} other {# sources}}.',
            { percent: priceDeviationPercent, needed },
          )
        : t(
            'A price is the median of the sources that agree: more than half must be within {percent}% of the middle reading. We quote only at good prices.',
            { percent: priceDeviationPercent },
          )}
    </p>
  )
}

const sourceColumns = (): readonly Column<Source>[] => [
  {
    header: t('Source', {}, 'of prices'),
    cell: ({ source, sample }) => (
      <span className="font-medium">{sample ? t('Sample series') : sourceName(source)}</span>
    ),
  },
  { header: t('State'), cell: source => <SourceState source={source} /> },
  {
    header: t('Last reading'),
    cell: ({ reading }) =>
      reading === null ? (
        '—'
      ) : (
        <RecordCell note={<When at={reading.at} />}>
          {t('{age} old', { age: ageWords(reading.ageSeconds) })}
        </RecordCell>
      ),
  },
  {
    header: t('Last error'),
    cell: ({ fault }) =>
      fault === null ? (
        t('None', {}, 'no error')
      ) : (
        <RecordCell note={<When at={fault.at} />}>{capital(fault.words)}</RecordCell>
      ),
  },
]

function SourceState({ source }: { source: Source }) {
  const { failures, restUntil } = source
  const [tone, words] = stateOf(source)
  if (failures === 0) return <Badge tone={tone}>{words}</Badge>
  return (
    <RecordCell
      note={
        source.breaker === 'open' && restUntil !== null
          ? tr('{failures, plural, one {# failure in a row} other {# failures in a row}}, until {time}', {
              failures,
              time: <When at={restUntil} />,
            })
          : t('{failures, plural, one {# failure in a row} other {# failures in a row}}', { failures })
      }
    >
      <Badge tone={tone}>{words}</Badge>
    </RecordCell>
  )
}

function stateOf({ sample, breaker, failures, askedAt }: Source): [Tone, string] {
  if (sample) return ['plain', t('Sample data, not a market')]
  if (askedAt === null) return ['plain', t('Not queried yet')]
  if (breaker === 'open') return ['bad', t('Paused')]
  if (breaker === 'half_open') return ['wait', t('Retrying next')]
  return failures === 0 ? ['good', t('OK')] : ['wait', t('Failing')]
}

const coinColumns: readonly Column<Coin>[] = [
  {
    header: msg('Coin'),
    cell: ({ name, symbol }) => (
      <span className="whitespace-nowrap">
        <span className="font-medium">{name}</span> <span className="text-ink-faint text-xs">{symbol}</span>
      </span>
    ),
  },
  {
    header: msg('Price'),
    cell: ({ usd }) => <span className="tabular-nums">{usd === null ? '—' : localRate(usd)}</span>,
    numeric: true,
  },
  { header: msg('State'), cell: ({ state }) => <CoinState state={state} /> },
  { header: msg('Readings by source'), cell: coin => <Readings coin={coin} /> },
]

function standingWords(standing: Exclude<Coin['readings'][number]['standing'], 'counted'>): string {
  if (standing === 'rejected') return t('rejected', {}, 'a reading of a price')
  return standing === 'stale' ? t('stale') : t('disputed')
}

function CoinState({ state }: { state: Coin['state'] }) {
  if (state === null) return <Badge tone="bad">{t('No price')}</Badge>
  const tone = state === 'good' ? 'good' : state === 'disputed' ? 'bad' : 'wait'
  return <Badge tone={tone}>{capital(translate(priceStateWords[state]))}</Badge>
}

function Readings({ coin: { readings } }: { coin: Coin }) {
  if (readings.length === 0) return '—'
  return (
    <ul className="flex flex-wrap justify-end gap-x-5 gap-y-1 text-sm sm:justify-start">
      {readings.map(({ source, usd, ageSeconds, standing }) => (
        <li key={source} className="text-end sm:text-start">
          <span className="whitespace-nowrap text-ink-soft">{shortName(source)}</span>{' '}
          <span className="tabular-nums">{localRate(usd)}</span>{' '}
          <span className="whitespace-nowrap text-ink-faint text-xs">{ageWords(ageSeconds)}</span>
          {standing !== 'counted' && (
            <span className={cx('ms-1.5 text-xs', standing === 'stale' ? 'text-wait' : 'text-bad')}>
              {standingWords(standing)}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function shortName(source: string): string {
  return source.startsWith('Sample series') ? t('Sample series') : sourceName(source)
}
