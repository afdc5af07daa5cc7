import {
  ArrowDownToLine,
  ArrowUpFromLine,
  ChartNoAxesColumn,
  CirclePlus,
  Eye,
  EyeOff,
  History,
  LayoutDashboard,
  ReceiptText,
  ShieldCheck,
  UserRound,
} from 'lucide-react'
import { useEffect } from 'react'
import { type ClientLoaderFunctionArgs, Outlet } from 'react-router'
import { useOverview } from '#web/api/overview.ts'
import { useRootState } from '#web/api/root-state.ts'
import { Usd } from '#web/components/amounts.tsx'
import { setAmountsHidden, useHiddenAmounts } from '#web/components/hidden-amounts.ts'
import { Workspace, WorkspaceFallback } from '#web/components/workspace.tsx'
import { requireSession } from '#web/guard.ts'
import { useIntent } from '#web/intent.ts'
import { paths } from '#web/paths.ts'
import { preloadPages, whenIdle } from '#web/preload.ts'
import type { RouteHandle } from '#web/root.tsx'
import { IconButton } from '#web/ui/button.tsx'
import { preloadDialogs } from './dialogs.tsx'
import { OpenRecord } from './record/open-record.tsx'

export const handle: RouteHandle = { hidden: true }

export async function clientLoader({ request }: ClientLoaderFunctionArgs) {
  await requireSession(request)
  return null
}
clientLoader.hydrate = true as const

/** Nothing of it is needed at first sight. */
const loadReads = () => import('./reads.ts')

/** The guard looks at every visit of every page. */
export const shouldRevalidate = () => true

export function HydrateFallback() {
  return <WorkspaceFallback label="Opening your account" />
}

const entries = [
  { to: paths.dashboard.home, label: 'Dashboard', icon: LayoutDashboard },
  { to: paths.dashboard.profile, label: 'Profile', icon: UserRound },
  { to: paths.dashboard.investments, label: 'Investments', icon: ChartNoAxesColumn },
  { to: paths.dashboard.newInvestment, label: 'New Investment', icon: CirclePlus },
  { to: paths.dashboard.deposit, label: 'Manage deposits', icon: ArrowDownToLine },
  { to: paths.dashboard.withdrawals, label: 'Withdraw Funds', icon: ArrowUpFromLine },
  { to: paths.dashboard.history, label: 'Earnings History', icon: History },
  { to: paths.dashboard.statement, label: 'Statement', icon: ReceiptText },
  { to: paths.dashboard.security, label: 'Security', icon: ShieldCheck },
]

export default function DashboardLayout() {
  useEffect(() => {
    preloadPages('dashboard')
    whenIdle(preloadDialogs)
  }, [])
  useIntent(loadReads)
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
          <span className="truncate text-ink-soft">{name}</span>
          <span>
            <span className="text-ink-faint">Balance </span>
            <Usd value={balance} />
          </span>
          <IconButton
            label="Hide amounts"
            aria-pressed={hidden}
            className="-my-2 -mx-3 shrink-0"
            onClick={() => setAmountsHidden(!hidden)}
          >
            {hidden ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
          </IconButton>
        </>
      }
    >
      <Outlet />
      <OpenRecord />
    </Workspace>
  )
}
