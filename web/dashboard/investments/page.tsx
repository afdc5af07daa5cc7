import { listOwnInvestments } from '#shared/contract/investments.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useList } from '#web/api/list.ts'
import { usdOrWait } from '#web/components/amounts.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { AllocationByPlan } from '#web/dashboard/charts/allocation.tsx'
import { BalanceFigures, investedNote, useSummary } from '#web/dashboard/home/balances.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Figure, Figures } from '#web/ui/figure.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { InvestmentCard, InvestmentLink } from './card.tsx'
import { UpcomingPrincipal } from './upcoming.tsx'

export const meta = pageMeta(msg('Investments'))

/** The user's investments (D-07). */
export default function InvestmentsPage() {
  return (
    <>
      <PageHead
        title={t('Investments')}
        aside={
          <>
            <LinkButton tone="quiet" to={paths.dashboard.goals}>
              {t('Goals and alerts')}
            </LinkButton>
            <LinkButton to={paths.dashboard.newInvestment}>{t('New investment')}</LinkButton>
          </>
        }
      />
      <BalanceFigures />
      <Totals />
      <Section title={t('Allocation by plan')} className="mb-10">
        <div className="max-w-3xl">
          <AllocationByPlan room="h-96 sm:h-76" />
        </div>
      </Section>
      <UpcomingPrincipal />
      <Section title={t('All investments')}>
        <InvestmentList />
      </Section>
    </>
  )
}

function Totals() {
  const sums = useSummary()?.investments
  return (
    <Figures inLines className="mb-8">
      <Figure label={t('Total')} value={usdOrWait(sums?.total)} note={sums && investedNote(sums)} />
      <Figure label={t('Active')} value={usdOrWait(sums?.active)} note={t('Currently invested')} />
      <Figure label={t('Closed')} value={usdOrWait(sums?.closed)} note={t('Principal returned')} />
    </Figures>
  )
}

function InvestmentList() {
  const list = useList(listOwnInvestments)
  return (
    <ListStates list={list} of={t('your investments')} lines={6} empty={<NoInvestments />}>
      {rows => (
        <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
          {rows.map(investment => (
            <li key={investment._id} className="grid">
              <InvestmentCard
                investment={investment}
                actions={
                  <Cancellable of={{ kind: 'investment', record: investment }}>
                    <InvestmentLink investment={investment} />
                  </Cancellable>
                }
              />
            </li>
          ))}
        </ul>
      )}
    </ListStates>
  )
}

function NoInvestments() {
  return (
    <EmptyState action={<LinkButton to={paths.dashboard.newInvestment}>{t('Choose a plan')}</LinkButton>}>
      {t('You have no investments yet.')}
    </EmptyState>
  )
}
