import { matchRoutes, type RouteObject } from 'react-router'
import { type LazyModule, lazyModule } from './lazy-module.ts'
import type { LayoutModule, PageModule } from './page.ts'

/** Every page that runs in the browser. site/pages.ts lists the public ones; paths.ts has the links. */

export type Page = LazyModule<PageModule> & {
  /** React Router pattern, from the root. */
  path: string
  /** Exists in the demonstration only (D2). */
  demoOnly?: boolean
}
export type Area = {
  layout: LazyModule<LayoutModule>
  pages: Page[]
  /** Prefetches the first reads of its pages; only areas with a menu have them. */
  reads?: () => Promise<{ readPage: (path: string) => void }>
}

const page = (path: string, get: () => Promise<PageModule>): Page => ({ path, ...lazyModule(get) })

/** By their folders, each of which has a layout.tsx. */
export const areas = {
  account: {
    layout: lazyModule(() => import('./account/layout.tsx')),
    pages: [
      page('/login', () => import('./account/login.tsx')),
      page('/register', () => import('./account/register.tsx')),
      page('/verify/:email', () => import('./account/verify.tsx')),
      page('/forgot-password', () => import('./account/forgot-password.tsx')),
      page('/reset-password', () => import('./account/reset-password.tsx')),
      page('/invitation', () => import('./account/invitation.tsx')),
      {
        ...page('/mailbox', () => import('./account/mailbox.tsx')),
        demoOnly: true,
      },
    ],
  },
  dashboard: {
    layout: lazyModule(() => import('./dashboard/layout.tsx')),
    reads: () => import('./dashboard/reads.ts'),
    pages: [
      page('/dashboard/home', () => import('./dashboard/home/page.tsx')),
      page('/dashboard/profile', () => import('./dashboard/profile/page.tsx')),
      page('/dashboard/referrals', () => import('./dashboard/referrals/page.tsx')),
      page('/dashboard/close-account', () => import('./dashboard/close-account/page.tsx')),
      page('/dashboard/investments', () => import('./dashboard/investments/page.tsx')),
      page('/dashboard/new-investment', () => import('./dashboard/investments/new.tsx')),
      page('/dashboard/withdrawals', () => import('./dashboard/withdrawals/page.tsx')),
      page('/dashboard/history', () => import('./dashboard/earnings/page.tsx')),
      page('/dashboard/deposit', () => import('./dashboard/deposits/page.tsx')),
      page('/dashboard/confirm-deposit', () => import('./dashboard/deposits/confirm.tsx')),
      page('/dashboard/security', () => import('./dashboard/security/page.tsx')),
      page('/dashboard/statement', () => import('./dashboard/statement/page.tsx')),
      page('/dashboard/goals', () => import('./dashboard/goals/page.tsx')),
      page('/dashboard/announcements', () => import('./dashboard/announcements/page.tsx')),
      page('/dashboard/messages', () => import('./dashboard/messages/page.tsx')),
      page('/dashboard/identity', () => import('./dashboard/identity/page.tsx')),
      page('/dashboard/terms', () => import('./dashboard/terms/page.tsx')),
    ],
  },
  admin: {
    layout: lazyModule(() => import('./admin/layout.tsx')),
    reads: () => import('./admin/reads.ts'),
    pages: [
      page('/admin/home', () => import('./admin/home.tsx')),
      page('/admin/users', () => import('./admin/users/list.tsx')),
      page('/admin/deposits', () => import('./admin/deposits/list.tsx')),
      page('/admin/withdrawals', () => import('./admin/withdrawals/list.tsx')),
      page('/admin/investments', () => import('./admin/investments/list.tsx')),
      page('/admin/earnings', () => import('./admin/earnings/list.tsx')),
      page('/admin/investment', () => import('./admin/investments/detail.tsx')),
      page('/admin/plan-earnings', () => import('./admin/earnings/plan-earnings.tsx')),
      page('/admin/user', () => import('./admin/users/detail.tsx')),
      page('/admin/deposit', () => import('./admin/deposits/detail.tsx')),
      page('/admin/withdrawal', () => import('./admin/withdrawals/detail.tsx')),
      page('/admin/payouts', () => import('./admin/payouts/list.tsx')),
      page('/admin/payout', () => import('./admin/payouts/detail.tsx')),
      page('/admin/return', () => import('./admin/returns/detail.tsx')),
      page('/admin/returns', () => import('./admin/returns/list.tsx')),
      page('/admin/screening', () => import('./admin/screening/list.tsx')),
      page('/admin/match', () => import('./admin/screening/detail.tsx')),
      page('/admin/monitoring', () => import('./admin/monitoring/list.tsx')),
      page('/admin/identity', () => import('./admin/identity/list.tsx')),
      page('/admin/check', () => import('./admin/identity/detail.tsx')),
      page('/admin/case', () => import('./admin/monitoring/detail.tsx')),
      page('/admin/cash-flow', () => import('./admin/cash-flow/page.tsx')),
      page('/admin/journal', () => import('./admin/journal/page.tsx')),
      page('/admin/reserves', () => import('./admin/reserves/page.tsx')),
      page('/admin/public-proof', () => import('./admin/public-proof/page.tsx')),
      page('/admin/prices', () => import('./admin/prices/page.tsx')),
      page('/admin/plans', () => import('./admin/plans/list.tsx')),
      page('/admin/announcements', () => import('./admin/announcements/page.tsx')),
      page('/admin/policies', () => import('./admin/policies/page.tsx')),
      page('/admin/messages', () => import('./admin/messages/list.tsx')),
      page('/admin/answers', () => import('./admin/messages/answers.tsx')),
      page('/admin/firm', () => import('./admin/firm/page.tsx')),
      page('/admin/statistics', () => import('./admin/statistics/list.tsx')),
      page('/admin/audit', () => import('./admin/audit/page.tsx')),
      page('/admin/staff', () => import('./admin/staff/page.tsx')),
      page('/admin/integrations', () => import('./admin/integrations/page.tsx')),
      page('/admin/brand', () => import('./admin/brand/page.tsx')),
      page('/admin/settings', () => import('./admin/settings/page.tsx')),
      // The same account pages as in the dashboard; an admin stays in the console.
      page('/admin/security', () => import('./dashboard/security/page.tsx')),
      page('/admin/profile', () => import('./dashboard/profile/page.tsx')),
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
