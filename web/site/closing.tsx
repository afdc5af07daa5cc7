import type { ReactNode } from 'react'
import { translate } from '#shared/i18n/t.ts'
import { riskLine } from '#shared/plans.ts'

/** The end of a page: the next step and the risk line. */
export function Closing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="bg-sunken">
      <div className="page grid justify-items-start gap-8 py-16 lg:py-24">
        <h2 className="display max-w-3xl text-3xl">{title}</h2>
        <div className="flex flex-wrap items-center gap-x-7 gap-y-4">{children}</div>
        <p className="text-ink-faint text-sm">{translate(riskLine)}</p>
      </div>
    </section>
  )
}
