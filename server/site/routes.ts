import { brandOnPages } from '#server/brand/queries.ts'
import { type Binding, query } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { statisticsOf } from '#server/firm/statistics-queries.ts'
import { latestCheck } from '#server/ledger/invariants.ts'
import { policiesInForce } from '#server/policies/queries.ts'
import { pricesOverview } from '#server/prices/overview.ts'
import { currentRates } from '#server/prices/rates.ts'
import { formatRate } from '#server/prices/reading.ts'
import { publishedUntil } from '#server/proof/overview.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import * as call from '#shared/contract/site.ts'
import { configuredSite, decidedSite } from './configured-site.ts'

export const routes: Binding[] = [
  query(call.site, async (_input, { services }) => {
    const { db, config, clock } = services
    const [firm, brand, statistics, check, published, settings, policies] = await Promise.all([
      currentFirm(db, config),
      brandOnPages(db),
      statisticsOf(services),
      latestCheck(services.pool),
      publishedUntil(services.pool),
      settingsNow(services),
      policiesInForce(db, clock.now()),
    ])
    return {
      ...configuredSite(config),
      firm,
      brand,
      statistics,
      books: {
        checkedAt: check?.finished_at.toISOString() ?? null,
        ok: check?.ok ?? null,
        publishedUntil: published,
      },
      ...decidedSite(settings),
      policies,
    }
  }),

  query(call.prices, async (_input, { services }) => {
    const now = services.clock.now()
    return (await currentRates(services, now)).map(({ usdE8, at, ...rate }) => ({
      ...rate,
      usd: formatRate(usdE8),
      stale: rate.state !== 'good',
      at: at.toISOString(),
      ageSeconds: Math.max(0, Math.floor((now.getTime() - at.getTime()) / 1000)),
    }))
  }),

  query(call.listPriceSources, (_input, { services }) => pricesOverview(services, services.clock.now())),
]
