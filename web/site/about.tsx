import { paragraphsOf } from '#shared/firm-texts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { FirmWords } from '#web/components/firm-words.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { useSite } from '#web/frame.ts'
import { publicPath } from '#web/language.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner, Entries, Part } from './banner.tsx'
import { Books } from './books.tsx'
import { Closing } from './closing.tsx'
import { useTexts } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'
import { Process } from './process.tsx'

export const meta = pageMeta(msg('About us'), {
  path: paths.about,
  description: msg(
    'Who stands behind this platform: the legal entity, its registration and regulation, and how it keeps its books.',
  ),
})

/** About us (P-05, P-06): the firm's own texts, its legal identity, and how it keeps its books. */
export default function AboutPage() {
  const { firm } = useSite()
  const { aboutHeading, aboutLead, values, services } = useTexts()
  return (
    <>
      <Banner
        title={
          aboutHeading === null ? (
            t('About {name}', { name: firm.productName })
          ) : (
            <FirmWords of="aboutHeading">{aboutHeading}</FirmWords>
          )
        }
        crumb={t('About us')}
        drawing={<BalanceDrawing className="w-96" />}
      >
        <p data-figure="firm">
          {t('Founded in {year}.', { year: String(firm.foundedYear) })}{' '}
          {aboutLead && <FirmWords of="aboutLead">{aboutLead}</FirmWords>}
        </p>
      </Banner>
      <Story />
      {values.length > 0 && (
        <Part eyebrow={t('What we stand for')} title={t('Our values')}>
          <Entries of="values" entries={values} />
        </Part>
      )}
      <Books />
      {services.length > 0 && (
        <Part eyebrow={t('What we do for you')} title={t('Our services')}>
          <Entries of="services" entries={services} />
        </Part>
      )}
      <Part eyebrow={t('The legal entity')} title={t('Who we are')}>
        <Identity />
      </Part>
      <div className="page">
        <hr className="border-rule" />
      </div>
      <Part wide eyebrow={t('How it works')} title={t('From account to return in three steps')}>
        <Process />
      </Part>
      <Closing title={t("Open an account. It's free, with no obligation")}>
        <AnchorButton href={publicPath(paths.register)} size="lg">
          {t('Get started')}
        </AnchorButton>
        <a className="prose-link" href={paths.plans}>
          {t('See the investment plans')}
        </a>
      </Closing>
    </>
  )
}

/** The first paragraph stands out. */
function Story() {
  const { storyHeading, story } = useTexts()
  const [first, ...others] = paragraphsOf(story)
  if (first === undefined) return null
  return (
    <Part
      eyebrow={t('About us')}
      title={storyHeading === null ? t('Our story') : <FirmWords of="storyHeading">{storyHeading}</FirmWords>}
    >
      <div className="grid max-w-2xl gap-6 text-lg">
        <Paragraphs of="story" text={first} className="display text-2xl" />
        <Paragraphs of="story" text={others.join('\n\n')} className="text-ink-soft" />
      </div>
    </Part>
  )
}

/** The firm's legal identity. */
function Identity() {
  const { firm } = useSite()
  const entries = [
    [t('Legal name'), firm.legalName],
    [t('Registration'), firm.registrationNumber],
    [t('Regulator'), firm.regulator],
    [t('Licence'), firm.licence],
    [
      t('Regulation'),
      firm.unregulatedStatement && (
        <FirmWords key="regulation" of="unregulatedStatement">
          {firm.unregulatedStatement}
        </FirmWords>
      ),
    ],
    [t('Address'), <FirmWords key="address">{firm.streetAddress}</FirmWords>],
    [
      t('Serves'),
      <FirmWords key="jurisdictions" of="jurisdictions">
        {firm.jurisdictions}
      </FirmWords>,
    ],
    [t('Founded'), String(firm.foundedYear)],
  ] as const
  return (
    <div data-figure="firm">
      <Entries entries={entries.flatMap(([title, text]) => (text === null ? [] : [{ title, text }]))} />
    </div>
  )
}
