import type { ReactNode } from 'react'
import { Outlet } from 'react-router'
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
    'Your money comes back',
    'A withdrawal never depends on a new payment or fee, and a refusal always says why.',
  ],
] as const

/** The pages around signing in: the form, and beside it what the firm stands for. */
export default function AccountLayout() {
  const { firm } = useSite()
  return (
    <div className="flex flex-1 flex-col">
      <div className="page flex flex-1 flex-col gap-12 py-6 lg:flex-row lg:gap-24 lg:py-10">
        <div className="flex flex-1 flex-col gap-10 lg:max-w-md">
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
          <main id="content" className="grid max-w-md content-start gap-8">
            <Outlet />
          </main>
        </div>
        <aside
          aria-label="What you can rely on"
          className="hidden flex-1 content-center border-rule border-l pl-16 lg:grid"
        >
          <ul className="grid max-w-lg">
            {assurances.map(([title, text]) => (
              <li key={title} className="grid gap-1.5 border-rule border-t py-7 first:border-t-0">
                <h2 className="display text-xl">{title}</h2>
                <p className="text-ink-soft">{text}</p>
              </li>
            ))}
          </ul>
        </aside>
      </div>
      <footer>
        <LegalFooter />
      </footer>
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
