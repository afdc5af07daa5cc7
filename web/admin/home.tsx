import { Link } from 'react-router'
import { newReturn } from '#shared/contract/returns.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { useFocusOnAnchor } from './anchor.ts'
import { ChainsSection } from './chain/overview.tsx'
import { DepositsSection } from './deposits/list.tsx'
import { EarningsSection } from './earnings/list.tsx'
import { GlanceSection } from './home/glance.tsx'
import { WaitingSection } from './home/waiting.tsx'
import { InvestmentsSection } from './investments/list.tsx'
import { ProposalsWaiting } from './proposals/waiting.tsx'
import { ReturnsSummary } from './returns/summary.tsx'
import { mayCall } from './rights.ts'
import { UsersSection } from './users/list.tsx'
import { WithdrawalsSection } from './withdrawals/list.tsx'

export const meta = pageMeta(msg('Admin console'))

/** The console's home (N-01): tasks, recorded returns and the five tables. */
export default function AdminHomePage() {
  const { firm } = useSite()
  useFocusOnAnchor()
  return (
    <>
      <PageHead title={firm.productName} lead={t('Tasks, balances and records.')} />
      <div className="grid grid-cols-1 gap-12">
        <ProposalsWaiting />
        <WaitingSection />
        <GlanceSection />
        <ChainsSection />
        <ReturnsSummary
          title={t('Recorded returns')}
          aside={
            <Link className="prose-link" to={consolePaths.returns}>
              {mayCall(newReturn) ? t('Record a return') : t('View all')}
            </Link>
          }
        />
        <UsersSection />
        <WithdrawalsSection />
        <InvestmentsSection />
        <EarningsSection />
        <DepositsSection />
      </div>
    </>
  )
}
