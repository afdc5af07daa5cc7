import type { ReactNode } from 'react'
import { paths } from '#web/paths.ts'

type BannerProps = {
  title: string
  /** The page's place below Home; without it there is none. */
  crumb?: string
  children?: ReactNode
}

/** The head of an inner page: where it is (Home > title), what it is, and a sentence. */
export function Banner({ title, crumb, children }: BannerProps) {
  return (
    <div className="border-rule border-b bg-sunken">
      <div className="page grid gap-5 py-14 lg:py-20">
        {crumb && (
          <nav aria-label="Breadcrumb" className="text-ink-faint text-sm">
            <ol className="flex gap-2">
              <li>
                <a href={paths.home} className="prose-link">
                  Home
                </a>
              </li>
              <li aria-hidden="true">&gt;</li>
              <li aria-current="page">{crumb}</li>
            </ol>
          </nav>
        )}
        <h1 className="display max-w-4xl text-3xl">{title}</h1>
        {children && <div className="max-w-2xl text-ink-soft text-lg">{children}</div>}
      </div>
    </div>
  )
}

type PartProps = { id?: string; eyebrow: string; title: string; lead?: ReactNode; children: ReactNode }

/** One part of a public page: its heading at the left, its matter at the right. */
export function Part({ id, eyebrow, title, lead, children }: PartProps) {
  return (
    <section id={id} className="page py-10 lg:py-14">
      <div className="grid gap-10 border-rule border-t pt-8 lg:grid-cols-[1fr_2fr] lg:gap-16">
        <div className="grid content-start gap-4">
          <p className="eyebrow">{eyebrow}</p>
          <h2 className="display text-2xl">{title}</h2>
          {lead && <div className="text-ink-soft">{lead}</div>}
        </div>
        <div>{children}</div>
      </div>
    </section>
  )
}
