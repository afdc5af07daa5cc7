import type { RouteConfig } from '@react-router/dev/routes'
import { index, layout, route } from '@react-router/dev/routes'

/**
 * Every page. Paths are written again, as links, in paths.ts: link through those.
 * The public site is plain HTML; what stands under shell.tsx hydrates and runs in the browser.
 */
export default [
  layout('site/layout.tsx', [
    index('site/home.tsx'),
    route('about', 'site/about.tsx'),
    route('investment-plans', 'site/investment-plans.tsx'),
    route('services', 'site/services.tsx'),
    route('contact', 'site/contact.tsx'),
    route('*', 'site/not-found.tsx'),
  ]),
  route('speculation-rules.json', 'site/speculation-rules.ts'),
  route('robots.txt', 'site/robots.ts'),
  route('sitemap.xml', 'site/sitemap.ts'),
  route('manifest.webmanifest', 'site/manifest.ts'),
  layout('shell.tsx', [
    layout('account/layout.tsx', [
      route('login', 'account/login.tsx'),
      route('register', 'account/register.tsx'),
      route('verify/:email', 'account/verify.tsx'),
      route('forgot-password', 'account/forgot-password.tsx'),
      route('reset-password', 'account/reset-password.tsx'),
      route('mailbox', 'account/mailbox.tsx'),
    ]),
    route('dashboard', 'dashboard/layout.tsx', [
      index('dashboard/index.ts'),
      route('home', 'dashboard/home.tsx'),
      route('profile', 'dashboard/profile.tsx'),
      route('security', 'dashboard/security/page.tsx'),
      route('investments', 'dashboard/investments.tsx'),
      route('new-investment', 'dashboard/new-investment.tsx'),
      route('withdrawals', 'dashboard/withdrawals.tsx'),
      route('history', 'dashboard/history.tsx'),
      route('deposit', 'dashboard/deposit.tsx'),
      route('confirm-deposit', 'dashboard/confirm-deposit.tsx'),
      route('statement', 'dashboard/statement.tsx'),
    ]),
    route('admin', 'admin/layout.tsx', [
      index('admin/index.ts'),
      route('home', 'admin/home.tsx'),
      route('investment', 'admin/investment.tsx'),
      route('returns', 'admin/returns.tsx'),
      route('plans', 'admin/plans.tsx'),
      route('messages', 'admin/messages.tsx'),
      route('audit', 'admin/audit.tsx'),
      // The same pages for everybody's own account: an admin stays in the console.
      route('profile', 'dashboard/profile.tsx', { id: 'admin/profile' }),
      route('security', 'dashboard/security/page.tsx', { id: 'admin/security' }),
    ]),
  ]),
] satisfies RouteConfig
