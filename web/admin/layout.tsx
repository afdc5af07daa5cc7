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
import { type ClientLoaderFunctionArgs, Outlet } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { useRead } from '#web/api/read.ts'
import { Workspace, WorkspaceFallback } from '#web/components/workspace.tsx'
import { requireAdmin } from '#web/guard.ts'
import { useIntent } from '#web/intent.ts'
import { paths } from '#web/paths.ts'
import { preloadPages } from '#web/preload.ts'
import type { RouteHandle } from '#web/root.tsx'

export const handle: RouteHandle = { hidden: true }

export async function clientLoader({ request }: ClientLoaderFunctionArgs) {
  await requireAdmin(request)
  return null
}
clientLoader.hydrate = true as const

/** Nothing of it is needed at first sight. */
const loadReads = () => import('./reads.ts')

/** The guard looks at every visit of every page. */
export const shouldRevalidate = () => true

export function HydrateFallback() {
  return <WorkspaceFallback label="Opening the console" />
}

const entries = [
  { to: paths.admin.home, label: 'Console', icon: LayoutDashboard },
  { to: paths.admin.returns, label: 'Recorded returns', icon: BookOpenCheck },
  { to: paths.admin.plans, label: 'Plans', icon: Layers },
  { to: paths.admin.messages, label: 'Messages', icon: Mail },
  { to: paths.admin.audit, label: 'Audit log', icon: ScrollText },
  { to: paths.admin.profile, label: 'Profile', icon: UserRound },
  { to: paths.admin.security, label: 'Security', icon: ShieldCheck },
]

export default function AdminLayout() {
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
