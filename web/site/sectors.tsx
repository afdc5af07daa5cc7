import type { ComponentType } from 'react'
import { paths } from '#web/paths.ts'
import { EstateDrawing, RetirementDrawing, TechnologyDrawing } from './artwork.tsx'

type Sector = {
  id: string
  name: string
  brief: string
  /** What the focus means in practice. */
  long: readonly string[]
  seek: readonly string[]
  avoid: readonly string[]
  /** What stands as evidence beside a return of this sector. */
  evidence: string
  Drawing: ComponentType<{ className?: string }>
}

/** Where the firm invests (P-03, P-07). */
export const sectors: readonly Sector[] = [
  {
    id: 'information-technology',
    name: 'Information Technology',
    brief: 'Software and services that businesses pay for every month and would miss the next morning.',
    long: [
      'The companies that we look for are rarely in the news. They schedule the lorries, settle the invoices and keep the records of trades that nobody finds glamorous, and their customers renew because leaving would cost more than staying.',
    ],
    seek: [
      'Recurring revenue, and customers who stay',
      'Founders who still talk to customers',
      'Growth that the company earns itself',
    ],
    avoid: ['What needs the next round of funding to survive', 'A single customer who could end it'],
    evidence: 'Distribution notices and bank confirmations of what a company has paid out.',
    Drawing: TechnologyDrawing,
  },
  {
    id: 'real-estate',
    name: 'Real Estate',
    brief: 'Buildings with tenants in them: light industrial, small offices and homes that are let.',
    long: [
      'Rent is a return that arrives every month and can be shown to anybody who asks. We look at the lease before the building, and at the tenant before the lease.',
    ],
    seek: [
      'Tenants in place, on leases with years to run',
      'Repairs that can be costed before the purchase',
      'Streets where the next tenant is easy to find',
    ],
    avoid: ['Prices that only a higher price could justify', 'Building sites'],
    evidence: 'Rent received, net of costs, and settlement statements of sales.',
    Drawing: EstateDrawing,
  },
  {
    id: 'retirement-plans',
    name: 'Retirement Plans',
    brief: 'Plans over years rather than weeks, for money that has to be there when work ends.',
    long: [
      'A long horizon forgives a bad quarter and punishes a bad habit. So the plan is written down before the first dollar goes in: how much, for how long, and what would make us change it.',
    ],
    seek: [
      'Holdings spread over both other sectors',
      'Costs that are known in advance',
      'A pace that fits the year you stop working',
    ],
    avoid: ['Anything that must be sold in a hurry', 'Targets that only a good year would meet'],
    evidence: 'The returns of the holdings, each recorded where it was earned.',
    Drawing: RetirementDrawing,
  },
]

/** The three sectors as cards that lead to their part of the services page. */
export function SectorCards() {
  return (
    <ul className="grid gap-x-8 gap-y-12 md:grid-cols-3">
      {sectors.map(({ id, name, brief, Drawing }) => (
        <li key={id} className="group relative grid content-start gap-5">
          <div className="bg-sunken p-6 motion-safe:transition-colors group-hover:bg-accent-soft">
            <Drawing className="mx-auto w-full max-w-72" />
          </div>
          <h3 className="display text-xl">
            <a href={`${paths.services}#${id}`} className="after:absolute after:inset-0 hover:text-accent">
              {name}
            </a>
          </h3>
          <p className="text-ink-soft">{brief}</p>
        </li>
      ))}
    </ul>
  )
}
