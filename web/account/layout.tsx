import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { LegalFooter } from '#web/components/legal-footer.tsx'
import { Wordmark } from '#web/components/wordmark.tsx'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'

const assurances = [
  [
    'Every dollar has two entries',
    'Balances are sums of postings that nobody can change afterwards, the firm included.',
  ],
  [
    'Earnings name their source',
    'They are paid only out of returns that have been realised and recorded with evidence.',
  ],
  [
    'Withdrawals have no strings',
    'What is available is yours to withdraw: no new payment, no fee, and a refusal always says why.',
  ],
] as const

/** The pages around signing in: the form, and beside it what the firm stands for. */
export default function AccountLayout() {
  const { firm } = useSite()
  return (
    <div className="grid flex-1 lg:grid-cols-[1fr_minmax(0,36rem)] xl:grid-cols-2">
      <div className="page">
        <div className="mx-auto flex min-h-full max-w-md flex-col gap-10 pt-6 lg:gap-16">
          <header>
            <a href={paths.home} className="inline-block py-2 text-lg">
              <Wordmark name={firm.productName} />
            </a>
          </header>
          <noscript>
            <p className="border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
              This page needs JavaScript: your session is kept in your browser only, never in a cookie.
            </p>
          </noscript>
          <main id="content" className="grid flex-1 content-start gap-8">
            <Outlet />
          </main>
          <footer>
            <LegalFooter measure="" />
          </footer>
        </div>
      </div>
      <aside aria-label="What you can rely on" className="night hidden lg:block">
        <div className="sticky top-(--banner) grid content-center justify-items-center gap-14 p-16">
          <BalanceDrawing className="w-80" />
          <ul className="grid max-w-md">
            {assurances.map(([title, text]) => (
              <li key={title} className="grid gap-1.5 border-rule border-t py-6">
                <h2 className="display text-xl">{title}</h2>
                <p className="text-ink-soft">{text}</p>
              </li>
            ))}
          </ul>
        </div>
      </aside>
    </div>
  )
}

/** The heading of such a page, and the line below it. */
export function AccountHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid gap-2">
      <h1 className="display text-2xl">{title}</h1>
      {children && <p className="text-ink-soft">{children}</p>}
    </div>
  )
}
