import { sql } from 'kysely'
import { holdCursor } from '#server/chain/cursor.ts'
import { refreshSeen } from '#server/chain/seen.ts'
import type { Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { monitoringHours } from '#shared/limits.ts'
import { takeAddress } from './addresses.ts'
import type { Asked, Quote } from './quote.ts'

/**
 * Writes down what is to be paid, where, and until when: a pending deposit.
 * @param uri of the quote, as `paymentUri` makes it
 * @param investmentId the investment that it pays; null for a deposit to the balance
 * @returns its id
 */
export async function requestPayment(
  tx: Tx,
  { userId, method, amountCents }: Asked,
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
      asset: quote.rail.asset,
      network: quote.rail.network,
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
  // What is seen from now on is written down when the deposit has its address, or before the deposit looks for it.
  if (quote.rail.receiving.kind === 'derived') await holdCursor(tx, method)
  await takeAddress(tx, quote.rail, { address: quote.address, userId, depositId: id })
  // Who pays before he confirms has his payment seen already.
  if (quote.rail.receiving.kind === 'derived') await refreshSeen(tx, [id])
  return id
}
