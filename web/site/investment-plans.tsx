import type { LoaderFunctionArgs } from 'react-router'
import { useLoaderData } from 'react-router'
import { listPlans } from '#shared/contract/plans.ts'
import { riskLine } from '#shared/plans.ts'
import { AnchorButton } from '#web/components/link-button.tsx'
import { PlanFacts } from '#web/components/plan-facts.tsx'
import { hostContext } from '#web/host.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Card } from '#web/ui/section.tsx'
import { Banner, Part } from './banner.tsx'

export const meta = pageMeta('Investment plans', 'Every plan with its range, its duration and its target.')

export async function loader({ context }: LoaderFunctionArgs) {
  return { plans: await context.get(hostContext).call(listPlans, {}) }
}

/** The catalogue, one card a plan (P-08, P-09). */
export default function PlansPage() {
  const { plans } = useLoaderData<typeof loader>()
  return (
    <>
      <Banner title="Investment plans" crumb="Investment plans">
        <p>
          A plan says how much, for how long and what we aim for. The percentage is a target on the amount
          over the whole duration, simple, not compounded. {riskLine}
        </p>
      </Banner>
      <div className="page py-16">
        <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {plans.map(plan => (
            <li key={plan._id} className="grid">
              <Card className="flex flex-col gap-5">
                <div className="grid gap-1">
                  <h2 className="display text-xl">{plan.name}</h2>
                  <p className="flex flex-wrap items-baseline gap-x-2">
                    <span className="text-ink-faint text-sm">Target</span>
                    <span className="display text-3xl tabular-nums">{plan.percentage}%</span>
                    <span className="text-ink-faint text-sm">over {plan.duration}</span>
                  </p>
                </div>
                <PlanFacts plan={plan} />
                {plan.note && <p className="text-ink-soft text-sm">{plan.note}</p>}
                <p className="mt-auto text-ink-faint text-xs">{riskLine}</p>
                <AnchorButton href={paths.register} aria-label={`Get started with the ${plan.name} plan`}>
                  Get started
                </AnchorButton>
              </Card>
            </li>
          ))}
        </ul>
      </div>
      <Part eyebrow="What a target is" title="An aim, with its arithmetic shown">
        <div className="grid max-w-2xl gap-4 text-ink-soft">
          <p>
            An amount of $1,000 in a plan with a target of 9% over 30 days aims at $90. It is credited only as
            far as the firm has realised returns to credit it from; the rest waits, or does not come.{' '}
            {riskLine}
          </p>
          <p>
            When a plan ends, the amount goes back to your balance. From there it can be withdrawn or invested
            again.
          </p>
        </div>
      </Part>
    </>
  )
}
