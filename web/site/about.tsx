import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner, Entries, Part } from './banner.tsx'
import { Books } from './books.tsx'
import { Closing } from './closing.tsx'
import { Process } from './process.tsx'

export const meta = pageMeta('About us', {
  path: paths.about,
  description:
    'Who we are, the four values that we hold to, what we do for investors, and how anybody can check our books.',
})

const values = [
  {
    name: 'A culture of integrity',
    text: 'We say what we know, what we aim for and what we do not know, and we keep the three apart.',
  },
  {
    name: 'An operator-first philosophy',
    text: 'Businesses are made by the people who run them. We back them, ask hard questions and stay out of their way.',
  },
  {
    name: 'Segment-focused investors',
    text: 'Three segments, known well. Depth is the only advantage that cannot be bought at short notice.',
  },
  {
    name: 'A lower middle-market focus',
    text: 'Companies too small for the large funds and too good to be left alone: there a fair price still exists.',
  },
] as const

const services = [
  {
    name: 'Expert Guidance',
    text: 'Personalised planning: how much, for how long and towards what, with somebody who will also tell you when not to invest.',
  },
  {
    name: 'Diverse Investment Opportunities',
    text: 'Technology, property and retirement plans, in ranges for a first step and for a family’s savings.',
  },
  {
    name: 'Transparent Performance Tracking',
    text: 'Your dashboard and your statement are read from the same ledger that we work with, to the cent and to the minute.',
  },
] as const

/** About us (P-05, P-06). */
export default function AboutPage() {
  const { firm } = useSite()
  return (
    <>
      <Banner
        title="A private equity firm that shows its working"
        crumb="About us"
        drawing={<BalanceDrawing className="w-96" />}
      >
        <p>
          Founded in <span data-figure="firm">{firm.foundedYear}</span>, {firm.productName} invests in
          operating businesses and property for people who want to know where a return comes from.
        </p>
      </Banner>
      <Part eyebrow="About us" title="Most firms ask for trust. We would rather be checked">
        <div className="grid max-w-2xl gap-6 text-lg">
          <p className="display text-2xl">
            Private equity is a long trade with short reports: money goes in, a figure comes back, and what
            happened between the two is a matter of faith.
          </p>
          <p className="text-ink-soft">
            We keep the part in between. A return exists here only once it has been realised and recorded: how
            much, on what, on which day, with the paper that shows it. Earnings are paid out of those records
            and out of nothing else, so that one investor’s deposit can never be another investor’s profit.
          </p>
          <p className="text-ink-soft">
            It makes us slower to promise and easier to check. We think that is the right way round.
          </p>
        </div>
      </Part>
      <div className="page">
        <hr className="border-rule" />
      </div>
      <Part eyebrow="What we hold to" title="Four values">
        <Entries entries={values} />
      </Part>
      <Books />
      <Part eyebrow="What we do for you" title="Three services">
        <Entries entries={services} />
      </Part>
      <div className="page">
        <hr className="border-rule" />
      </div>
      <Part wide eyebrow="How it goes" title="From an account to a return, in three steps">
        <Process />
      </Part>
      <Closing title="Begin with an account. It costs nothing and binds you to nothing">
        <AnchorButton href={paths.register} size="lg">
          Get started
        </AnchorButton>
        <a className="prose-link" href={paths.plans}>
          See the investment plans
        </a>
      </Closing>
    </>
  )
}
