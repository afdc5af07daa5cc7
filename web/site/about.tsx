import { AnchorButton } from '#web/components/link-button.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner, Part } from './banner.tsx'
import { Books } from './books.tsx'
import { Process } from './process.tsx'

export const meta = pageMeta('About us', 'Who we are, what we hold to, and how our books can be checked.')

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
    text: 'Personalised planning with somebody who knows the plan you are in, and who will tell you when not to invest.',
  },
  {
    name: 'Diverse Investment Opportunities',
    text: 'Technology, property and retirement plans, in ranges for a first step and for a family’s savings.',
  },
  {
    name: 'Transparent Performance Tracking',
    text: 'Your dashboard and statement are read from the same ledger that we work with, to the cent and to the minute.',
  },
] as const

/** About us (P-05, P-06). */
export default function AboutPage() {
  const { firm } = useSite()
  return (
    <>
      <Banner title="A private equity firm that shows its working" crumb="About us">
        <p>
          Founded in {firm.foundedYear}, {firm.productName} invests in operating businesses and property for
          people who want to know where a return comes from.
        </p>
      </Banner>
      <Part eyebrow="What we hold to" title="Four values">
        <Entries entries={values} />
      </Part>
      <Part eyebrow="What we do for you" title="Three services">
        <Entries entries={services} />
      </Part>
      <Books />
      <Part eyebrow="How it goes" title="From an account to a return, in three steps">
        <Process />
        <p className="mt-10">
          <AnchorButton href={paths.register}>Get started</AnchorButton>
        </p>
      </Part>
    </>
  )
}

function Entries({ entries }: { entries: readonly { name: string; text: string }[] }) {
  return (
    <dl className="grid">
      {entries.map(({ name, text }) => (
        <div
          key={name}
          className="grid gap-2 border-rule border-t py-5 first:border-t-0 first:pt-0 sm:grid-cols-[1fr_1.4fr] sm:gap-8"
        >
          <dt className="font-semibold text-lg">{name}</dt>
          <dd className="text-ink-soft">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
