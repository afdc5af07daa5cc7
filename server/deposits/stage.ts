import { formatRate } from '#server/prices/reading.ts'
import { withAmount } from '#server/rails/payment-uri.ts'
import { isStablecoin } from '#shared/coins.ts'
import type { Deposit, DepositStage } from '#shared/contract/entities.ts'
import { dustUnits } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { assetDecimals, formatDecimal, formatUsd, usdToJson, withCommas } from '#shared/money.ts'
import { isHeldForReview } from '#shared/payments.ts'
import type { DepositRow } from './deposit-row.ts'
import { type DepositRefusal, depositRefusals } from './messages.ts'

type MonitoringFields = Pick<
  Deposit,
  | 'stage'
  | 'confirmations'
  | 'seen'
  | 'watched'
  | 'missing'
  | 'missingUri'
  | 'canCredit'
  | 'flags'
  | 'wrongAssetTransfers'
  | 'debt'
>

/** A deposit's stage and what its network has shown, for the wire (D5). */
export function monitoringOf(row: DepositRow, now: Date): MonitoringFields {
  const stage = stageOf(row, now)
  const coins = (units: bigint) => formatDecimal(units, assetDecimals[row.asset])
  const missing = missingUnits(row, now)
  return {
    stage,
    confirmations: row.uncredited_units > 0n ? confirmationsOf(row) : null,
    seen: seenOf(row),
    watched: row.is_watched,
    missing: missing === 0n ? null : coins(missing),
    missingUri: missing === 0n ? null : withAmount(row.payment_uri, row.asset, missing),
    canCredit: stage === 'underpaid' && row.frozen_at === null && !needsStaffReview(row),
    flags: row.flags,
    wrongAssetTransfers: row.wrong_asset_transfers,
    debt: usdToJson(row.debt_cents),
  }
}

/** The amount seen on the network, in the deposit's coin; null if nothing. */
export function seenOf({ seen_units, asset }: Pick<DepositRow, 'seen_units' | 'asset'>): string | null {
  return seen_units > 0n ? formatDecimal(seen_units, assetDecimals[asset]) : null
}

/** True if only staff can credit the payment. */
export function needsStaffReview({ flags }: Pick<DepositRow, 'flags'>): boolean {
  return flags.includes('rate_missing') || isHeldForReview(flags)
}

/** 0 while unconfirmed, and never more than needed. */
function confirmationsOf({ uncredited_block, ...network }: DepositRow) {
  return confirmationsAt(uncredited_block, network)
}

/** @param height of the transfer's block; null while unconfirmed */
export function confirmationsAt(
  height: number | null,
  { synced_height, confirmations }: Pick<DepositRow, 'synced_height' | 'confirmations'>,
) {
  const needed = confirmations ?? 1
  const have = height === null || synced_height === null ? 0 : synced_height - height + 1
  return { have: Math.min(Math.max(have, 0), needed), needed }
}

const paidStages = { underpaid: 'paid_under', overpaid: 'paid_over', late: 'paid_late' } as const

function stageOf(row: DepositRow, now: Date): DepositStage {
  if (row.status === 'paid') return row.deviation === null ? 'paid' : paidStages[row.deviation]
  if (row.uncredited_units > 0n) {
    const { have, needed } = confirmationsOf(row)
    if (have < needed) return have === 0 ? 'seen' : 'confirming'
    return awaitsRest(row) ? 'underpaid' : 'confirmed'
  }
  if (row.status === 'declined') return 'declined'
  if (row.flags.includes('reversed')) return 'reversed'
  if (row.has_dropped) return 'dropped'
  return row.status === 'unpaid' || now >= row.expires_at ? 'expired' : 'waiting'
}

/** True if the confirmed payment of a pending investment is incomplete: it is credited once the rest arrives. */
function awaitsRest(row: DepositRow): boolean {
  return (
    row.status === 'pending' && row.investment_status === 'pending' && restOf(row, row.uncredited_units) > 0n
  )
}

/** The units that an underpaid payment lacks, while we tell the investor to send them. */
function missingUnits(row: DepositRow, now: Date): bigint {
  const isOpen =
    row.status === 'pending' ? row.seen_units > 0n : isCreditedInPart(row) && now < row.watch_until
  return isOpen ? restOf(row, row.seen_units) : 0n
}

/** True if the balance was credited with less than requested, by the network's evidence: nothing pays twice what staff credited. */
function isCreditedInPart(row: DepositRow): boolean {
  const { deviation, investment_id, received_units, seen_units } = row
  return deviation === 'underpaid' && investment_id === null && received_units! <= seen_units
}

/** The units still to send. Less than the dust limit would not count, so it is waived, or raised to that limit for a pending investment. */
function restOf({ asset, crypto_units, investment_status }: DepositRow, units: bigint): bigint {
  const rest = crypto_units - units
  if (rest <= 0n || rest >= dustUnits[asset]) return rest > 0n ? rest : 0n
  return investment_status === 'pending' ? dustUnits[asset] : 0n
}

/** The payment's state in plain words (D5), and what the investor can do. */
export function labelOf(row: DepositRow, now: Date): string {
  const { asset, flags, status, uncredited_units, debt_cents } = row
  const isReversed = isReversedInFull(row)
  const label = isReversed ? [reversalOf(row), ofStage(row, now)] : [ofStage(row, now)]
  if (status === 'paid' && uncredited_units > 0n)
    label.push(`Another ${coinText(uncredited_units, asset)} ${asset} arrived. ${furtherPayment(row)}`)
  if (status === 'paid' && missingUnits(row, now) > 0n)
    label.push(`${sendRest(row, now)}, and we will add it to the balance.`)
  if (status === 'paid' && flags.includes('reversed'))
    label.push('The network reversed part of this payment.')
  if (debt_cents > 0n && !isReversed) {
    const owed = `You owe ${formatUsd(debt_cents)}; please contact us.`
    label.push(
      status === 'paid'
        ? `You had already used that money. ${owed}`
        : `A network reorganisation cancelled this payment after you used the funds. ${owed}`,
    )
  }
  if (flags.includes('wrong_asset')) {
    label.push(
      'We received a different coin at this address. It was not credited but is safe; please contact us.',
    )
  }
  return label.join(' ')
}

function furtherPayment(row: DepositRow): string {
  const { flags } = row
  if (flags.includes('rate_missing'))
    return 'No rate is on record for that time, so our team reviews it first.'
  if (flags.includes('large'))
    return 'With it the payment is large, so our team reviews it before we credit the rest.'
  return isHeldForReview(flags)
    ? depositRefusals.words(reviewRefusal(row))
    : 'We will add it once it is confirmed.'
}

function sendRest(row: DepositRow, now: Date): string {
  const isLate = now >= row.expires_at && !isStablecoin(row.asset)
  const counts = isLate ? ', valued at the rate when it arrives' : ''
  return `Send the remaining ${coinText(missingUnits(row, now), row.asset)} ${row.asset} to the same address${counts}`
}

/** True if nothing of a credited payment is left after a reorg. */
function isReversedInFull({ status, flags }: DepositRow): boolean {
  return (status === 'pending' || status === 'unpaid') && flags.includes('reversed')
}

function reversalOf({ debt_cents }: DepositRow): string {
  const reversed = 'The network reversed this payment after we credited it'
  if (debt_cents === 0n) return `${reversed}, so we removed it from the balance.`
  return `${reversed}. ${formatUsd(debt_cents)} of it had left the balance; the next funds that become available repay it.`
}

function ofStage(row: DepositRow, now: Date): string {
  const coins = (units: bigint) => `${coinText(units, row.asset)} ${row.asset}`
  const seen = coins(row.uncredited_units)
  const isShort = missingUnits(row, now) > 0n
  const of = isShort ? `${seen} of ${coins(row.crypto_units)}` : seen
  const rest = isShort ? `${sendRest(row, now)}.` : 'Nothing more to do.'
  const held = holdReason(row)
  if (row.status === 'declined' && row.uncredited_units > 0n) {
    const later = `${endWords(row)} Then ${seen} arrived`
    if (isHeldForReview(row.flags)) return `${later}. ${depositRefusals.words(reviewRefusal(row))}`
    return `${later}. We will add it to the balance once it is confirmed.`
  }
  switch (stageOf(row, now)) {
    case 'waiting': {
      const locked = isStablecoin(row.asset) ? '' : ' Rate locked.'
      return `Waiting for your payment.${locked} ${sendInTime(row)}${row.is_watched ? '' : ` ${enteredByStaff}`}`
    }
    case 'dropped': {
      const next =
        now < row.expires_at ? `If it has not sent it again, ${sendInTime(row, 'send')}` : sentAgainLate
      return `The payment we saw is no longer on the network: it was cancelled, replaced or dropped. Check your wallet. ${next}`
    }
    case 'seen':
      return `Seen: ${of}, not confirmed yet. ${rest}`
    case 'confirming': {
      const { have, needed } = confirmationsOf(row)
      return `Confirming: ${of}, ${have} of ${needed} confirmations. ${rest}`
    }
    case 'confirmed': {
      const next = held ?? (row.is_held_up ? delayed : 'We will credit it in a moment.')
      return `Confirmed: ${of}. ${next}${isShort ? ` ${rest}` : ''}`
    }
    case 'underpaid': {
      const received = `Underpaid: received ${of}. ${sendRest(row, now)}`
      if (held !== undefined) return `${received}. ${held}`
      const until = utcMinute(row.watch_until)
      return `${received}, or credit what arrived now. We will credit it automatically at ${until}.`
    }
    case 'reversed':
      return `We will credit it again once it is confirmed again. ${row.debt_cents === 0n ? 'Contact us if you do not know why.' : 'Please contact us.'}`
    case 'declined':
      return row.cancelled_by === null
        ? endWords(row)
        : `${endWords(row)} If your payment still arrives, we will credit it.`
    case 'expired':
      return expiredLabel(row, now)
    default:
      return paidLabel(row)
  }
}

function endWords({ cancelled_by, decline_reason }: DepositRow): string {
  return cancelled_by === null ? `Declined: ${decline_reason}` : 'Cancelled.'
}

function sendInTime({ asset, crypto_units, expires_at }: DepositRow, verb: 'Send' | 'send' = 'Send'): string {
  return `${verb} ${coinText(crypto_units, asset)} ${asset} by ${utcMinute(expires_at)}.`
}

const enteredByStaff = 'Our team checks this address and credits what arrives.'
const sentAgainLate =
  'If it sends the payment again, we will still credit it. To pay now, start a new deposit.'

/** Why a confirmed payment is not credited yet, even if the investor asks for it. */
export function holdRefusal({ frozen_at, closed_at, flags }: DepositRow): DepositRefusal | null {
  if (closed_at !== null) return { reason: 'account_closed' }
  if (frozen_at !== null) return { reason: 'account_frozen' }
  if (flags.includes('rate_missing')) return { reason: 'rate_missing' }
  return isHeldForReview(flags) ? reviewRefusal({ flags }) : null
}

/** Why a pending deposit cannot be cancelled: something has arrived for it. */
export function cancelRefusal({
  flags,
  seen_units,
  wrong_asset_transfers,
  investment_id,
}: Pick<
  DepositRow,
  'flags' | 'seen_units' | 'wrong_asset_transfers' | 'investment_id'
>): DepositRefusal | null {
  if (flags.includes('reversed')) return { reason: 'payment_reversed' }
  if (seen_units === 0n && wrong_asset_transfers === 0) return null
  return { reason: 'payment_seen', forInvestment: investment_id !== null }
}

function reviewRefusal({ flags }: Pick<DepositRow, 'flags'>): DepositRefusal {
  if (flags.includes('listed_sender')) return { reason: 'listed_sender' }
  if (flags.includes('large')) return { reason: 'review_required' }
  return { reason: flags.includes('daily_limit') ? 'daily_limit' : 'second_source' }
}

function holdReason(row: DepositRow): string | undefined {
  const refusal = holdRefusal(row)
  return refusal === null ? undefined : depositRefusals.words(refusal)
}

const delayed = 'Crediting takes longer than usual. We are looking into it; the payment is safe.'

function expiredLabel(row: DepositRow, now: Date): string {
  if (row.status === 'unpaid')
    return 'No payment arrived in time. Late payments are still credited. To pay now, start a new deposit.'
  if (now < row.watch_until)
    return 'This quote has expired. Already paid? We will still credit it. Not paid yet? Start a new deposit.'
  return 'No payment was confirmed in time. We are checking once more; nothing more to do.'
}

/** How the payment arrived, and where the money went (D5). */
function paidLabel(row: DepositRow): string {
  return `${receiptOf(row)}${destinationOf(row)}`
}

function receiptOf(row: DepositRow): string {
  const coins = (units: bigint) => `${coinText(units, row.asset)} ${row.asset}`
  const credited = formatUsd(row.credited_cents!)
  if (row.deviation === 'late') {
    const which = row.credited_rate_e8 === row.rate_e8 ? 'the locked rate' : 'the rate of that time'
    const rate = isStablecoin(row.asset) ? '' : ` at ${which}, $${formatRate(row.credited_rate_e8!)},`
    const when = utcMinute(row.arrived_at!)
    if (row.late_units! < row.received_units!) {
      const late = `${coins(row.late_units!)} after the deadline, last at ${when}`
      return `Received in several payments (${late}). Total ${coins(row.received_units!)}, credited as ${credited}. `
    }
    const early = row.arrived_at! < row.rate_at
    const arrived = early ? 'Received before its rate was locked, at' : 'Late: received at'
    return `${arrived} ${when}. ${coins(row.received_units!)}${rate} credited as ${credited}. `
  }
  if (row.deviation === null) return 'Paid in full'
  const deviation = row.deviation === 'underpaid' ? 'Underpaid' : 'Overpaid'
  return `${deviation}: received ${coins(row.received_units!)} instead of ${coins(row.crypto_units)}, so we credited ${credited} instead of ${formatUsd(row.amount_cents)}. `
}

function destinationOf(row: DepositRow): string {
  const exact = row.deviation === null
  const { investment_status: status, investment_invoice: invoice } = row
  if (status === null) return exact ? ' and added to the balance.' : 'Added to the balance.'
  if (status === 'declined') {
    const ended = row.investment_cancelled ? 'cancelled' : 'declined'
    return exact
      ? `. ${invoice} was ${ended}, so the money was added to the balance.`
      : `Added to the balance. ${invoice} was ${ended}.`
  }
  const how = status === 'pending' ? 'kept for' : 'invested with'
  if (exact) return ` and ${how} ${invoice}.`
  const beyond = row.credited_cents! - row.amount_cents
  const rest = beyond > 0n ? `; the other ${formatUsd(beyond)} added to the balance` : ''
  return `${formatUsd(row.amount_cents)} ${how} ${invoice}${rest}.`
}

/** A coin amount without trailing zeros: '0.0048'. */
function coinText(units: bigint, asset: DepositRow['asset']): string {
  return withCommas(formatDecimal(units, assetDecimals[asset]).replace(/\.?0+$/, ''))
}
