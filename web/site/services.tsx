import { AnchorButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner } from './banner.tsx'
import { Closing } from './closing.tsx'
import { sectors } from './sectors.tsx'

export const meta = pageMeta('Services', {
  path: paths.services,
  description:
    'Our focus areas: information technology, real estate and retirement plans; what we look for in each, and what we stay away from.',
})

/** Services: the focus areas, each in full (P-07). */
export default function ServicesPage() {
  return (
    <>
      <Banner title="Services: our focus areas" crumb="Services">
        <p>
          Three fields, and the same question in each: what was earned, by whom, and where is the paper that
          shows it?
        </p>
      </Banner>
      {sectors.map(sector => (
        <Focus key={sector.id} {...sector} />
      ))}
      <Closing title="Choose how much, for how long, and what to aim for">
        <AnchorButton href={paths.plans} size="lg">
          See the investment plans
        </AnchorButton>
        <a className="prose-link" href={paths.contact}>
          Ask us first
        </a>
      </Closing>
    </>
  )
}

function Focus({ id, name, brief, long, seek, avoid, evidence, Drawing }: (typeof sectors)[number]) {
  return (
    <section id={id} className="scroll-mt-8 border-rule border-b">
      <div className="page grid gap-10 py-16 lg:grid-cols-[5fr_7fr] lg:gap-16 lg:py-24">
        <div className="grid place-items-center self-start bg-sunken p-8 lg:sticky lg:top-16 lg:p-12">
          <Drawing className="w-full max-w-96" />
        </div>
        <div className="grid max-w-2xl content-start gap-6">
          <h2 className="display text-3xl">{name}</h2>
          <p className="display text-2xl text-ink-soft">{brief}</p>
          {long.map(text => (
            <p key={text} className="text-lg">
              {text}
            </p>
          ))}
          <div className="grid gap-8 pt-4 sm:grid-cols-2">
            <Points title="What we look for" points={seek} />
            <Points title="What we stay away from" points={avoid} />
          </div>
          <p className="border-rule border-t pt-4 text-sm">
            <strong className="font-semibold">What shows a return: </strong>
            <span className="text-ink-soft">{evidence}</span>
          </p>
        </div>
      </div>
    </section>
  )
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  return (
    <div>
      <h3 className="pb-3 font-semibold text-sm">{title}</h3>
      <ul>
        {points.map(point => (
          <li key={point} className="border-rule border-t py-2.5 text-ink-soft">
            {point}
          </li>
        ))}
      </ul>
    </div>
  )
}
