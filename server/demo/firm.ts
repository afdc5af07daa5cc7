import type { Tx } from '#server/context.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { dayOf } from '#shared/moments.ts'
import { sampleId } from './catalogue.ts'
import { arabicTexts } from './firm-texts.ar.ts'
import { germanTexts } from './firm-texts.de.ts'
import { spanishTexts } from './firm-texts.es.ts'
import { sampleTexts } from './firm-texts.ts'

/** The demonstration's firm. It does not exist, and its texts say so (D2). */
export const sampleFirm: FirmProfile = {
  productName: 'Probity',
  legalName: 'Probity Capital Partners (fictional)',
  registrationNumber: null,
  regulator: null,
  licence: null,
  unregulatedStatement:
    'A fictional firm for demonstration. It is not licensed or regulated by any authority.',
  streetAddress: '1 Sample Street, Sydney NSW 2000, Australia',
  supportEmail: 'support@probity.test',
  // Reserved for fiction in Australia.
  phones: ['+61 2 5550 0123'],
  jurisdictions: 'None: this is a demonstration',
  riskStatement:
    'Private equity is illiquid and can lose all of its value. Invest only what you can afford to lose.',
  foundedYear: 1996,
  onlineSince: 2004,
  texts: sampleTexts,
  translations: {
    de: { texts: germanTexts, outdated: [] },
    es: { texts: spanishTexts, outdated: [] },
    ar: { texts: arabicTexts, outdated: [] },
  },
}

/** The specification's figures (P-04). */
const sampleStatistics = [
  ['20k', 'Active investments'],
  ['10+', 'Countries'],
  ['8k', 'Businesses consulted'],
  ['15k', 'Satisfied clients'],
] as const

/** The firm's profile and the figures of its home page. */
export async function loadFirm(tx: Tx, now: Date): Promise<void> {
  await tx
    .insertInto('app.firm_profiles')
    .values({ mode: 'demo', version: 1, profile: sampleFirm, created_at: now })
    // A test's world may have it already.
    .onConflict(conflict => conflict.doNothing())
    .execute()
  await tx
    .insertInto('app.statistics')
    .values(
      sampleStatistics.map(([value, label], position) => ({
        id: sampleId(`statistic ${label}`),
        statistic_id: sampleId(`statistic ${label}`),
        mode: 'demo' as const,
        position,
        label,
        value,
        kind: 'sample' as const,
        source: 'Part of the demonstration, not measured',
        as_of: dayOf(now),
        created_at: now,
      })),
    )
    .execute()
}
