import type { ComponentType } from 'react'
import { paths } from '#web/paths.ts'
import { EstateDrawing, RetirementDrawing, TechnologyDrawing } from './artwork.tsx'

type Sector = {
  id: string
  name: string
  brief: string
  /** What the focus means in practice. */
  long: readonly string[]
  Drawing: ComponentType<{ className?: string }>
}

/** Where the firm invests (P-03, P-07). */
export const sectors: readonly Sector[] = [
  {
    id: 'information-technology',
    name: 'Information Technology',
    brief: 'Software and services that businesses pay for every month and would miss the next morning.',
    long: [
      'We look for companies with recurring revenue, low churn and founders who still talk to customers: vertical software, managed services, the plumbing of payments and logistics.',
      'We stay away from what needs the next round of funding to survive. A company has to earn its own growth before we count a return on it.',
    ],
    Drawing: TechnologyDrawing,
  },
  {
    id: 'real-estate',
    name: 'Real Estate',
    brief: 'Buildings with tenants in them: light industrial, small offices and homes that are let.',
    long: [
      'Rent is a return that arrives every month and can be shown to anybody who asks. We buy for the lease, not for the hope of a better price.',
      'Each property has its own accounts. What it took in, what it cost and what was left can be followed to the entry in the ledger.',
    ],
    Drawing: EstateDrawing,
  },
  {
    id: 'retirement-plans',
    name: 'Retirement Plans',
    brief: 'Plans over years rather than weeks, for money that has to be there when work ends.',
    long: [
      'A long horizon forgives a bad quarter and punishes a bad habit. We keep costs low, spread the holdings and write down the plan before the first dollar goes in.',
      'You see the same statement as we do: what came in, what was earned and on what, what was paid out.',
    ],
    Drawing: RetirementDrawing,
  },
]

/** The three sectors as cards that lead to their part of the services page. */
export function SectorCards() {
  return (
    <ul className="grid gap-x-8 gap-y-12 md:grid-cols-3">
      {sectors.map(({ id, name, brief, Drawing }) => (
        <li key={id} className="relative grid content-start gap-4 border-rule border-t pt-6">
          <Drawing className="w-full max-w-60 text-ink-faint" />
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
