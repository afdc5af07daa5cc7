import type { ReactNode } from 'react'
import { consoleSummary } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

type Summary = CallData<typeof consoleSummary>
type Flow = { name: string; note: string } & Summary['moneyIn']

/** The books at a glance: money in and out, debts to investors and their coverage. */
export function GlanceSection() {
  const { data, isError, refetch } = useRead(consoleSummary, {})
  return (
    <Section title={t('At a glance')} aside={data && <AsOf at={data.asOf} />}>
      {isError && !data && (
        <FailedState onRetry={() => void refetch()}>{t('The figures could not be loaded.')}</FailedState>
      )}
      {!data && !isError && <Loading label={t('Loading the figures')} lines={6} />}
      {data && (
        <div className="grid gap-6">
          <Flows summary={data} />
          <Owed summary={data} />
        </div>
      )}
    </Section>
  )
}

function AsOf({ at }: { at: string }) {
  return (
    <span className="text-ink-faint text-sm">
      {tr('From the ledger, {when}', { when: <When at={at} /> })}
    </span>
  )
}

const columns = (): readonly Column<Flow>[] => [
  {
    header: t('Money'),
    cell: ({ name, note }) => (
      <span className="grid gap-0.5">
        <span className="font-medium">{name}</span>
        <span className="text-ink-faint text-sm">{note}</span>
      </span>
    ),
  },
  { header: t('Today'), cell: ({ today }) => <Usd value={today} />, numeric: true },
  { header: t('30 days'), cell: ({ thirtyDays }) => <Usd value={thirtyDays} />, numeric: true },
  { header: t('All', {}, 'of all time'), cell: ({ all }) => <Usd value={all} />, numeric: true },
]

function Flows({ summary: { moneyIn, moneyOut } }: { summary: Summary }) {
  const rows: Flow[] = [
    { name: t('Money in'), note: t('Investor deposits credited'), ...moneyIn },
    { name: t('Money out'), note: t('Withdrawals paid'), ...moneyOut },
  ]
  return (
    <>
      <Table
        caption={t('Money in and money out: today, last 30 days, all time')}
        columns={columns()}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <p className="-mt-3 text-ink-faint text-sm">{t('UTC days; 30 days includes today.')}</p>
    </>
  )
}

function Owed({ summary }: { summary: Summary }) {
  const { liabilities, coverage } = summary
  const { available, held, invested, total } = liabilities
  return (
    <>
      <Figures inLines>
        <Figure
          label={t('Owed to investors')}
          value={<Usd value={total} />}
          note={tr('Available {available} + on hold {held} + in plans {invested}', {
            available: <Usd value={available} />,
            held: <Usd value={held} />,
            invested: <Usd value={invested} />,
          })}
        />
        <Figure
          label={t('Assets for investors')}
          value={<Usd value={coverage.assets} />}
          note={covers(coverage)}
        />
      </Figures>
      <CoverageFormula summary={summary} />
    </>
  )
}

const percents = perLanguage(
  ({ numbers }) =>
    new Intl.NumberFormat(numbers, {
      style: 'percent',
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
      useGrouping: false,
    }),
)

/** 102.5 as '102.50%'. */
function percentOf(percent: number): string {
  return percents().format(`${Number(percent.toFixed(2))}e-2` as `${number}`)
}

function covers({ percent }: Summary['coverage']): string {
  return percent === null
    ? t('Nothing owed yet')
    : t('Covers {percent} of what is owed', { percent: percentOf(percent) })
}

/** The coverage formula and its limits. */
function CoverageFormula({ summary }: { summary: Summary }) {
  const { moneyIn, moneyOut, returns, coverage } = summary
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer text-accent">{t('How coverage is calculated')}</summary>
      <div className="mt-2 grid max-w-3xl gap-2 text-ink-soft">
        <p className="tabular-nums">
          {tr('<b>Assets:</b> Money in {in} + recorded returns {returns} − money out {out} = {assets}', {
            b: name,
            in: <Usd value={moneyIn.all} />,
            returns: <Usd value={returns.recorded} />,
            out: <Usd value={moneyOut.all} />,
            assets: <Usd value={coverage.assets} />,
          })}
        </p>
        <p className="tabular-nums">
          {coverage.percent === null
            ? tr('<b>Coverage:</b> Assets ÷ owed to investors: nothing owed yet', { b: name })
            : tr('<b>Coverage:</b> Assets {assets} ÷ owed to investors {owed} = {percent}', {
                b: name,
                assets: <Usd value={coverage.assets} />,
                owed: <Usd value={coverage.liabilities} />,
                percent: percentOf(coverage.percent),
              })}
        </p>
        <p>
          {t(
            'Figures come from the ledger. Coins count at the rate of their payment, not today’s, and wallets aren’t checked: compare with the on-chain balances below and with the firm’s other holdings.',
          )}
        </p>
      </div>
    </details>
  )
}

const name = (words: ReactNode) => <span className="font-medium text-ink">{words}</span>
