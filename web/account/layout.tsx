import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { LegalFooter } from '#web/components/legal-footer.tsx'
import { NeedsScript } from '#web/components/needs-script.tsx'
import { SiteHeader } from '#web/components/site-header.tsx'
import { paths } from '#web/paths.ts'
import { useTypeLoggedIn } from './type-logged-in.ts'

const assurances = [
  [
    msg('Every dollar has two entries'),
    msg('Your balance is the sum of ledger entries no one can change, not even us.'),
  ],
  [
    msg('Earnings name their source'),
    msg('We pay them only from returns already realised and recorded with evidence.'),
  ],
  [
    msg('Withdrawals have no strings'),
    msg(
      'Withdraw your available balance any time: no fee, no further payment, and a reason if we ever decline.',
    ),
  ],
] as const

/** The header's way on for those who are logged in. */
const ways = {
  investor: { href: paths.dashboard.home, label: msg('Dashboard') },
  admin: { href: paths.admin.home, label: msg('Console') },
}

/** The account pages: the form with the firm's assurances beside it. */
export default function AccountLayout() {
  const type = useTypeLoggedIn()
  return (
    <>
      <SiteHeader way={type && ways[type]} />
      <div className="grid flex-1 lg:grid-cols-[1fr_minmax(0,36rem)] xl:grid-cols-2">
        <div className="page">
          <div className="mx-auto flex min-h-full max-w-md flex-col gap-10 pt-10 lg:gap-16 lg:pt-16">
            <main id="content" className="wrap-anywhere grid flex-1 content-start gap-8">
              <noscript>
                <NeedsScript />
              </noscript>
              <Outlet />
            </main>
            <footer>
              <LegalFooter measure="" />
            </footer>
          </div>
        </div>
        <aside aria-label={t('What you can rely on')} className="night hidden lg:block">
          <div className="sticky top-(--banner) grid content-center justify-items-center gap-14 p-16">
            <BalanceDrawing className="w-80" />
            <ul className="grid max-w-md">
              {assurances.map(([title, text]) => (
                <li key={title} className="grid gap-1.5 border-rule border-t py-6">
                  <h2 className="display text-xl">{translate(title)}</h2>
                  <p className="text-ink-soft">{translate(text)}</p>
                </li>
              ))}
            </ul>
          </div>
        </aside>
      </div>
    </>
  )
}

/** The heading of an account page with an optional line below. */
export function AccountHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid gap-2">
      <h1 className="display text-2xl">{title}</h1>
      {children && <p className="text-ink-soft">{children}</p>}
    </div>
  )
}
