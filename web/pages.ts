import { matchRoutes, type RouteObject } from 'react-router'
import { type LazyModule, lazyModule } from './lazy-module.ts'
import type { LayoutModule, PageModule } from './page.ts'

/** Every page that runs in the browser. site/pages.ts lists the public ones; paths.ts has the links. */

export type Page = LazyModule<PageModule> & {
  /** React Router pattern, from the root. */
  path: string
  /** Its module below web/, by which the build finds its files. */
  source: string
  /** Exists in the demonstration only (D2). */
  demoOnly: boolean
}
export type Area = {
  layout: LazyModule<LayoutModule> & { source: string }
  pages: Page[]
  /** Prefetches the first reads of its pages; only areas with a menu have them. */
  reads?: () => Promise<{ readPage: (path: string) => void }>
}

const page = (path: string, source: string, get: () => Promise<PageModule>): Page => {
  return { path, source, demoOnly: false, ...lazyModule(get) }
}
const layout = (source: string, get: () => Promise<LayoutModule>) => ({ source, ...lazyModule(get) })

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
    reads: () => import('./dashboard/reads.ts'),
    pages: [
      page('/dashboard/home', 'dashboard/home/page.tsx', () => import('./dashboard/home/page.tsx')),
      page('/dashboard/profile', 'dashboard/profile/page.tsx', () => import('./dashboard/profile/page.tsx')),
      page(
        '/dashboard/investments',
        'dashboard/investments/page.tsx',
        () => import('./dashboard/investments/page.tsx'),
      ),
      page(
        '/dashboard/new-investment',
        'dashboard/investments/new.tsx',
        () => import('./dashboard/investments/new.tsx'),
      ),
      page(
        '/dashboard/withdrawals',
        'dashboard/withdrawals/page.tsx',
        () => import('./dashboard/withdrawals/page.tsx'),
      ),
      page(
        '/dashboard/history',
        'dashboard/earnings/page.tsx',
        () => import('./dashboard/earnings/page.tsx'),
      ),
      page(
        '/dashboard/deposit',
        'dashboard/deposits/page.tsx',
        () => import('./dashboard/deposits/page.tsx'),
      ),
      page(
        '/dashboard/confirm-deposit',
        'dashboard/deposits/confirm.tsx',
        () => import('./dashboard/deposits/confirm.tsx'),
      ),
      page(
        '/dashboard/security',
        'dashboard/security/page.tsx',
        () => import('./dashboard/security/page.tsx'),
      ),
      page(
        '/dashboard/statement',
        'dashboard/statement/page.tsx',
        () => import('./dashboard/statement/page.tsx'),
      ),
    ],
  },
  admin: {
    layout: layout('admin/layout.tsx', () => import('./admin/layout.tsx')),
    reads: () => import('./admin/reads.ts'),
    pages: [
      page('/admin/home', 'admin/home.tsx', () => import('./admin/home.tsx')),
      page(
        '/admin/investment',
        'admin/investments/detail.tsx',
        () => import('./admin/investments/detail.tsx'),
      ),
      page(
        '/admin/plan-earnings',
        'admin/earnings/plan-earnings.tsx',
        () => import('./admin/earnings/plan-earnings.tsx'),
      ),
      page('/admin/user', 'admin/users/detail.tsx', () => import('./admin/users/detail.tsx')),
      page('/admin/deposit', 'admin/deposits/detail.tsx', () => import('./admin/deposits/detail.tsx')),
      page(
        '/admin/withdrawal',
        'admin/withdrawals/detail.tsx',
        () => import('./admin/withdrawals/detail.tsx'),
      ),
      page('/admin/payouts', 'admin/payouts/list.tsx', () => import('./admin/payouts/list.tsx')),
      page('/admin/payout', 'admin/payouts/detail.tsx', () => import('./admin/payouts/detail.tsx')),
      page('/admin/return', 'admin/returns/detail.tsx', () => import('./admin/returns/detail.tsx')),
      page('/admin/returns', 'admin/returns/list.tsx', () => import('./admin/returns/list.tsx')),
      page('/admin/reserves', 'admin/reserves/page.tsx', () => import('./admin/reserves/page.tsx')),
      page(
        '/admin/public-proof',
        'admin/public-proof/page.tsx',
        () => import('./admin/public-proof/page.tsx'),
      ),
      page('/admin/prices', 'admin/prices/page.tsx', () => import('./admin/prices/page.tsx')),
      page('/admin/plans', 'admin/plans/list.tsx', () => import('./admin/plans/list.tsx')),
      page('/admin/messages', 'admin/messages/list.tsx', () => import('./admin/messages/list.tsx')),
      page('/admin/firm', 'admin/firm/page.tsx', () => import('./admin/firm/page.tsx')),
      page('/admin/statistics', 'admin/statistics/list.tsx', () => import('./admin/statistics/list.tsx')),
      page('/admin/audit', 'admin/audit/page.tsx', () => import('./admin/audit/page.tsx')),
      page('/admin/staff', 'admin/staff/page.tsx', () => import('./admin/staff/page.tsx')),
      page('/admin/settings', 'admin/settings/page.tsx', () => import('./admin/settings/page.tsx')),
      // The same account pages as in the dashboard; an admin stays in the console.
      page('/admin/security', 'dashboard/security/page.tsx', () => import('./dashboard/security/page.tsx')),
      page('/admin/profile', 'dashboard/profile/page.tsx', () => import('./dashboard/profile/page.tsx')),
    ],
  },
} satisfies Record<string, Area>

/** Redirects. */
export const shortcuts: Record<string, string> = {
  '/dashboard': '/dashboard/home',
  '/admin': '/admin/home',
}

export type AreaPage = { area: Area; page: Page }

const all: AreaPage[] = Object.values<Area>(areas).flatMap(area => area.pages.map(page => ({ area, page })))
const routes: RouteObject[] = all.map(({ page }, place) => ({ id: String(place), path: page.path }))

/** The page at a path, if it is one of these. */
export function pageAt(pathname: string): AreaPage | undefined {
  const route = matchRoutes(routes, pathname)?.at(-1)?.route
  return route && all[Number(route.id)]
}

/** Loads a page and its layout. */
export function loadPage({ area, page }: AreaPage): Promise<[LayoutModule, PageModule]> {
  return Promise.all([area.layout.load(), page.load()])
}
