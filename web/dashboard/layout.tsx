import {
  ArrowDownToLine,
  ArrowUpFromLine,
  Book,
  ChartNoAxesColumn,
  CirclePlus,
  History,
  IdCard,
  LayoutDashboard,
  MessagesSquare,
  ReceiptText,
  ShieldCheck,
  Target,
  UserRound,
  UserRoundPlus,
} from 'lucide-react'
import { type ComponentType, memo, useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { useOverview } from '#web/api/overview.ts'
import { useRootState } from '#web/api/root-state.ts'
import { Usd } from '#web/components/amounts.tsx'
import { setAmountsHidden, useHiddenAmounts } from '#web/components/hidden-amounts.ts'
import { Workspace, WorkspaceFallback } from '#web/components/workspace.tsx'
import { useGuard } from '#web/guard.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { IconButton } from '#web/ui/button.tsx'
import { EyeIcon } from '#web/ui/eye.tsx'
import { whenIdle } from '#web/when-idle.ts'
import { preloadDialogs } from './dialogs.tsx'
import { OpenRecord } from './record/open-record.tsx'

export const handle: PageHandle = { hidden: true }

const entries = [
  { to: paths.dashboard.home, label: 'Dashboard', icon: LayoutDashboard },
  { to: paths.dashboard.profile, label: 'Profile', icon: UserRound },
  { to: paths.dashboard.investments, label: 'Investments', icon: ChartNoAxesColumn },
  { to: paths.dashboard.newInvestment, label: 'New Investment', icon: CirclePlus },
  { to: paths.dashboard.deposit, label: 'Manage deposits', icon: ArrowDownToLine },
  { to: paths.dashboard.withdrawals, label: 'Withdraw Funds', icon: ArrowUpFromLine },
  { to: paths.dashboard.history, label: 'Earnings History', icon: History },
  { to: paths.dashboard.statement, label: 'Statement', icon: ReceiptText },
  { to: paths.dashboard.goals, label: 'Goals', icon: Target },
  { to: paths.dashboard.messages, label: 'Messages', icon: MessagesSquare },
  { to: paths.dashboard.referrals, label: 'Referrals', icon: UserRoundPlus },
  { to: paths.dashboard.security, label: 'Security', icon: ShieldCheck },
  { to: paths.dashboard.identity, label: 'Identity', icon: IdCard },
  { to: paths.dashboard.terms, label: 'Terms', icon: Book },
]

/** Layout behind the guard. Shows a placeholder during SSR and until the guard has checked the session. */
export default function DashboardLayout() {
  if (useGuard('dashboard')) return <DashboardWorkspace />
  return (
    <WorkspaceFallback
      label="Opening your account"
      title="Your account"
      purpose="Deposit, invest and withdraw money."
    />
  )
}

/** Memoised, since the guard renders again when it has checked a visit. */
const DashboardWorkspace = memo(function DashboardWorkspace() {
  const [idle, setIdle] = useState<{ Notices: ComponentType }>()
  useEffect(() => {
    whenIdle(() => {
      preloadDialogs()
      import('./after-idle.tsx').then(setIdle, () => {})
    })
  }, [])
  useOverview()
  const hidden = useHiddenAmounts()
  const { name, balance } = useRootState()
  return (
    <Workspace
      label="Dashboard"
      home={paths.dashboard.home}
      entries={entries}
      status={
        <>
          <bdi className="truncate text-ink-soft">{name}</bdi>
          <span>
            <span className="text-ink-faint">Balance </span>
            <Usd value={balance} />
          </span>
          <IconButton
            label="Hide amounts"
            aria-pressed={hidden}
            className="-my-2 -mx-3"
            onClick={() => setAmountsHidden(!hidden)}
          >
            <EyeIcon open={!hidden} />
          </IconButton>
        </>
      }
    >
      {idle && <idle.Notices />}
      <Outlet />
      <OpenRecord />
    </Workspace>
  )
})
