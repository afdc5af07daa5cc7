import { AnchorButton } from '#web/components/link-button.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { LedgerDrawing } from './artwork.tsx'
import { Part } from './banner.tsx'
import { Books } from './books.tsx'
import { ContactForm } from './contact-form.tsx'
import { Process } from './process.tsx'
import { SectorCards } from './sectors.tsx'
import { Statistics } from './statistics.tsx'

export const meta = pageMeta(
  '',
  'A private equity and investment firm whose investors can check its books: double entry, append-only, to the cent.',
)

/** Home (P-03, P-04). */
export default function HomePage() {
  return (
    <>
      <Hero />
      <AboutTeaser />
      <Part eyebrow="Where we invest" title="Three sectors, known well">
        <SectorCards />
      </Part>
      <Part
        eyebrow="How it works"
        title="Three steps, and you can follow each of them"
        lead={<p>Personalised planning at the start, transparent performance tracking all the way.</p>}
      >
        <Process />
      </Part>
      <Books />
      <StatisticsAndContact />
    </>
  )
}

function Hero() {
  return (
    <section className="page grid items-center gap-12 py-16 lg:grid-cols-[3fr_2fr] lg:py-24">
      <div className="grid gap-7">
        <h1 className="display text-4xl">Private equity with books you can check</h1>
        <p className="max-w-xl text-ink-soft text-lg">
          We invest in operating businesses and property. Every dollar you see is an entry in a ledger that
          nobody can rewrite, and every return names what it was earned on.
        </p>
        <p className="flex flex-wrap gap-4">
          <AnchorButton href={paths.register}>Get started</AnchorButton>
          <AnchorButton href="#books" tone="quiet">
            How the books are kept
          </AnchorButton>
        </p>
      </div>
      <LedgerDrawing className="mx-auto hidden w-full max-w-sm sm:block" />
    </section>
  )
}

function AboutTeaser() {
  const { firm } = useSite()
  return (
    <Part eyebrow="About us" title="An old trade, with the ledger open">
      <div className="grid max-w-2xl gap-5 text-lg">
        <p>
          {firm.productName} was founded in {firm.foundedYear} to do one thing: buy into businesses that earn
          money, help them to earn more, and share what was earned with the people who paid for it.
        </p>
        <p className="text-ink-soft">
          The years in between taught us what investors miss most. Not another promise: a way to check the
          last one.
        </p>
        <p>
          <a className="prose-link" href={paths.about}>
            More about us
          </a>
        </p>
      </div>
    </Part>
  )
}

function StatisticsAndContact() {
  return (
    <section className="band mt-8 border-rule border-t bg-sunken">
      <div className="page grid gap-16 py-16 lg:grid-cols-2 lg:gap-24 lg:py-24">
        <div className="grid content-start gap-8">
          <h2 className="display text-2xl">The firm in figures</h2>
          <Statistics />
        </div>
        <div className="grid content-start gap-8">
          <h2 className="display text-2xl">Ask us</h2>
          <ContactForm />
        </div>
      </div>
    </section>
  )
}
