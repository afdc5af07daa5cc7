import { type Kysely, sql } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { FilteredList, SavedFilter, saveFilter } from '#shared/contract/filters.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumSavedFilters } from '#shared/limits.ts'
import { defineRefusals } from '#shared/refusals.ts'

export const filterRefusals = defineRefusals({
  too_many_filters: () =>
    t('You can save at most {maximum} filters of a list. Delete one first.', {
      maximum: maximumSavedFilters,
    }),
})

type Row = { id: string; list: FilteredList; name: string; values: unknown }

const columns = ['id', 'list', 'name', 'values'] as const

function present({ id, list, name, values }: Row): SavedFilter {
  return { _id: id, list, name, values: values as SavedFilter['values'] }
}

/** A person's saved filters of a list, by name. */
export async function filtersOf(
  db: Kysely<Schema>,
  userId: string,
  list: FilteredList,
): Promise<SavedFilter[]> {
  const rows = await db
    .selectFrom('app.saved_filters')
    .select(columns)
    .where('user_id', '=', userId)
    .where('list', '=', list)
    .orderBy(sql`lower(name)`)
    .execute()
  return rows.map(present)
}

/**
 * Saves a filter, in place of one of the same name.
 * @throws AppError too_many_filters
 */
export async function keepFilter(
  tx: Tx,
  ctx: SignedInContext,
  { list, name, values }: ParsedInput<typeof saveFilter>['body'],
): Promise<SavedFilter> {
  const { userId } = ctx.caller
  // One at a time for each person, so that two cannot pass the limit together.
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const others = await tx
    .selectFrom('app.saved_filters')
    .select('id')
    .where('user_id', '=', userId)
    .where('list', '=', list)
    .where(sql<boolean>`lower(name) <> lower(${name})`)
    .execute()
  if (others.length >= maximumSavedFilters) throw filterRefusals.error({ reason: 'too_many_filters' })
  const kept = { name, values }
  const row = await tx
    .insertInto('app.saved_filters')
    .values({ ...kept, id: newId(ctx.services.clock.now()), user_id: userId, list })
    .onConflict(conflict => conflict.expression(sql`user_id, list, lower(name)`).doUpdateSet(kept))
    .returning(columns)
    .executeTakeFirstOrThrow()
  const subject = { kind: 'filter', id: row.id }
  await audit(tx, ctx, { action: 'filter.saved', subject, details: { list, name } })
  return present(row)
}

/** @throws AppError not_found, also for another person's filter */
export async function deleteFilter(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const row = await tx
    .deleteFrom('app.saved_filters')
    .where('id', '=', id)
    .where('user_id', '=', ctx.caller.userId)
    .returning(['list', 'name'])
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', t('There is no such filter'))
  await audit(tx, ctx, { action: 'filter.deleted', subject: { kind: 'filter', id }, details: row })
}
