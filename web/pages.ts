import { matchRoutes, type RouteObject } from 'react-router'
import { type Lazy, lazily } from './lazily.ts'
import type { LayoutModule, PageModule } from './page.ts'

/**
 * Every page that runs in the browser: account, dashboard and console. The public ones, which are plain HTML, are listed by
 * site/pages.ts. Paths are written again, as links, in paths.ts: link through those.
 */

export type Page = Lazy<PageModule> & {
  /** A pattern of React Router, from the root. */
  path: string
  /** Its module, below web/: by this the build knows which files it needs. */
  source: string
  /** There is no such page but in the demonstration (D2). */
  demoOnly: boolean
}
export type Area = { layout: Lazy<LayoutModule> & { source: string }; pages: Page[] }

const page = (path: string, source: string, get: () => Promise<PageModule>): Page => {
  return { path, source, demoOnly: false, ...lazily(get) }
}
const layout = (source: string, get: () => Promise<LayoutModule>) => ({ source, ...lazily(get) })

export const areas = {
  account: {
    layout: layout('account/layout.tsx', () => import('./account/layout.tsx')),
    pages: [
      page('/login', 'account/login.tsx', () => import('./account/login.tsx')),
      page('/register', 'account/register.tsx', () => import('./account/register.tsx')),
      page('/verify/:email', 'account/verify.tsx', () => import('./account/verify.tsx')),
      page('/forgot-password', 'account/forgot-password.tsx', () => import('./account/forgot-password.tsx')),
      page('/reset-password', 'account/reset-password.tsx', () => import('./account/reset-password.tsx')),
      page('/invitation', 'account/invitation.tsx', () => import('./account/invitation.tsx')),
      {
        ...page('/mailbox', 'account/mailbox.tsx', () => import('./account/mailbox.tsx')),
        demoOnly: true,
      },
    ],
  },
  dashboard: {
    layout: layout('dashboard/layout.tsx', () => import('./dashboard/layout.tsx')),
    pages: [
      page('/dashboard/home', 'dashboard/home.tsx', () => import('./dashboard/home.tsx')),
      page('/dashboard/profile', 'dashboard/profile.tsx', () => import('./dashboard/profile.tsx')),
      page(
        '/dashboard/investments',
        'dashboard/investments.tsx',
        () => import('./dashboard/investments.tsx'),
      ),
      page(
        '/dashboard/new-investment',
        'dashboard/new-investment.tsx',
        () => import('./dashboard/new-investment.tsx'),
      ),
      page(
        '/dashboard/withdrawals',
        'dashboard/withdrawals.tsx',
        () => import('./dashboard/withdrawals.tsx'),
      ),
      page('/dashboard/history', 'dashboard/history.tsx', () => import('./dashboard/history.tsx')),
      page('/dashboard/deposit', 'dashboard/deposit.tsx', () => import('./dashboard/deposit.tsx')),
      page(
        '/dashboard/confirm-deposit',
        'dashboard/confirm-deposit.tsx',
        () => import('./dashboard/confirm-deposit.tsx'),
      ),
      page(
        '/dashboard/security',
        'dashboard/security/page.tsx',
        () => import('./dashboard/security/page.tsx'),
      ),
      page('/dashboard/statement', 'dashboard/statement.tsx', () => import('./dashboard/statement.tsx')),
    ],
  },
  admin: {
    layout: layout('admin/layout.tsx', () => import('./admin/layout.tsx')),
    pages: [
      page('/admin/home', 'admin/home.tsx', () => import('./admin/home.tsx')),
      page('/admin/investment', 'admin/investment.tsx', () => import('./admin/investment.tsx')),
      page('/admin/plan-earnings', 'admin/plan-earnings.tsx', () => import('./admin/plan-earnings.tsx')),
      page('/admin/user', 'admin/user.tsx', () => import('./admin/user.tsx')),
      page('/admin/deposit', 'admin/deposit.tsx', () => import('./admin/deposit.tsx')),
      page('/admin/withdrawal', 'admin/withdrawal.tsx', () => import('./admin/withdrawal.tsx')),
      page('/admin/return', 'admin/return.tsx', () => import('./admin/return.tsx')),
      page('/admin/returns', 'admin/returns.tsx', () => import('./admin/returns.tsx')),
      page('/admin/prices', 'admin/prices.tsx', () => import('./admin/prices.tsx')),
      page('/admin/plans', 'admin/plans.tsx', () => import('./admin/plans.tsx')),
      page('/admin/messages', 'admin/messages.tsx', () => import('./admin/messages.tsx')),
      page('/admin/firm', 'admin/firm.tsx', () => import('./admin/firm.tsx')),
      page('/admin/statistics', 'admin/statistics.tsx', () => import('./admin/statistics.tsx')),
      page('/admin/audit', 'admin/audit.tsx', () => import('./admin/audit.tsx')),
      page('/admin/staff', 'admin/staff.tsx', () => import('./admin/staff.tsx')),
      page('/admin/settings', 'admin/settings.tsx', () => import('./admin/settings.tsx')),
      // The same pages for everybody's own account: an admin stays in the console.
      page('/admin/security', 'dashboard/security/page.tsx', () => import('./dashboard/security/page.tsx')),
      page('/admin/profile', 'dashboard/profile.tsx', () => import('./dashboard/profile.tsx')),
    ],
  },
} satisfies Record<string, Area>

/** Addresses that are no page themselves, and the one that stands for them. */
export const shortcuts: Record<string, string> = {
  '/dashboard': '/dashboard/home',
  '/admin': '/admin/home',
}

export type AreaPage = { area: Area; page: Page }

const all: AreaPage[] = Object.values<Area>(areas).flatMap(area => area.pages.map(page => ({ area, page })))
const routes: RouteObject[] = all.map(({ page }, place) => ({ id: String(place), path: page.path }))

/** The page of an address; undefined where it is not one of these. */
export function pageAt(pathname: string): AreaPage | undefined {
  const route = matchRoutes(routes, pathname)?.at(-1)?.route
  return route && all[Number(route.id)]
}

/** Loads what the page of an address is made of, its layout included. */
export async function loadPage({ area, page }: AreaPage): Promise<void> {
  await Promise.all([area.layout.load(), page.load()])
}
