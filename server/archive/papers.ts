import type { SignedInContext } from '#server/context.ts'
import { localTimes } from '#server/platform/zones.ts'
import { letterOf } from '#server/statements/letter.ts'
import { periodOfYear, readYearWithin } from '#server/statements/year.ts'
import { yearAsCsv } from '#server/statements/year-csv.ts'
import { AppError } from '#shared/errors.ts'
import { archivedLetters } from '#shared/limits.ts'
import type { Source } from './table.ts'
import type { ZipFile } from './zip.ts'

/** A statement for each year of the account, except for years with too many postings. */
export async function* yearlyStatements(
  ctx: SignedInContext,
  { tx, userId, now }: Source,
  zone: string,
): AsyncGenerator<ZipFile> {
  const { created_at } = await tx
    .selectFrom('app.users')
    .select('created_at')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const yearOf = (at: Date) => Number(localTimes(zone)(at).day.slice(0, 4))
  for (let year = yearOf(created_at); year <= yearOf(now); year++) {
    const text = await yearAsText(ctx, { tx, userId }, { year, zone })
    if (text !== undefined) {
      yield { name: `yearly-statements/yearly-statement-${year}.csv`, parts: [Buffer.from(text)] }
    }
  }
}

async function yearAsText(
  ctx: SignedInContext,
  { tx, userId }: Pick<Source, 'tx' | 'userId'>,
  filter: { year: number; zone: string },
): Promise<string | undefined> {
  try {
    return await yearAsCsv(await readYearWithin(tx, userId, periodOfYear(filter, ctx)))
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input') return undefined
    throw error
  }
}

/** The letters about the newest investments that have one. */
export async function* letters(
  ctx: SignedInContext,
  { tx, userId }: Source,
  zone: string,
): AsyncGenerator<ZipFile> {
  const newest = await tx
    .selectFrom('app.investments')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['active', 'inactive'])
    .orderBy('id', 'desc')
    .limit(archivedLetters)
    .execute()
  const within = { ...ctx, services: { ...ctx.services, db: tx } }
  for (const { id } of newest) {
    const { number, content } = await letterOf(within, { id, zone })
    yield { name: `letters/confirmation-${number}.pdf`, isPacked: true, parts: [content] }
  }
}
