import type { SignedInContext } from '#server/context.ts'
import { formatRate } from '#server/prices/reading.ts'
import { isRestored } from '#server/restores/beat.ts'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails, payoutWallets } from '#shared/batch-coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { PayoutDetail, previewPayout, readyForPayout } from '#shared/contract/payouts.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPageLimit, maximumPayouts } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { type PayoutPlan, type PayoutRequest, previewBatch } from './create.ts'
import { feeRateNow } from './fee-estimates.ts'
import { type PayoutRefusal, payoutRefusals } from './messages.ts'
import { unpayableOf } from './payable.ts'
import { feeAsset, longestWaiting, payoutDetail, presentFee, readyWithdrawals } from './queries.ts'
import { unavailability } from './wallets.ts'

/** @throws AppError not_found */
export async function payoutOf(
  db: Parameters<typeof payoutDetail>[0],
  ctx: SignedInContext,
  id: string,
): Promise<PayoutDetail> {
  const detail = await payoutDetail(db, id)
  if (!detail) throw new AppError('not_found', t('There is no such payout batch'))
  const feeRate = detail.asset === 'BTC' ? await feeRateNow(db, ctx.services.clock.now()) : null
  return { ...detail, feeRateNow: feeRate }
}

/**
 * Withdrawals that a batch of a coin can pay. Without a coin, that of the withdrawal that has waited longest, preferring coins with
 * batches.
 */
export async function readyFor(
  ctx: SignedInContext,
  asked: PayoutWallet | undefined,
): Promise<CallData<typeof readyForPayout>> {
  const { db, config, clock } = ctx.services
  const available = payoutWallets.filter(one => unavailability(config, one) === null)
  const waiting = async () =>
    (await longestWaiting(db, available)) ?? (await longestWaiting(db, payoutWallets))
  const wallet = asked ?? (await waiting()) ?? available[0] ?? payoutWallets[0]
  const rows = await readyWithdrawals(db, wallet, maximumPageLimit)
  const decimals = assetDecimals[payoutRails[wallet].asset]
  const isPaused = await isRestored({ db, config })
  const unavailable: PayoutRefusal | null = isPaused ? { reason: 'restored' } : unavailability(config, wallet)
  const addresses = rows.map(({ address }) => address)
  const unpayable = await unpayableOf({ db, config }, wallet, { addresses, now: clock.now() })
  const offered = rows.map(row => ({ ...row, unpayable: unpayable(row) }))
  const accepted = onePerAddress(
    offered.filter(
      row =>
        row.user_id !== ctx.caller.userId &&
        row.frozen_at === null &&
        !row.in_debt &&
        !row.name_stopped &&
        row.flagged === null &&
        row.unpayable === null,
    ),
  )
  // The page shows what this caller's batch takes, then the others.
  const shown = [...accepted, ...offered.filter(row => !accepted.includes(row))].slice(0, maximumPayouts)
  return {
    wallet,
    unavailable: unavailable && payoutRefusals.words(unavailable),
    asksFeeRate: wallet === 'Bitcoin (BTC)',
    feeRateNow: wallet === 'Bitcoin (BTC)' ? await feeRateNow(db, clock.now()) : null,
    most: maximumPayouts,
    withdrawals: shown.map(row => ({
      _id: row.id,
      invoiceId: row.invoice_id,
      user: row.user_id,
      userName: row.user_name,
      amount: usdToJson(row.amount_cents),
      walletAddress: row.address,
      amountCrypto: row.payout_units === null ? null : formatDecimal(row.payout_units, decimals),
      frozen: row.frozen_at !== null,
      inDebt: row.in_debt,
      nameStopped: row.name_stopped,
      flagged: row.flagged,
      unpayable: row.unpayable,
      approvedAt: row.approved_at!.toISOString(),
    })),
    more: rows.length > shown.length,
  }
}

/** A batch pays an address only once: keeps the first withdrawal of each. */
function onePerAddress<Row extends { address: string }>(rows: readonly Row[]): Row[] {
  const first = new Map<string, Row>()
  for (const row of rows) if (!first.has(addressKey(row.address))) first.set(addressKey(row.address), row)
  return [...first.values()]
}

/** @throws AppError as `previewBatch` */
export async function previewOf(
  ctx: SignedInContext,
  asked: PayoutRequest,
): Promise<CallData<typeof previewPayout>> {
  const plan = await previewBatch(ctx, asked)
  const { fee, change, sender, drafts } = plan.funded
  const decimals = assetDecimals[payoutRails[asked.wallet].asset]
  return {
    count: plan.chosen.length,
    amount: usdToJson(plan.amountCents),
    amountCrypto: formatDecimal(plan.units, decimals),
    fixedNow: rateLockOf(plan),
    fee: presentFee(fee.units, fee.rate, feeAsset(asked.wallet)),
    change: change && { address: change.address, amountCrypto: formatDecimal(change.units, decimals) },
    sender,
    inputs: sender === null ? drafts.reduce((sum, { slots }) => sum + slots.length, 0) : 0,
    highFee: plan.highFee,
  }
}

function rateLockOf({ chosen }: PayoutPlan): CallData<typeof previewPayout>['fixedNow'] {
  const locked = chosen.flatMap(({ locked }) => locked ?? [])
  const [first] = locked
  if (!first) return null
  return {
    count: locked.length,
    rate: formatRate(first.payout_rate_e8),
    rateAt: first.payout_rate_at.toISOString(),
    rateSource: first.payout_rate_source,
  }
}
