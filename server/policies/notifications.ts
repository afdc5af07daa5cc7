import { type Db, recordTemplates } from '#server/notifications/template.ts'
import { utcDay } from '#shared/moments.ts'
import { newestPolicy } from './queries.ts'

type Told = { id: string; version: number; from: string; changes: string }

/** Changed terms, as an investor is notified of them; `id` is the investor's. */
export const termsTemplates = recordTemplates({
  load: toldById,
  events: {
    changed: ({ id, version, from, changes }: Told) => ({
      userId: id,
      headline: `Our terms change on ${utcDay(new Date(from))}`,
      text: `Version ${version} of our terms comes into force on ${utcDay(new Date(from))} (UTC).`,
      details: [
        changes,
        'Please read and accept it under Terms in your account if you want to go on depositing and investing. You need not accept it to withdraw your money.',
      ],
    }),
  },
})

async function toldById(db: Db, ids: string[]): Promise<Told[]> {
  const newest = await newestPolicy(db, 'terms')
  if (!newest) return []
  const { version, in_force_from: from, changes } = newest
  return ids.map(id => ({ id, version, from, changes: changes ?? '' }))
}
