import type { FirmSector } from '#shared/contract/firm-texts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useMarks } from '#web/components/firm-words.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { cx } from '#web/ui/cx.ts'
import { Banner, Entries, Part } from './banner.tsx'
import { Closing } from './closing.tsx'
import { useTexts } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'
import { SectorPicture, sectorAnchor } from './sectors.tsx'

export const meta = pageMeta(msg('Services'), {
  path: paths.services,
  description: msg(
    'What an account gives you: plans with stated targets, a complete statement, and withdrawals to your own wallet.',
  ),
})

/** The product's services, whichever firm runs it. */
const ofTheAccount = [
  {
    title: msg('Investment plans'),
    text: msg(
      'Each plan states its range, duration and target. A changed plan gets a new version; your investment keeps the terms you agreed to.',
    ),
  },
  {
    title: msg('A complete statement'),
    text: msg(
      'Every deposit, investment, earning and withdrawal, line by line. Read it, filter it, or download it as PDF or CSV.',
    ),
  },
  {
    title: msg('Withdrawals without conditions'),
    text: msg(
      'Withdraw your available balance to your own wallet any time. We never charge a fee or ask for a payment, and we give a reason if we decline.',
    ),
  },
] as const

/** Services: the firm's focus areas (P-07), and what an account offers. */
export default function ServicesPage() {
  const { sectors, servicesLead } = useTexts()
  return (
    <>
      <Banner
        title={sectors.length > 0 ? t('Services: our focus areas') : t('Services')}
        crumb={t('Services')}
      >
        {servicesLead && <Paragraphs of="servicesLead" text={servicesLead} />}
      </Banner>
      {sectors.map((sector, place) => (
        <Focus key={sector.title} {...sector} id={sectorAnchor(place)} />
      ))}
      <Part eyebrow={t('Your account')} title={t('What an account gives you')}>
        <Entries
          entries={ofTheAccount.map(({ title, text }) => ({
            title: translate(title),
            text: translate(text),
          }))}
        />
      </Part>
      <Closing title={t('Choose your amount, term and target')}>
        <AnchorButton href={paths.plans} size="lg">
          {t('See the investment plans')}
        </AnchorButton>
        <a className="prose-link" href={paths.contact}>
          {t('Ask us first')}
        </a>
      </Closing>
    </>
  )
}

function Focus({ id, title, brief, text, seek, avoid, evidence, drawing }: FirmSector & { id: string }) {
  const marks = useMarks('sectors')
  return (
    <section id={id} data-figure="firm" className="scroll-mt-8 border-rule border-b">
      <div className={cx('page grid gap-10 py-16 lg:gap-16 lg:py-24', drawing && 'lg:grid-cols-[5fr_7fr]')}>
        {drawing && (
          <div className="grid place-items-center self-start bg-sunken p-8 lg:sticky lg:top-16 lg:p-12">
            <SectorPicture drawing={drawing} className="w-full max-w-96" />
          </div>
        )}
        <div className="grid max-w-2xl content-start gap-6">
          <h2 {...marks} className="display text-3xl">
            {title}
          </h2>
          <p {...marks} className="display text-2xl text-ink-soft">
            {brief}
          </p>
          <Paragraphs of="sectors" text={text} className="text-lg" />
          {(seek.length > 0 || avoid.length > 0) && (
            <div className="grid gap-8 pt-4 sm:grid-cols-2">
              <Points title={t('What we look for')} points={seek} />
              <Points title={t('What we avoid')} points={avoid} />
            </div>
          )}
          {evidence && (
            <p className="border-rule border-t pt-4 text-sm">
              <strong className="font-semibold">{t('Evidence we record:')} </strong>
              <span {...marks} className="text-ink-soft">
                {evidence}
              </span>
            </p>
          )}
        </div>
      </div>
    </section>
  )
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  const marks = useMarks('sectors')
  if (points.length === 0) return null
  return (
    <div>
      <h3 className="pb-3 font-semibold text-sm">{title}</h3>
      <ul>
        {points.map(point => (
          <li key={point} {...marks} className="border-rule border-t py-2.5 text-ink-soft">
            {point}
          </li>
        ))}
      </ul>
    </div>
  )
}
