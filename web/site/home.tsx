import { paragraphsOf } from '#shared/firm-texts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { FirmWords } from '#web/components/firm-words.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { type Frame, useSite } from '#web/frame.ts'
import { publicPath } from '#web/language.ts'
import { pageTags } from '#web/meta.ts'
import type { MetaTag } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { Part } from './banner.tsx'
import { Books, OpenBooks } from './books.tsx'
import { ContactForm } from './contact-form.tsx'
import { organisation } from './organisation.ts'
import { useTexts } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'
import { Process } from './process.tsx'
import { Sectors } from './sectors.tsx'
import { Statistics } from './statistics.tsx'

/** For a firm without a description of its own. */
const plainDescription = msg(
  'Investments with books you can check: double-entry, append-only, to the cent. Every earning names the return that paid it.',
)
/** In English. */
const path = paths.home

export function meta(frame: Frame): MetaTag[] {
  const { heading, description } = frame.texts
  const tags = pageTags(frame, heading ?? t('Home'), {
    path,
    description: description ?? translate(plainDescription),
  })
  return [...tags, ...organisation(frame)]
}

/** Home (P-03, P-04). */
export default function HomePage() {
  const { processLead } = useTexts()
  return (
    <>
      <Hero />
      <AboutTeaser />
      <Sectors />
      <Books />
      <Part
        wide
        eyebrow={t('Three steps')}
        title={t('How it works, step by step')}
        lead={processLead && <Paragraphs of="processLead" text={processLead} />}
      >
        <Process />
      </Part>
      <StatisticsAndContact />
    </>
  )
}

function Hero() {
  const { firm } = useSite()
  const { heading, introduction } = useTexts()
  return (
    <section className="overflow-clip border-rule border-b">
      <div className="page grid items-center gap-x-10 gap-y-4 pt-14 lg:grid-cols-[7fr_5fr] lg:pt-0">
        <div className="grid gap-8 lg:py-28">
          <h1 data-figure="firm" className="display max-w-[11ch] text-4xl">
            {heading === null ? firm.productName : <FirmWords of="heading">{heading}</FirmWords>}
          </h1>
          <p data-figure="firm" className="max-w-xl text-ink-soft text-lg">
            {introduction && (
              <>
                <FirmWords of="introduction">{introduction}</FirmWords>{' '}
              </>
            )}
            {t(
              'Every dollar you see is an entry in a ledger no one can rewrite, and every earning names the return that paid it.',
            )}
          </p>
          <div className="flex flex-wrap items-center gap-x-7 gap-y-4">
            <AnchorButton href={publicPath(paths.register)} size="lg">
              {t('Get started')}
            </AnchorButton>
            <a className="prose-link" href="#books">
              {t('How we keep the books')}
            </a>
          </div>
        </div>
        <BalanceDrawing className="-mx-[12%] w-[124%] max-w-none max-lg:max-h-80 max-lg:py-6 lg:mx-0 lg:w-[118%]" />
      </div>
    </section>
  )
}

function AboutTeaser() {
  const { teaserHeading, teaser } = useTexts()
  const [first, ...others] = paragraphsOf(teaser)
  if (first === undefined) return null
  return (
    <Part
      eyebrow={t('About us')}
      title={
        teaserHeading === null ? t('Who we are') : <FirmWords of="teaserHeading">{teaserHeading}</FirmWords>
      }
    >
      <div className="grid max-w-2xl gap-6">
        <Paragraphs of="teaser" text={first} className="display text-2xl" />
        <Paragraphs of="teaser" text={others.join('\n\n')} className="text-ink-soft text-lg" />
        <p className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-3 border-rule border-t pt-5">
          <a className="prose-link" href={paths.about}>
            {t('More about us')}
          </a>
          <OpenBooks />
        </p>
      </div>
    </Part>
  )
}

function StatisticsAndContact() {
  return (
    <section className="border-rule border-t bg-sunken">
      <div className="page grid gap-x-24 gap-y-16 py-16 lg:grid-cols-[5fr_6fr] lg:py-28">
        <div className="grid content-start gap-8">
          <div className="grid gap-4">
            <p className="eyebrow">{t('The firm in figures')}</p>
            <h2 className="display text-3xl">{t('Every figure, with its source')}</h2>
          </div>
          <Statistics />
        </div>
        <div className="grid content-start gap-8">
          <div className="grid gap-4">
            <p className="eyebrow">{t('Questions')}</p>
            <h2 className="display text-3xl">{t('Ask before you invest')}</h2>
          </div>
          <ContactForm />
        </div>
      </div>
    </section>
  )
}
