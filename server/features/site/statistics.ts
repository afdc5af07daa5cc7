import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import { firmBalance, investorTotals, recordedReturns } from '#server/ledger/balances.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Statistic } from '#shared/contract/site.ts'
import { measuredSeconds } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'

/** Claims and sample figures at most. */
const mostFigures = 20

/**
 * The figures about the firm's business (D1.3). A demonstration shows the sample's, marked as such; live mode shows what
 * the ledger says within the minute, then the operator's claims, each with its source and date, and never a sample.
 */
export async function statisticsOf({ db, config, clock }: Services): Promise<Statistic[]> {
  if (config.mode === 'demo') return writtenFigures(db, ['claim', 'sample'])
  return [...(await latestFigures(db, clock.now())), ...(await writtenFigures(db, ['claim']))]
}

type Measured = { at: number; figures: Promise<Statistic[]> }
const latest = new WeakMap<Kysely<Schema>, Measured>()

/** Measuring reads every investor's account, which no visitor may make the database do again and again. */
function latestFigures(db: Kysely<Schema>, now: Date): Promise<Statistic[]> {
  const known = latest.get(db)
  if (known && now.getTime() - known.at < measuredSeconds * 1000) return known.figures
  const measured = { at: now.getTime(), figures: measuredFigures(db, now) }
  latest.set(db, measured)
  measured.figures.catch(() => latest.delete(db))
  return measured.figures
}

async function writtenFigures(db: Kysely<Schema>, kinds: ('claim' | 'sample')[]): Promise<Statistic[]> {
  const rows = await db
    .selectFrom('app.statistics')
    .selectAll()
    .where('kind', 'in', kinds)
    .orderBy('position')
    .limit(mostFigures)
    .execute()
  return rows.map(({ label, value, kind, source, as_of }) => {
    return { label, value, kind, source, asOf: `${as_of}T00:00:00.000Z` }
  })
}

async function measuredFigures(db: Kysely<Schema>, now: Date): Promise<Statistic[]> {
  const [totals, returns, payouts] = await Promise.all([
    investorTotals(db),
    recordedReturns(db),
    firmBalance(db, 'payouts', 'USD'),
  ])
  const measured = (label: string, cents: bigint, source: string): Statistic => {
    return { label, value: formatUsd(cents), kind: 'ledger', source, asOf: now.toISOString() }
  }
  return [
    measured('Invested in active plans', totals.invested, 'Ledger: all accounts "invested"'),
    measured('Realised returns recorded', returns.recordedCents, 'Ledger: account "returns received"'),
    measured('Earnings paid', returns.paidOutCents, 'Ledger: account "recorded returns"'),
    measured('Withdrawals paid', payouts, 'Ledger: account "payouts"'),
  ]
}
