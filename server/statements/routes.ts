import { Readable } from 'node:stream'
import { audit } from '#server/audit/log.ts'
import { type Binding, query, type SignedInContext } from '#server/context.ts'
import { allocationOf } from '#server/investments/allocation.ts'
import { statement } from '#server/ledger/statement.ts'
import { periodTotals } from '#server/ledger/totals.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { beginFile, inPdfTurn } from '#server/queries/file-turns.ts'
import { investmentLetter } from '#shared/contract/investments.ts'
import * as call from '#shared/contract/ledger.ts'
import { translate } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'
import { statementAsCsv } from './csv.ts'
import { letterOf } from './letter.ts'
import { presentLines } from './lines.ts'
import { statementAsPdf } from './pdf.ts'
import { fileName, ownerOf, periodOf } from './period.ts'
import { balancesOver, earnedByMonth, presentFlows, presentPoint, totalOf } from './series.ts'
import { sumsOf } from './summary.ts'
import { periodOfYear, readYear } from './year.ts'
import { yearAsCsv } from './year-csv.ts'
import { yearAsPdf } from './year-pdf.ts'

export const routes: Binding[] = [
  query(call.statement, async ({ query: { account, kind, limit, cursor, ...filter } }, ctx) => {
    const { db } = await readerOf(ctx.services)
    const { from, until } = periodOf(filter, ctx)
    const { lines, nextCursor, total } = await statement(db, ownerOf(filter, ctx.caller), {
      kinds: account && [account],
      about: kind,
      from,
      until,
      cursor,
      limit,
    })
    const data = (await presentLines(db, lines)).map(line => ({
      ...line,
      description: translate(line.description),
    }))
    return { data, page: { nextCursor, total } }
  }),

  query(call.statementSummary, async ({ query: { account, ...filter } }, ctx) => {
    const asOf = ctx.services.clock.now().toISOString()
    const { db } = await readerOf(ctx.services)
    const totals = await periodTotals(db, ownerOf(filter, ctx.caller), periodOf(filter, ctx))
    const { openingCents, inCents, outCents, closingCents, kinds } = sumsOf(totals, account)
    return {
      opening: usdToJson(openingCents),
      in: usdToJson(inCents),
      out: usdToJson(outCents),
      closing: usdToJson(closingCents),
      kinds: kinds.map(({ kind, lines, inCents, outCents }) => ({
        kind,
        lines,
        in: usdToJson(inCents),
        out: usdToJson(outCents),
      })),
      asOf,
    }
  }),

  query(call.balanceSeries, async ({ query: filter }, ctx) => {
    const owner = ownerOf(filter, ctx.caller)
    const asOf = ctx.services.clock.now()
    const { db } = await readerOf(ctx.services)
    const { step, points, totals, returns } = await balancesOver(db, owner, periodOf(filter, ctx), asOf)
    return {
      step,
      points: points.map(presentPoint),
      ...presentFlows(totals),
      returns,
      asOf: asOf.toISOString(),
    }
  }),

  query(call.earningsByMonth, async ({ query: filter }, ctx) => {
    const owner = ownerOf(filter, ctx.caller)
    const asOf = ctx.services.clock.now()
    const { db } = await readerOf(ctx.services)
    const months = await earnedByMonth(db, owner, periodOf(filter, ctx), asOf)
    return {
      months: months.map(({ month, cents }) => ({ month, earned: usdToJson(cents) })),
      total: usdToJson(months.reduce((sum, { cents }) => sum + cents, 0n)),
      asOf: asOf.toISOString(),
    }
  }),

  query(call.allocation, async ({ query: filter }, ctx) => {
    const now = ctx.services.clock.now()
    const { db } = await readerOf(ctx.services)
    const { plans, balances, next, endings } = await allocationOf(db, ownerOf(filter, ctx.caller), now)
    return {
      plans: plans.map(({ plan, investments, amountCents }) => ({
        plan,
        investments,
        amount: usdToJson(amountCents),
      })),
      available: usdToJson(balances.available),
      held: usdToJson(balances.held),
      total: usdToJson(totalOf(balances)),
      next: next && {
        investments: next.investments,
        endingDate: next.endingAt.toISOString(),
        amount: usdToJson(next.amountCents),
      },
      endings: endings.map(({ day, investments, amountCents, reinvestedCents }) => ({
        day,
        investments,
        amount: usdToJson(amountCents),
        reinvested: usdToJson(reinvestedCents),
        returned: usdToJson(amountCents - reinvestedCents),
      })),
      asOf: now.toISOString(),
    }
  }),

  query(call.statementCsv, async ({ query: filter }, ctx) => {
    const { account, kind, zone } = filter
    const owner = ownerOf(filter, ctx.caller)
    const period = periodOf(filter, ctx)
    const { from, until } = period
    // If too many files wait, this one is refused before the audit log records it.
    await beginFile(ctx.services.pool)
    await auditExport(ctx, owner, 'csv', filter)
    const { db } = await readerOf(ctx.services)
    const text = statementAsCsv({ pool: ctx.services.pool, db }, owner, {
      kinds: account && [account],
      about: kind,
      from,
      until,
      zone,
    })
    return { name: fileName(period, filter, 'csv'), content: Readable.from(text) }
  }),

  query(call.statementPdf, async ({ query: filter }, ctx) => {
    const owner = ownerOf(filter, ctx.caller)
    const period = periodOf(filter, ctx)
    const content = await inPdfTurn(ctx.services.pool, () => statementAsPdf(ctx, owner, period, filter))
    await auditExport(ctx, owner, 'pdf', filter)
    return { name: fileName(period, filter, 'pdf'), content }
  }),

  query(investmentLetter, async ({ params: { id }, query: { zone } }, ctx) => {
    const letter = await inPdfTurn(ctx.services.pool, () => letterOf(ctx, { id, zone }))
    await auditExport(ctx, letter.ownerId, 'pdf', { investment: letter.number, zone })
    return { name: `confirmation-${letter.number}.pdf`, content: letter.content }
  }),

  query(call.yearCsv, async ({ query: filter }, ctx) => {
    const owner = ownerOf(filter, ctx.caller)
    const period = periodOfYear(filter, ctx)
    const { db } = await readerOf(ctx.services)
    const text = await inPdfTurn(ctx.services.pool, async () => yearAsCsv(await readYear(db, owner, period)))
    await auditExport(ctx, owner, 'csv', filter)
    return { name: `yearly-statement-${filter.year}.csv`, content: Buffer.from(text) }
  }),

  query(call.yearPdf, async ({ query: filter }, ctx) => {
    const owner = ownerOf(filter, ctx.caller)
    const period = periodOfYear(filter, ctx)
    const content = await inPdfTurn(ctx.services.pool, () => yearAsPdf(ctx, owner, period))
    await auditExport(ctx, owner, 'pdf', filter)
    return { name: `yearly-statement-${filter.year}.pdf`, content }
  }),
]

/** A letter about an investment, by its number. */
type Letter = { userId?: undefined; investment: string; zone: string }

/** Audits an export: whose statement, the format and the filter. */
async function auditExport(
  ctx: SignedInContext,
  owner: string,
  format: 'csv' | 'pdf',
  { userId: _, ...part }: call.StatementFilter | call.YearFilter | Letter,
): Promise<void> {
  const subject = { kind: 'user', id: owner }
  await ctx.services.db
    .transaction()
    .execute(tx => audit(tx, ctx, { action: 'statement.exported', subject, details: { format, ...part } }))
}
