import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { isTaken, lockVersions, requireLatest } from '#server/queries/versions.ts'
import type { AuditAction } from '#shared/audit.ts'
import type { VersionChange } from '#shared/contract/entities.ts'
import { mostStatistics, type WrittenStatistic } from '#shared/contract/firm.ts'
import { AppError } from '#shared/errors.ts'
import { evidenceKind } from '#shared/evidence.ts'
import { latestStatistics, measuredLabels, presentWritten, type StatisticRow } from './statistics-queries.ts'

/** A figure of the operator's: its day is YYYY-MM-DD, its evidence a link or a reference. */
export type Figure = { label: string; value: string; source: string; evidence: string; asOf: string }

/**
 * Shows a new figure on the site, after those that are there (D1.3).
 * @throws AppError invalid_input: no day to come, no label that another figure has, no evidence that is a faulty link; or
 *   there are as many figures as there can be
 */
export async function addStatistic(
  tx: Tx,
  ctx: SignedInContext,
  figure: Figure,
  reason: string,
): Promise<WrittenStatistic> {
  const all = await lockStatistics(tx, ctx)
  requireSound(figure, ctx, all)
  if (all.length >= mostStatistics) {
    throw new AppError('invalid_input', `There can be at most ${mostStatistics} figures`)
  }
  const position = Math.max(-1, ...all.map(row => row.position)) + 1
  return writeVersion(tx, ctx, undefined, { ...columnsOf(figure), position }, 'created', reason)
}

/**
 * Makes a new version of a figure that is shown.
 * @param by the version that was edited, and why
 * @throws AppError not_found; wrong_state where it is not shown, is a sample, or another admin was quicker; invalid_input
 *   as for a new one
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
  requireLatest(before.version, by.version, 'figure')
  if (before.kind === 'sample') {
    throw new AppError(
      'wrong_state',
      'A sample figure cannot be edited: take it off the site and add another',
    )
  }
  if (!before.current) throw new AppError('wrong_state', 'This figure is not on the site: put it back first')
  requireSound(figure, ctx, all, id)
  return writeVersion(tx, ctx, before, columnsOf(figure), 'changed', by.reason)
}

/** @throws AppError not_found; wrong_state where it is off already */
export async function retireStatistic(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<WrittenStatistic> {
  const before = requireOne(await lockStatistics(tx, ctx), id)
  if (!before.current) throw new AppError('wrong_state', 'This figure is off the site already')
  return writeVersion(tx, ctx, before, {}, 'retired', reason)
}

/** @throws AppError not_found; wrong_state where it is shown already; invalid_input where another has its label by now */
export async function restoreStatistic(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<WrittenStatistic> {
  const all = await lockStatistics(tx, ctx)
  const before = requireOne(all, id)
  if (before.current) throw new AppError('wrong_state', 'This figure is on the site already')
  requireFreeLabel(before.label, all, id)
  return writeVersion(tx, ctx, before, {}, 'restored', reason)
}

/** @throws AppError wrong_state where the ids are not those of the figures */
export async function orderStatistics(tx: Tx, ctx: SignedInContext, ids: string[]): Promise<void> {
  const all = await lockStatistics(tx, ctx)
  const labels = new Map(all.map(row => [row.statistic_id, row.label]))
  if (ids.length !== labels.size || ids.some(id => !labels.has(id)) || new Set(ids).size !== ids.length) {
    throw new AppError(
      'wrong_state',
      'The figures were changed by somebody else just now. Reload and try again.',
    )
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
  if (!found) throw new AppError('not_found', 'There is no such figure')
  return found
}

function requireSound(figure: Figure, ctx: SignedInContext, all: StatisticRow[], id?: string): void {
  const today = ctx.services.clock.now().toISOString().slice(0, 10)
  if (figure.asOf > today) throw faulty('asOf', `The date cannot be in the future; today is ${today} (UTC)`)
  if (figure.evidence.includes('://') && evidenceKind(figure.evidence) !== 'link') {
    throw faulty('evidence', 'Evidence must be a link (https://…) or a reference')
  }
  requireFreeLabel(figure.label, all, id)
}

function requireFreeLabel(label: string, all: StatisticRow[], id?: string): void {
  const named = (other: string) => other.toLowerCase() === label.toLowerCase()
  if (measuredLabels.some(named)) throw faulty('label', 'This figure is measured from the ledger')
  if (all.some(row => row.current && row.statistic_id !== id && named(row.label))) {
    throw labelTaken()
  }
}

function labelTaken(): AppError {
  return faulty('label', 'Another figure has this label')
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

/** Writes the version after `before` (the first one where there is none), and what it changed into the log. */
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

function faulty(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}
