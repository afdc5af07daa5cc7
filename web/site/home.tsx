import { promise } from '#shared/product.ts'
import { BalanceDrawing } from '#web/components/balance-drawing.tsx'
import { AnchorButton } from '#web/components/link-button.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import type { Meta } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { Part } from './banner.tsx'
import { Books, LastCheck } from './books.tsx'
import { ContactForm } from './contact-form.tsx'
import { organisation } from './organisation.ts'
import { Process } from './process.tsx'
import { SectorCards } from './sectors.tsx'
import { Statistics } from './statistics.tsx'

const words = pageMeta(promise, {
  path: paths.home,
  description:
    'A private equity firm whose investors can check its books: double entry, append-only, to the cent. Every earning names the return that paid it.',
})
export const meta: Meta = frame => [...words(frame), ...organisation(frame)]

/** Home (P-03, P-04). */
export default function HomePage() {
  return (
    <>
      <Hero />
      <AboutTeaser />
      <Part
        wide
        eyebrow="Where we invest"
        title="Three sectors, known well"
        lead={<p>We would rather miss a fashion than buy what we cannot judge.</p>}
      >
        <SectorCards />
      </Part>
      <Books />
      <Part
        wide
        eyebrow="How it works"
        title="Three steps, and you can follow each of them"
        lead={<p>Personalised planning at the start, transparent performance tracking all the way.</p>}
      >
        <Process />
      </Part>
      <StatisticsAndContact />
    </>
  )
}

function Hero() {
  return (
    <section className="overflow-clip border-rule border-b">
      <div className="page grid items-center gap-x-10 gap-y-4 pt-14 lg:grid-cols-[7fr_5fr] lg:pt-0">
        <div className="grid gap-8 lg:py-28">
          <h1 className="display max-w-[11ch] text-4xl">{promise}</h1>
          <p className="max-w-xl text-ink-soft text-lg">
            We invest in operating businesses and property. Every dollar you see is an entry in a ledger that
            nobody can rewrite, and every earning names the return that paid it.
          </p>
          <div className="flex flex-wrap items-center gap-x-7 gap-y-4">
            <AnchorButton href={paths.register} size="lg">
              Get started
            </AnchorButton>
            <a className="prose-link" href="#books">
              How we keep the books
            </a>
          </div>
        </div>
        <BalanceDrawing className="-mx-[12%] w-[124%] max-w-none max-lg:max-h-80 max-lg:py-6 lg:mx-0 lg:w-[118%]" />
      </div>
    </section>
  )
}

function AboutTeaser() {
  const { firm } = useSite()
  return (
    <Part eyebrow="About us" title="An old trade, with the ledger open">
      <div className="grid max-w-2xl gap-6">
        <p className="display text-2xl">
          {firm.productName} was founded in <span data-figure="firm">{firm.foundedYear}</span> to do one
          thing: buy into businesses that earn money, help them to earn more, and share what was earned with
          the people who paid for it.
        </p>
        <p className="text-ink-soft text-lg">
          What investors miss most is not another promise. It is a way to check the last one. So we built the
          firm around its books, and opened them.
        </p>
        <p className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-3 border-rule border-t pt-5">
          <a className="prose-link" href={paths.about}>
            More about us
          </a>
          <LastCheck />
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
            <p className="eyebrow">The firm in figures</p>
            <h2 className="display text-3xl">Each with where it comes from</h2>
          </div>
          <Statistics />
        </div>
        <div className="grid content-start gap-8">
          <div className="grid gap-4">
            <p className="eyebrow">Ask us</p>
            <h2 className="display text-3xl">Questions come before money</h2>
          </div>
          <ContactForm />
        </div>
      </div>
    </section>
  )
}
