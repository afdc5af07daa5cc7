import { sql } from 'kysely'
import { holdCursor } from '#server/chain/cursor.ts'
import { noteTransfers } from '#server/chain/seen.ts'
import { markWrongAssets } from '#server/chain/transfers.ts'
import type { Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { monitoringHours } from '#shared/limits.ts'
import { takeAddress } from './addresses.ts'
import type { Quote, QuoteRequest } from './quote.ts'

/**
 * Creates a pending deposit from a quote.
 * @param uri the quote's payment URI (`paymentUri`)
 * @param investmentId the investment that it pays; null for a deposit to the balance
 * @returns its id
 */
export async function requestPayment(
  tx: Tx,
  { userId, method, amountCents }: QuoteRequest,
  { quote, uri, investmentId, now }: { quote: Quote; uri: string; investmentId: string | null; now: Date },
): Promise<string> {
  const id = newId(now)
  await tx
    .insertInto('app.deposits')
    .values({
      id,
      invoice_id: sql<string>`app.next_invoice('DEP', ${now})`,
      user_id: userId,
      investment_id: investmentId,
      amount_cents: amountCents,
      method,
      asset: quote.paymentMethod.asset,
      network: quote.paymentMethod.rail.network,
      address: quote.address,
      crypto_units: quote.units,
      rate_e8: quote.rateE8,
      rate_at: quote.rateAt,
      rate_source: quote.rateSource,
      payment_uri: uri,
      expires_at: quote.expiresAt,
      watch_until: new Date(quote.expiresAt.getTime() + monitoringHours * 3_600_000),
      created_at: now,
    })
    .execute()
  const { rail } = quote.paymentMethod
  // Lock the cursor so that a concurrent sync stores its transfers either before `noteTransfers` or after the address is taken.
  if (rail.receiving.kind === 'derived') await holdCursor(tx, rail.name)
  await takeAddress(tx, rail, { address: quote.address, userId, depositId: id })
  // The investor may have paid before confirming.
  if (rail.receiving.kind === 'derived') {
    await markWrongAssets(tx, id)
    await noteTransfers(tx, [id])
  }
  return id
}
