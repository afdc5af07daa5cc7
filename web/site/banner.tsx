import type { ReactNode } from 'react'
import type { FirmText } from '#shared/firm-texts.ts'
import { t } from '#shared/i18n/t.ts'
import { useFirmMarks } from '#web/components/firm-words.tsx'
import { paths } from '#web/paths.ts'

type BannerProps = {
  title: ReactNode
  /** The page's place below Home. */
  crumb: string
  /** Shown at the end on wide screens. */
  drawing?: ReactNode
  children?: ReactNode
}

/** The head of an inner page: breadcrumb, title and lead. */
export function Banner({ title, crumb, drawing, children }: BannerProps) {
  return (
    <div className="overflow-clip border-rule border-b">
      <div className="page relative grid gap-6 py-10 lg:pt-14 lg:pb-20">
        <nav aria-label={t('Breadcrumb')} className="mb-2 text-ink-faint text-sm lg:mb-8">
          <ol className="flex gap-2">
            <li>
              <a href={paths.home} className="prose-link">
                {t('Home')}
              </a>
            </li>
            <li aria-hidden="true">{'>'}</li>
            <li aria-current="page">{crumb}</li>
          </ol>
        </nav>
        <h1 className="display max-w-4xl text-4xl">{title}</h1>
        {children && <div className="max-w-2xl text-ink-soft text-lg">{children}</div>}
        {drawing && <div className="absolute inset-y-0 end-0 hidden content-center xl:grid">{drawing}</div>}
      </div>
    </div>
  )
}

type PartProps = {
  id?: string
  eyebrow: string
  title: ReactNode
  lead?: ReactNode
  /** Dark in every theme, edge to edge. */
  night?: true
  /** Puts the content below the heading at full width, not beside it. */
  wide?: true
  children: ReactNode
}

/** One section of a public page: a heading with its content beside or below it. */
export function Part({ id, eyebrow, title, lead, night, wide, children }: PartProps) {
  const head = (
    <div
      className={wide ? 'grid items-end gap-x-16 gap-y-5 lg:grid-cols-[3fr_2fr]' : 'grid content-start gap-5'}
    >
      <div className="grid gap-4">
        <p className="eyebrow">{eyebrow}</p>
        <h2 className="display text-3xl">{title}</h2>
      </div>
      {lead && <div className="max-w-xl text-ink-soft text-lg">{lead}</div>}
    </div>
  )
  return (
    <section id={id} className={night ? 'night' : undefined}>
      <div
        className={`page grid gap-x-16 gap-y-10 py-16 lg:gap-y-14 lg:py-28 ${wide ? '' : 'lg:grid-cols-[5fr_7fr]'}`}
      >
        {head}
        <div>{children}</div>
      </div>
    </section>
  )
}

type EntriesProps = {
  entries: readonly { title: string; text: ReactNode }[]
  /** The firm's text that they are. */
  of?: FirmText
}

/** A ruled list of terms and descriptions. */
export function Entries({ entries, of }: EntriesProps) {
  const marks = useFirmMarks(of)
  return (
    <dl className="grid border-rule border-b">
      {entries.map(({ title, text }) => (
        <div key={title} className="grid gap-2 border-rule border-t py-7 sm:grid-cols-[5fr_6fr] sm:gap-10">
          <dt {...marks} className="display text-xl">
            {title}
          </dt>
          <dd {...marks} className="text-ink-soft">
            {text}
          </dd>
        </div>
      ))}
    </dl>
  )
}
