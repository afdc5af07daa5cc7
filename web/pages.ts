import { matchRoutes } from 'react-router'
import { type Area, type AreaPage, page } from './area.ts'
import { lazyModule } from './lazy-module.ts'
import type { LayoutModule, PageModule } from './page.ts'

/** Every page that runs in the browser. site/pages.ts lists the public ones; paths.ts has the links. */

/** By their folders, each of which has a layout.tsx; the console's (console-pages.ts) is there once it is opened. */
export const areas: Record<string, Area> = {
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
}

/** Brings the console's pages, before one of them is shown. */
export async function openConsole(): Promise<void> {
  const { admin } = await import('./console-pages.ts')
  areas.admin = admin
}

/** Redirects. */
export const shortcuts: Record<string, string> = {
  '/dashboard': '/dashboard/home',
  '/admin': '/admin/home',
}

/** The page at a path, if it is one of these. */
export function pageAt(pathname: string): AreaPage | undefined {
  const all = Object.values(areas).flatMap(area => area.pages.map(page => ({ area, page })))
  const routes = all.map(({ page }, place) => ({ id: String(place), path: page.path }))
  const route = matchRoutes(routes, pathname)?.at(-1)?.route
  return route && all[Number(route.id)]
}

/** Loads a page and its layout. */
export function loadPage({ area, page }: AreaPage): Promise<[LayoutModule, PageModule]> {
  return Promise.all([area.layout.load(), page.load()])
}
