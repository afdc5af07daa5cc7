import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { refuseFutureDay } from '#server/queries/future-day.ts'
import { isTaken, lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import type { AuditAction } from '#shared/audit.ts'
import type { VersionChange } from '#shared/contract/entities.ts'
import { mostStatistics, type WrittenStatistic } from '#shared/contract/firm.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { evidenceKind } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { statisticRefusals } from './messages.ts'
import { latestStatistics, measuredLabels, presentWritten, type StatisticRow } from './statistics-queries.ts'

/** A figure entered by staff: `asOf` is YYYY-MM-DD, `evidence` a link or a reference. */
export type Figure = { label: string; value: string; source: string; evidence: string; asOf: string }

/**
 * Adds a figure to the site, after the existing ones (D1.3).
 * @throws AppError invalid_input for a future day, a taken label, an invalid link as evidence, or too many figures
 */
export async function addStatistic(
  tx: Tx,
  ctx: SignedInContext,
  figure: Figure,
  reason: string,
): Promise<WrittenStatistic> {
  const all = await lockStatistics(tx, ctx)
  requireValid(figure, ctx, all)
  if (all.length >= mostStatistics) {
    throw new AppError(
      'invalid_input',
      t('There can be at most {maximum} figures', { maximum: mostStatistics }),
    )
  }
  const position = Math.max(-1, ...all.map(row => row.position)) + 1
  return writeVersion(tx, ctx, undefined, { ...columnsOf(figure), position }, 'created', reason)
}

/**
 * Stores a new version of a shown figure.
 * @param by the version that was edited, and the reason
 * @throws AppError not_found; figure_hidden, sample_not_editable; wrong_state if another admin was faster; invalid_input as
 *   for a new one
 */
export async function updateStatistic(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  figure: Figure,
  by: { version: number; reason: string },
): Promise<WrittenStatistic> {
  const all = await lockStatistics(tx, ctx)
  const before = requireOne(all, id)
  requireLatestVersion(before.version, by.version, 'figure')
  if (before.kind === 'sample') throw statisticRefusals.error({ reason: 'sample_not_editable' })
  if (!before.current) throw statisticRefusals.error({ reason: 'figure_hidden' })
  requireValid(figure, ctx, all, id)
  return writeVersion(tx, ctx, before, columnsOf(figure), 'changed', by.reason)
}

/** @throws AppError not_found; already_hidden */
export async function retireStatistic(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<WrittenStatistic> {
  const before = requireOne(await lockStatistics(tx, ctx), id)
  if (!before.current) throw statisticRefusals.error({ reason: 'already_hidden' })
  return writeVersion(tx, ctx, before, {}, 'retired', reason)
}

/** @throws AppError not_found; already_shown; invalid_input if another figure now has its label */
export async function restoreStatistic(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<WrittenStatistic> {
  const all = await lockStatistics(tx, ctx)
  const before = requireOne(all, id)
  if (before.current) throw statisticRefusals.error({ reason: 'already_shown' })
  requireFreeLabel(before.label, all, id)
  return writeVersion(tx, ctx, before, {}, 'restored', reason)
}

/** @throws AppError order_outdated if the ids are not exactly the figures' */
export async function orderStatistics(tx: Tx, ctx: SignedInContext, ids: string[]): Promise<void> {
  const all = await lockStatistics(tx, ctx)
  const labels = new Map(all.map(row => [row.statistic_id, row.label]))
  if (ids.length !== labels.size || ids.some(id => !labels.has(id)) || new Set(ids).size !== ids.length) {
    throw statisticRefusals.error({ reason: 'order_outdated' })
  }
  for (const [position, id] of ids.entries()) {
    await tx.updateTable('app.statistics').set({ position }).where('statistic_id', '=', id).execute()
  }
  const details = { before: { order: [...labels.values()] }, after: { order: ids.map(id => labels.get(id)) } }
  await audit(tx, ctx, { action: 'statistic.ordered', subject: { kind: 'statistic', id: null }, details })
}

async function lockStatistics(tx: Tx, ctx: SignedInContext): Promise<StatisticRow[]> {
  await lockVersions(tx, 'statistics')
  return latestStatistics(tx, ctx.services.config)
}

function requireOne(all: StatisticRow[], id: string): StatisticRow {
  const found = all.find(row => row.statistic_id === id)
  if (!found) throw new AppError('not_found', t('Figure not found'))
  return found
}

function requireValid(figure: Figure, ctx: SignedInContext, all: StatisticRow[], id?: string): void {
  refuseFutureDay('asOf', figure.asOf, ctx.services.clock.now())
  if (figure.evidence.includes('://') && evidenceKind(figure.evidence) !== 'link') {
    throw invalidField('evidence', t('Evidence must be a link (https://…) or a reference'))
  }
  requireFreeLabel(figure.label, all, id)
}

function requireFreeLabel(label: string, all: StatisticRow[], id?: string): void {
  const named = (other: string) => other.toLowerCase() === label.toLowerCase()
  if (measuredLabels.some(named)) throw invalidField('label', t('The ledger already provides this figure'))
  if (all.some(row => row.current && row.statistic_id !== id && named(row.label))) {
    throw labelTaken()
  }
}

function labelTaken(): AppError {
  return invalidField('label', t('Another figure has this label'))
}

function columnsOf({ label, value, source, evidence, asOf }: Figure) {
  return { label, value, source, evidence, as_of: asOf, kind: 'claim' as const }
}

const actions = {
  created: 'statistic.added',
  changed: 'statistic.updated',
  retired: 'statistic.retired',
  restored: 'statistic.restored',
} satisfies Record<VersionChange, AuditAction>

type Columns = ReturnType<typeof columnsOf> & { position: number }

/** Stores the version after `before`, or the first one, and audits the change. */
async function writeVersion(
  tx: Tx,
  ctx: SignedInContext,
  before: StatisticRow | undefined,
  changes: Partial<Columns>,
  change: VersionChange,
  reason: string,
): Promise<WrittenStatistic> {
  const now = ctx.services.clock.now()
  const id = newId(now)
  const statisticId = before?.statistic_id ?? id
  await tx
    .updateTable('app.statistics')
    .set({ current: false })
    .where('statistic_id', '=', statisticId)
    .where('current', '=', true)
    .execute()
  const after = await tx
    .insertInto('app.statistics')
    .values({
      ...((before ? { ...before, ...changes } : changes) as Columns),
      id,
      statistic_id: statisticId,
      version: (before?.version ?? 0) + 1,
      current: change !== 'retired',
      change,
      mode: ctx.services.config.mode,
      reason,
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(error => {
      throw isTaken(error, 'statistics_current_label') ? labelTaken() : error
    })
  const details = { ...(before && { before: presentWritten(before) }), after: presentWritten(after) }
  await audit(tx, ctx, {
    action: actions[change],
    subject: { kind: 'statistic', id: statisticId },
    reason,
    details,
  })
  return presentWritten(after)
}
