import { allocation } from '#shared/contract/ledger.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Cents, Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { ScrollRegion } from '#web/dashboard/scroll-region.tsx'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'
import { ChartFrame, charts, stateOf } from './frame.tsx'
import { Patterns, usePatterns } from './patterns.tsx'
import { type Allocation, percentWords, type Share, sharesOf } from './series.ts'

/** How the user's money is split between plans, available and on hold. */
export function AllocationByPlan({ room = charts.allocation.room }: { room?: string }) {
  const { data, isError, refetch } = useRead(allocation, { query: {} })
  const shares = data && sharesOf(data)
  return (
    <ChartFrame
      {...charts.allocation}
      state={stateOf({ isError, isThere: shares && shares.length > 0 })}
      onRetry={() => void refetch()}
      words={data && <AllocationWords allocation={data} />}
      empty={t(
        'Nothing to show yet. After your first deposit you will see how your money is split between plans.',
      )}
      table={data && shares && <ShareTable shares={shares} total={data.total} />}
      room={room}
    >
      {data && shares && <Shares shares={shares} allocation={data} />}
    </ChartFrame>
  )
}

function AllocationWords({ allocation }: { allocation: Allocation }) {
  const { plans, available, held, total, next } = allocation
  const investments = plans.reduce((sum, plan) => sum + plan.investments, 0)
  const inPlans = plans.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)
  const amounts = {
    inPlans: <Cents cents={inPlans} />,
    total: <Usd value={total} />,
    available: <Usd value={available} />,
    held: <Usd value={held} />,
  }
  return (
    <>
      {investments === 0
        ? tr(
            '{inPlans} of your {total} is in plans; {available} is available and {held} is on hold.',
            amounts,
          )
        : tr(
            '{inPlans} of your {total} is in {count, plural, one {# investment} other {# investments}}; {available} is available and {held} is on hold.',
            { ...amounts, count: investments },
          )}
      {next && (
        <>
          {' '}
          <NextEnding next={next} asOf={allocation.asOf} />
        </>
      )}
    </>
  )
}

/** When principal returns to the balance next. */
function NextEnding({ next, asOf }: { next: NonNullable<Allocation['next']>; asOf: string }) {
  const { investments: count, endingDate, amount } = next
  const day = <When at={endingDate} date />
  const principal = <Usd value={amount} />
  if (endingDate <= asOf) {
    return tr(
      '{count, plural, one {A plan ended on {day}: {principal} of principal returns once we close it.} other {# plans have ended, the first on {day}: {principal} of principal returns once we close them.}}',
      { count, day, principal },
    )
  }
  return tr(
    '{count, plural, one {The next plan ends on {day}, with {principal} of principal.} other {The next # plans end on {day}, with {principal} of principal.}}',
    { count, day, principal },
  )
}

function Shares({
  shares,
  allocation: { total, asOf },
}: {
  shares: readonly Share[]
  allocation: Allocation
}) {
  return (
    <ScrollRegion
      tall
      label={t('How your money is split')}
      className="grid min-h-0 grid-cols-1 content-start gap-4 pe-1"
    >
      <ul className="grid gap-3.5">
        {shares.map(share => (
          <li key={`${share.look} ${share.name}`} className="grid gap-1 text-sm">
            <span className="flex items-baseline justify-between gap-4">
              <span>{share.name}</span>
              <span className="flex items-baseline gap-3">
                <span className="text-ink-faint tabular-nums">{percentWords(share.perMille)}</span>
                <span className="numeral">
                  <Cents cents={share.cents} />
                </span>
              </span>
            </span>
            <Bar share={share} />
          </li>
        ))}
      </ul>
      <details className="text-sm">
        <summary className="prose-link w-fit">{t('How shares are calculated')}</summary>
        <p className="mt-2 text-ink-soft">
          {tr(
            'Share = part ÷ all your money, to one decimal: available, on hold and in plans, as of {moment}. It does not show how much you earned.',
            { moment: <When at={asOf} /> },
          )}
        </p>
        <ul className="mt-1 grid gap-0.5 text-ink-soft tabular-nums">
          {shares.map(share => (
            <li key={`${share.look} ${share.name}`}>
              {share.name}: <Cents cents={share.cents} /> ÷ <Usd value={total} /> ={' '}
              {percentWords(share.perMille)}
            </li>
          ))}
        </ul>
      </details>
    </ScrollRegion>
  )
}

/** A share as a bar. */
function Bar({ share: { perMille, look } }: { share: Share }) {
  const { name, fill } = usePatterns()
  return (
    <svg aria-hidden="true" className="h-4 w-full">
      <Patterns name={name} />
      <rect width="100%" height="16" className="fill-sunken" />
      {/* Keep tiny shares visible. */}
      <rect width={`${Math.max(Number(perMille) / 10, 0.4)}%`} height="16" fill={fill(look)} />
    </svg>
  )
}

const columns: readonly Column<Share>[] = [
  { header: msg('Part'), cell: share => share.name },
  { header: msg('Amount'), cell: share => <Cents cents={share.cents} />, numeric: true },
  { header: msg('Share'), cell: share => percentWords(share.perMille), numeric: true },
]

function ShareTable({ shares, total }: { shares: readonly Share[]; total: number }) {
  return (
    <>
      <Table
        caption={t('Where your money is, by plan')}
        columns={columns}
        rows={shares}
        keyOf={share => `${share.look} ${share.name}`}
      />
      <p className="py-2 text-ink-faint text-sm">
        {tr('Share = amount ÷ {total}, all your money.', { total: <Usd value={total} /> })}
      </p>
    </>
  )
}
