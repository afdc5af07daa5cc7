import { formatRate } from '#server/prices/reading.ts'
import { withAmount } from '#server/rails/payment-uri.ts'
import { isStablecoin } from '#shared/coins.ts'
import type { Deposit, DepositStage } from '#shared/contract/entities.ts'
import { localRate, localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { dustUnits } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { assetDecimals, formatDecimal, usdToJson, withCommas } from '#shared/money.ts'
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

/** The payment's state in plain words (D5), and what the investor can do; whole sentences, one after the other. */
export function labelOf(row: DepositRow, now: Date): string {
  const { asset, flags, status, uncredited_units, debt_cents } = row
  const isReversed = isReversedInFull(row)
  const label = isReversed ? [reversalOf(row), ofStage(row, now)] : [ofStage(row, now)]
  if (status === 'paid' && uncredited_units > 0n)
    label.push(
      t('Another {coins} arrived.', { coins: coinText(uncredited_units, asset) }),
      furtherPayment(row),
    )
  if (status === 'paid' && missingUnits(row, now) > 0n) label.push(sendRest(row, now, 'balance'))
  if (status === 'paid' && flags.includes('reversed'))
    label.push(t('The network reversed part of this payment.'))
  if (debt_cents > 0n && !isReversed) {
    label.push(
      status === 'paid'
        ? t('You had already used that money.')
        : t('A network reorganisation cancelled this payment after you used the funds.'),
      t('You owe {amount}; please contact us.', { amount: localUsd(debt_cents) }),
    )
  }
  if (flags.includes('wrong_asset')) {
    label.push(
      t('We received a different coin at this address. It was not credited but is safe; please contact us.'),
    )
  }
  return label.join(' ')
}

function furtherPayment(row: DepositRow): string {
  const { flags } = row
  if (flags.includes('rate_missing'))
    return t('No rate is on record for that time, so our team reviews it first.')
  if (flags.includes('large'))
    return t('With it the payment is large, so our team reviews it before we credit the rest.')
  return isHeldForReview(flags)
    ? depositRefusals.words(reviewRefusal(row))
    : t('We will add it once it is confirmed.')
}

/** @param then what else the sentence says: that the rest is added to the balance, or that what arrived can be credited now */
function sendRest(row: DepositRow, now: Date, then?: 'balance' | 'credit'): string {
  const isLate = now >= row.expires_at && !isStablecoin(row.asset)
  const coins = coinText(missingUnits(row, now), row.asset)
  if (then === 'balance') {
    return isLate
      ? t(
          'Send the remaining {coins} to the same address, valued at the rate when it arrives, and we will add it to the balance.',
          { coins },
        )
      : t('Send the remaining {coins} to the same address, and we will add it to the balance.', { coins })
  }
  if (then === 'credit') {
    return isLate
      ? t(
          'Send the remaining {coins} to the same address, valued at the rate when it arrives, or credit what arrived now.',
          { coins },
        )
      : t('Send the remaining {coins} to the same address, or credit what arrived now.', { coins })
  }
  return isLate
    ? t('Send the remaining {coins} to the same address, valued at the rate when it arrives.', { coins })
    : t('Send the remaining {coins} to the same address.', { coins })
}

/** True if nothing of a credited payment is left after a reorg. */
function isReversedInFull({ status, flags }: DepositRow): boolean {
  return (status === 'pending' || status === 'unpaid') && flags.includes('reversed')
}

function reversalOf({ debt_cents }: DepositRow): string {
  if (debt_cents === 0n)
    return t('The network reversed this payment after we credited it, so we removed it from the balance.')
  return t(
    'The network reversed this payment after we credited it. {amount} of it had left the balance; the next funds that become available repay it.',
    { amount: localUsd(debt_cents) },
  )
}

function ofStage(row: DepositRow, now: Date): string {
  const seen = coinText(row.uncredited_units, row.asset)
  const isShort = missingUnits(row, now) > 0n
  const coins = isShort
    ? t('{part} of {whole}', { part: seen, whole: coinText(row.crypto_units, row.asset) })
    : seen
  const rest = isShort ? sendRest(row, now) : t('Nothing more to do.')
  const held = holdReason(row)
  if (row.status === 'declined' && row.uncredited_units > 0n) {
    const next = isHeldForReview(row.flags)
      ? depositRefusals.words(reviewRefusal(row))
      : t('We will add it to the balance once it is confirmed.')
    return `${endWords(row)} ${t('Then {coins} arrived.', { coins: seen })} ${next}`
  }
  switch (stageOf(row, now)) {
    case 'waiting': {
      const label = [t('Waiting for your payment.')]
      if (!isStablecoin(row.asset)) label.push(t('Rate locked.'))
      label.push(t('Send {coins} by {time}.', inTime(row)))
      if (!row.is_watched) label.push(t('Our team checks this address and credits what arrives.'))
      return label.join(' ')
    }
    case 'dropped': {
      const dropped = t(
        'The payment we saw is no longer on the network: it was cancelled, replaced or dropped. Check your wallet.',
      )
      const next =
        now < row.expires_at
          ? t('If it has not sent it again, send {coins} by {time}.', inTime(row))
          : t('If it sends the payment again, we will still credit it. To pay now, start a new deposit.')
      return `${dropped} ${next}`
    }
    case 'seen':
      return `${t('Seen: {coins}, not confirmed yet.', { coins })} ${rest}`
    case 'confirming':
      return `${t('Confirming: {coins}, {have} of {needed} confirmations.', { coins, ...confirmationsOf(row) })} ${rest}`
    case 'confirmed': {
      const next = held ?? (row.is_held_up ? delayed() : t('We will credit it in a moment.'))
      return `${t('Confirmed: {coins}.', { coins })} ${next}${isShort ? ` ${rest}` : ''}`
    }
    case 'underpaid': {
      const received = t('Underpaid: received {coins}.', { coins })
      if (held !== undefined) return `${received} ${rest} ${held}`
      const time = utcMinute(row.watch_until)
      return `${received} ${sendRest(row, now, 'credit')} ${t('We will credit it automatically at {time}.', { time })}`
    }
    case 'reversed': {
      const contact =
        row.debt_cents === 0n ? t('Contact us if you do not know why.') : t('Please contact us.')
      return `${t('We will credit it again once it is confirmed again.')} ${contact}`
    }
    case 'declined':
      return row.cancelled_by === null
        ? endWords(row)
        : `${endWords(row)} ${t('If your payment still arrives, we will credit it.')}`
    case 'expired':
      return expiredLabel(row, now)
    default:
      return paidLabel(row)
  }
}

function endWords({ cancelled_by, decline_reason }: DepositRow): string {
  return cancelled_by === null ? t('Declined: {reason}', { reason: decline_reason! }) : t('Cancelled.')
}

function inTime({ asset, crypto_units, expires_at }: DepositRow) {
  return { coins: coinText(crypto_units, asset), time: utcMinute(expires_at) }
}

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

const delayed = () => t('Crediting takes longer than usual. We are looking into it; the payment is safe.')

function expiredLabel(row: DepositRow, now: Date): string {
  if (row.status === 'unpaid')
    return t('No payment arrived in time. Late payments are still credited. To pay now, start a new deposit.')
  if (now < row.watch_until)
    return t(
      'This quote has expired. Already paid? We will still credit it. Not paid yet? Start a new deposit.',
    )
  return t('No payment was confirmed in time. We are checking once more; nothing more to do.')
}

/** How the payment arrived, and where the money went (D5). */
function paidLabel(row: DepositRow): string {
  return row.deviation === null ? paidInFull(row) : `${receiptOf(row)} ${destinationOf(row)}`
}

function paidInFull({
  investment_status: status,
  investment_invoice,
  investment_cancelled: isCancelled,
}: DepositRow): string {
  const investment = investment_invoice ?? ''
  if (status === null) return t('Paid in full and added to the balance.')
  if (status === 'pending') return t('Paid in full and kept for {investment}.', { investment })
  if (status !== 'declined') return t('Paid in full and invested with {investment}.', { investment })
  return isCancelled
    ? t('Paid in full. {investment} was cancelled, so the money was added to the balance.', { investment })
    : t('Paid in full. {investment} was declined, so the money was added to the balance.', { investment })
}

function receiptOf(row: DepositRow): string {
  const coins = coinText(row.received_units!, row.asset)
  const amount = localUsd(row.credited_cents!)
  if (row.deviation === 'late') return lateReceiptOf(row, { coins, amount })
  const values = {
    coins,
    due: coinText(row.crypto_units, row.asset),
    amount,
    requested: localUsd(row.amount_cents),
  }
  return row.deviation === 'underpaid'
    ? t(
        'Underpaid: received {coins} instead of {due}, so we credited {amount} instead of {requested}.',
        values,
      )
    : t(
        'Overpaid: received {coins} instead of {due}, so we credited {amount} instead of {requested}.',
        values,
      )
}

function lateReceiptOf(row: DepositRow, received: { coins: string; amount: string }): string {
  const time = utcMinute(row.arrived_at!)
  if (row.late_units! < row.received_units!) {
    return t(
      'Received in several payments ({late} after the deadline, last at {time}). Total {coins}, credited as {amount}.',
      { late: coinText(row.late_units!, row.asset), time, ...received },
    )
  }
  const arrived =
    row.arrived_at! < row.rate_at
      ? t('Received before its rate was locked, at {time}.', { time })
      : t('Late: received at {time}.', { time })
  return `${arrived} ${creditedAs(row, received)}`
}

function creditedAs(row: DepositRow, received: { coins: string; amount: string }): string {
  if (isStablecoin(row.asset)) return t('{coins} credited as {amount}.', received)
  const values = { ...received, rate: localRate(formatRate(row.credited_rate_e8!)) }
  return row.credited_rate_e8 === row.rate_e8
    ? t('{coins} at the locked rate, {rate}, credited as {amount}.', values)
    : t('{coins} at the rate of that time, {rate}, credited as {amount}.', values)
}

function destinationOf(row: DepositRow): string {
  const { investment_status: status } = row
  const investment = row.investment_invoice ?? ''
  if (status === null) return t('Added to the balance.')
  if (status === 'declined') {
    return row.investment_cancelled
      ? t('Added to the balance. {investment} was cancelled.', { investment })
      : t('Added to the balance. {investment} was declined.', { investment })
  }
  const amount = localUsd(row.amount_cents)
  const beyond = row.credited_cents! - row.amount_cents
  const rest = localUsd(beyond)
  if (status === 'pending') {
    return beyond > 0n
      ? t('{amount} kept for {investment}; the other {rest} added to the balance.', {
          amount,
          investment,
          rest,
        })
      : t('{amount} kept for {investment}.', { amount, investment })
  }
  return beyond > 0n
    ? t('{amount} invested with {investment}; the other {rest} added to the balance.', {
        amount,
        investment,
        rest,
      })
    : t('{amount} invested with {investment}.', { amount, investment })
}

/** A coin amount without trailing zeros, with its coin: '0.0048 BTC'. */
function coinText(units: bigint, asset: DepositRow['asset']): string {
  return `${withCommas(formatDecimal(units, assetDecimals[asset]).replace(/\.?0+$/, ''))} ${asset}`
}
