import {
  ArrowDownToLine,
  ArrowUpFromLine,
  Ban,
  BookOpenCheck,
  Building2,
  ChartLine,
  ChartNoAxesColumn,
  Coins,
  IdCard,
  Layers,
  LayoutDashboard,
  Mail,
  Megaphone,
  MessageSquareText,
  NotebookText,
  Palette,
  Plug,
  Radar,
  Scale,
  ScrollText,
  Send,
  ShieldCheck,
  SlidersHorizontal,
  Stamp,
  TrendingUp,
  UserRound,
  Users,
  UsersRound,
  Vault,
  Waves,
} from 'lucide-react'
import { useEffect } from 'react'
import { Outlet, useLocation } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type Right, roleNames } from '#shared/roles.ts'
import { useRead } from '#web/api/read.ts'
import { Workspace, type WorkspaceEntry, WorkspaceFallback } from '#web/components/workspace.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useGuard } from '#web/guard.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { registerWorker } from '#web/register-worker.ts'
import { whenIdle } from '#web/when-idle.ts'
import { LatestNotice } from './actions/latest-notice.tsx'
import { OpenAction } from './actions/open-action.tsx'
import { NoAccess } from './no-access.tsx'
import { mayHere } from './rights.ts'
import { ConsoleSearch } from './search/console-search.tsx'

export const handle: PageHandle = { hidden: true }

/** Menu pages with the right each needs; account pages need none. */
const entries: readonly (WorkspaceEntry & { right?: Right })[] = [
  { to: paths.admin.home, label: msg('Console'), icon: LayoutDashboard, right: 'console' },
  { to: consolePaths.users, label: msg('Users'), icon: Users, right: 'console' },
  { to: consolePaths.deposits, label: msg('Deposits'), icon: ArrowDownToLine, right: 'console' },
  { to: consolePaths.withdrawals, label: msg('Withdrawals'), icon: ArrowUpFromLine, right: 'console' },
  { to: consolePaths.investments, label: msg('Investments'), icon: TrendingUp, right: 'console' },
  { to: consolePaths.earnings, label: msg('Earnings'), icon: Coins, right: 'console' },
  { to: consolePaths.payouts, label: msg('Payouts'), icon: Send, right: 'console' },
  { to: consolePaths.returns, label: msg('Recorded returns'), icon: BookOpenCheck, right: 'console' },
  { to: consolePaths.identity, label: msg('Identity'), icon: IdCard, right: 'identity' },
  { to: consolePaths.monitoring, label: msg('Monitoring'), icon: Radar, right: 'console' },
  { to: consolePaths.screening, label: msg('Screening'), icon: Ban, right: 'console' },
  { to: consolePaths.prices, label: msg('Prices'), icon: ChartLine, right: 'console' },
  { to: consolePaths.publicProof, label: msg('Public proof'), icon: Stamp, right: 'console' },
  { to: consolePaths.cashFlow, label: msg('Cash flow'), icon: Waves, right: 'console' },
  { to: consolePaths.journal, label: msg('Journal'), icon: NotebookText, right: 'books' },
  { to: consolePaths.reserves, label: msg('Reserves'), icon: Vault, right: 'manage' },
  { to: consolePaths.plans, label: msg('Plans'), icon: Layers, right: 'manage' },
  { to: consolePaths.firm, label: msg('Firm'), icon: Building2, right: 'manage' },
  { to: consolePaths.statistics, label: msg('Statistics'), icon: ChartNoAxesColumn, right: 'manage' },
  { to: consolePaths.announcements, label: msg('Announcements'), icon: Megaphone, right: 'manage' },
  { to: consolePaths.policies, label: msg('Policies'), icon: Scale, right: 'manage' },
  { to: consolePaths.messages, label: msg('Messages'), icon: Mail, right: 'care' },
  { to: consolePaths.answers, label: msg('Prepared answers'), icon: MessageSquareText, right: 'care' },
  { to: consolePaths.audit, label: msg('Audit log'), icon: ScrollText, right: 'log' },
  { to: consolePaths.staff, label: msg('Staff'), icon: UsersRound, right: 'manage' },
  { to: consolePaths.integrations, label: msg('Integrations'), icon: Plug, right: 'manage' },
  { to: consolePaths.brand, label: msg('Brand'), icon: Palette, right: 'manage' },
  { to: consolePaths.settings, label: msg('Settings'), icon: SlidersHorizontal, right: 'manage' },
  { to: paths.admin.profile, label: msg('Profile'), icon: UserRound },
  { to: paths.admin.security, label: msg('Security'), icon: ShieldCheck },
]

/** Layout behind the guard. Shows a placeholder during SSR and until the guard has checked the session. */
export default function AdminLayout() {
  if (useGuard('admin')) return <AdminWorkspace />
  return (
    <WorkspaceFallback
      label={t('Opening the console')}
      title={t('Admin console')}
      purpose={t('The firm’s staff review payments, investments, withdrawals and accounts here.')}
    />
  )
}

function isOpen({ right }: { right?: Right }): boolean {
  return right === undefined || mayHere(right)
}

/** Pages outside the menu (an investment) need the console's right. */
function isPageOpen(pathname: string): boolean {
  return isOpen(entries.find(({ to }) => to === pathname) ?? { right: 'console' })
}

/** Scrolls the sidebar, never the page, to the entry of this page: there are more than a window holds. */
function showCurrent() {
  const entry = document.querySelector('aside nav [aria-current]')
  const nav = entry?.closest('nav')
  if (!entry || !nav) return
  const [place, room] = [entry.getBoundingClientRect(), nav.getBoundingClientRect()]
  nav.scrollTop += Math.min(place.top - room.top, 0) + Math.max(place.bottom - room.bottom, 0)
}

function AdminWorkspace() {
  const { pathname } = useLocation()
  const { data: user } = useRead(me, {})
  const open = entries.filter(isOpen).map(entry => ({ ...entry, label: translate(entry.label) }))
  useEffect(() => whenIdle(registerWorker), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page is another one.
  useEffect(showCurrent, [pathname])
  return (
    <Workspace
      label={t('Admin console')}
      home={paths.admin.home}
      entries={open}
      status={
        <>
          <ConsoleSearch pages={open} />
          <span className="truncate text-ink-soft">
            <bdi>{user?.name}</bdi>
            {user?.role && <span className="text-ink-faint"> · {translate(roleNames[user.role])}</span>}
          </span>
        </>
      }
    >
      {isPageOpen(pathname) ? <Outlet /> : <NoAccess />}
      <LatestNotice />
      <OpenAction />
    </Workspace>
  )
}
