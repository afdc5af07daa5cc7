import { AnchorButton } from '#web/components/link-button.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner } from './banner.tsx'
import { sectors } from './sectors.tsx'

export const meta = pageMeta(
  'Services',
  'Our focus areas: information technology, real estate and retirement plans.',
)

/** Services: the focus areas, each in full (P-07). */
export default function ServicesPage() {
  return (
    <>
      <Banner title="Services: our focus areas" crumb="Services">
        <p>
          Three fields that we know from the inside. We would rather miss a fashion than buy what we cannot
          judge.
        </p>
      </Banner>
      {sectors.map(({ id, name, brief, long, Drawing }) => (
        <section key={id} id={id} className="page scroll-mt-8 py-14 lg:py-20">
          <div className="grid gap-10 border-rule border-t pt-8 lg:grid-cols-[1fr_2fr] lg:gap-16">
            <Drawing className="w-full max-w-72 text-ink-faint" />
            <div className="grid max-w-2xl content-start gap-4">
              <h2 className="display text-2xl">{name}</h2>
              <p className="text-lg">{brief}</p>
              {long.map(text => (
                <p key={text} className="text-ink-soft">
                  {text}
                </p>
              ))}
            </div>
          </div>
        </section>
      ))}
      <div className="page flex flex-wrap gap-4">
        <AnchorButton href={paths.plans}>See the investment plans</AnchorButton>
        <AnchorButton tone="quiet" href={paths.contact}>
          Ask us
        </AnchorButton>
      </div>
    </>
  )
}
