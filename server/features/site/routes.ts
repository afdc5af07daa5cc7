import { sql } from 'kysely'
import { type Binding, query, type Services } from '#server/context.ts'
import { currentRates } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { currentFirm } from '#server/records/firm.ts'
import * as call from '#shared/contract/site.ts'
import { usdToJson } from '#shared/money.ts'
import { statisticsOf } from './statistics.ts'

export const routes: Binding[] = [
  query(call.site, async (_input, { services }) => {
    const { db, config } = services
    const [firm, statistics, books] = await Promise.all([
      currentFirm(db, config),
      statisticsOf(services),
      lastCheck(services),
    ])
    return {
      mode: config.mode,
      firm,
      statistics,
      books,
      largeWithdrawal: usdToJson(config.largeWithdrawalCents),
    }
  }),

  query(call.prices, async (_input, { services }) => {
    const now = services.clock.now()
    return (await currentRates(services, now)).map(({ usdE8, at, ...rate }) => ({
      ...rate,
      usd: formatRate(usdE8),
      at: at.toISOString(),
      ageSeconds: Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1000)),
    }))
  }),
]

/** When the books were last checked against themselves, and whether they held. */
async function lastCheck({ db }: Services): Promise<{ checkedAt: string | null; ok: boolean | null }> {
  const { rows } = await sql<{ finished_at: Date; ok: boolean }>`
    SELECT finished_at, ok FROM ledger.invariant_runs ORDER BY id DESC LIMIT 1`.execute(db)
  const last = rows[0]
  return last ? { checkedAt: last.finished_at.toISOString(), ok: last.ok } : { checkedAt: null, ok: null }
}
