import {
  BookOpenCheck,
  Layers,
  LayoutDashboard,
  Mail,
  ScrollText,
  ShieldCheck,
  UserRound,
} from 'lucide-react'
import { useEffect } from 'react'
import { Outlet } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { useRead } from '#web/api/read.ts'
import { Workspace, WorkspaceFallback } from '#web/components/workspace.tsx'
import { useGuard } from '#web/guard.ts'
import { useIntent } from '#web/intent.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { preloadPages } from '#web/preload.ts'

export const handle: PageHandle = { hidden: true }

/** Nothing of it is needed at first sight. */
const loadReads = () => import('./reads.ts')

const entries = [
  { to: paths.admin.home, label: 'Console', icon: LayoutDashboard },
  { to: paths.admin.returns, label: 'Recorded returns', icon: BookOpenCheck },
  { to: paths.admin.plans, label: 'Plans', icon: Layers },
  { to: paths.admin.messages, label: 'Messages', icon: Mail },
  { to: paths.admin.audit, label: 'Audit log', icon: ScrollText },
  { to: paths.admin.profile, label: 'Profile', icon: UserRound },
  { to: paths.admin.security, label: 'Security', icon: ShieldCheck },
]

/** The pages of the area, behind the guard. Until it has looked, and on the server, which knows nobody, a word of waiting. */
export default function AdminLayout() {
  return useGuard('admin') ? <AdminWorkspace /> : <WorkspaceFallback label="Opening the console" />
}

function AdminWorkspace() {
  useEffect(() => preloadPages('admin'), [])
  useIntent(loadReads)
  const { data: user } = useRead(me, {})
  return (
    <Workspace
      label="Admin console"
      home={paths.admin.home}
      entries={entries}
      status={<span className="truncate text-ink-soft">{user?.name}</span>}
    >
      <Outlet />
    </Workspace>
  )
}
