import type { Kysely, Selectable } from 'kysely'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { booksAtAGlance } from '#server/ledger/daily.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { cachedForAMinute } from '#server/queries/cached-for-a-minute.ts'
import { defineList } from '#server/queries/list.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import { mostStatistics, type WrittenStatistic } from '#shared/contract/firm.ts'
import type { Statistic } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { evidenceKind } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'

type Mode = Pick<Config, 'mode'>
export type StatisticRow = Selectable<Schema['app.statistics']>

/**
 * The figures about the firm's business (D1.3). A demonstration shows its sample, marked as such; live mode shows the
 * ledger's figures, then the operator's claims with source and date, and never a sample.
 */
export async function statisticsOf(services: Services): Promise<Statistic[]> {
  const written = (await latestStatistics(services.db, services.config))
    .filter(({ current }) => current)
    .map(presentShown)
  if (services.config.mode === 'demo') return written
  return [...(await listMeasured(services)), ...written]
}

/** The ledger's figures, computed at most once a minute however many visitors ask. */
export const listMeasured = cachedForAMinute(measuredFigures)

/** The ledger's figures by label: nobody may claim another value for them. */
export const measuredLabels = [
  'Invested in active plans',
  'Realised returns recorded',
  'Earnings paid',
  'Withdrawals paid',
] as const

async function measuredFigures(db: Kysely<Schema>, now: Date): Promise<Statistic[]> {
  const today = dayOf(now)
  const { owed, returns, paidOut } = await booksAtAGlance(db, { today, since: today })
  const measured = (label: (typeof measuredLabels)[number], cents: bigint, source: string): Statistic => {
    return { label, value: formatUsd(cents), kind: 'ledger', source, link: null, asOf: now.toISOString() }
  }
  return [
    measured('Invested in active plans', owed.invested, 'Ledger: all accounts "invested"'),
    measured('Realised returns recorded', returns.recordedCents, 'Ledger: account "returns received"'),
    measured('Earnings paid', returns.paidCents, 'Ledger: account "recorded returns"'),
    measured('Withdrawals paid', paidOut.allCents, 'Ledger: account "payouts"'),
  ]
}

/** The latest version of each entered figure, shown or hidden, in order. */
export function latestStatistics(db: Kysely<Schema>, { mode }: Mode): Promise<StatisticRow[]> {
  return db
    .with('latest', part =>
      part
        .selectFrom('app.statistics')
        .selectAll()
        .distinctOn('statistic_id')
        .where('mode', '=', mode)
        .orderBy('statistic_id')
        .orderBy('version', 'desc'),
    )
    .selectFrom('latest')
    .selectAll()
    .orderBy('position')
    .orderBy('statistic_id')
    .limit(mostStatistics)
    .execute()
}

/** The entered figures for the console. */
export async function writtenStatistics(db: Kysely<Schema>, config: Mode): Promise<WrittenStatistic[]> {
  return (await latestStatistics(db, config)).map(presentWritten)
}

export function presentWritten(row: StatisticRow): WrittenStatistic {
  return {
    _id: row.statistic_id,
    version: row.version,
    label: row.label,
    value: row.value,
    kind: row.kind,
    source: row.source,
    evidence: row.evidence,
    asOf: row.as_of,
    shown: row.current,
    changedAt: row.created_at.toISOString(),
  }
}

/** A figure for the public pages. */
function presentShown({ label, value, kind, source, evidence, as_of }: StatisticRow): Statistic {
  const link = evidence !== null && evidenceKind(evidence) === 'link' ? evidence : null
  return { label, value, kind, source, link, asOf: `${as_of}T00:00:00.000Z` }
}

/**
 * The versions of one figure, newest first.
 * @throws AppError not_found
 */
export async function statisticVersions(
  services: Pick<Services, 'db' | 'clock' | 'config'>,
  id: string,
  filter: Pick<ListQuery, 'limit' | 'cursor'>,
) {
  const found = await versionsOf(services.config, id).page(services, filter)
  if (found.data.length === 0 && !filter.cursor) throw new AppError('not_found', t('Figure not found'))
  return found
}

const versionsOf = ({ mode }: Mode, id: string) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.statistics as s')
        .leftJoin('app.users as u', 'u.id', 's.created_by')
        .where('s.mode', '=', mode)
        .where('s.statistic_id', '=', id),
    columns: query => query.selectAll('s').select('u.name as changed_by'),
    present: rows =>
      rows.map(row => ({
        version: row.version,
        change: row.change,
        changedBy: row.changed_by,
        changedAt: row.created_at.toISOString(),
        reason: row.reason,
        label: row.label,
        value: row.value,
        source: row.source,
        evidence: row.evidence,
        asOf: row.as_of,
      })),
    id: 's.version',
    idType: 'version',
  })
