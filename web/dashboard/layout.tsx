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
import { msg, t } from '#shared/i18n/t.ts'
import { useOverview } from '#web/api/overview.ts'
import { useRootState } from '#web/api/root-state.ts'
import { Usd } from '#web/components/amounts.tsx'
import { setAmountsHidden, useHiddenAmounts } from '#web/components/hidden-amounts.ts'
import { Workspace, WorkspaceFallback } from '#web/components/workspace.tsx'
import { useGuard } from '#web/guard.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { IconButton } from '#web/ui/button.tsx'
import { EyeIcon } from '#web/ui/eye.tsx'
import { whenIdle } from '#web/when-idle.ts'
import { preloadDialogs } from './dialogs.tsx'
import { OpenRecord } from './record/open-record.tsx'

export const handle: PageHandle = { hidden: true }

const entries = [
  { to: paths.dashboard.home, label: msg('Dashboard'), icon: LayoutDashboard },
  { to: paths.dashboard.profile, label: msg('Profile'), icon: UserRound },
  { to: paths.dashboard.investments, label: msg('Investments'), icon: ChartNoAxesColumn },
  { to: paths.dashboard.newInvestment, label: msg('New Investment'), icon: CirclePlus },
  { to: paths.dashboard.deposit, label: msg('Manage deposits'), icon: ArrowDownToLine },
  { to: paths.dashboard.withdrawals, label: msg('Withdraw Funds'), icon: ArrowUpFromLine },
  { to: paths.dashboard.history, label: msg('Earnings History'), icon: History },
  { to: paths.dashboard.statement, label: msg('Statement'), icon: ReceiptText },
  { to: paths.dashboard.goals, label: msg('Goals'), icon: Target },
  { to: paths.dashboard.messages, label: msg('Messages'), icon: MessagesSquare },
  { to: paths.dashboard.referrals, label: msg('Referrals'), icon: UserRoundPlus },
  { to: paths.dashboard.security, label: msg('Security'), icon: ShieldCheck },
  { to: paths.dashboard.identity, label: msg('Identity'), icon: IdCard },
  { to: paths.dashboard.terms, label: msg('Terms'), icon: Book },
]

/** Layout behind the guard. Shows a placeholder during SSR and until the guard has checked the session. */
export default function DashboardLayout() {
  if (useGuard('dashboard')) return <DashboardWorkspace />
  return (
    <WorkspaceFallback
      label={t('Opening your account')}
      title={t('Your account')}
      purpose={t('Deposit, invest and withdraw money.')}
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
      label={t('Dashboard')}
      home={paths.dashboard.home}
      entries={entries}
      status={
        <>
          <bdi className="truncate text-ink-soft">{name}</bdi>
          <span>
            {tr('<label>Balance </label>{amount}', {
              label: words => <span className="text-ink-faint">{words}</span>,
              amount: <Usd value={balance} />,
            })}
          </span>
          <IconButton
            label={t('Hide amounts')}
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
