import { formatRate } from '#server/prices/reading.ts'
import type { Deposit, DepositStage } from '#shared/contract/entities.ts'
import { dustUnits } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { assetDecimals, formatDecimal, formatUsd, usdToJson, withCommas } from '#shared/money.ts'
import type { DepositRow } from './deposits.ts'

/** Where a deposit's payment stands: its stage, what its network has shown of it, and the one sentence that says so (D5). */

type WatchedFields = Pick<
  Deposit,
  'stage' | 'confirmations' | 'seen' | 'missing' | 'canCredit' | 'flags' | 'wrongAssetTransfers' | 'debt'
>

/** What the wire says of a payment that its network is watched for. */
export function watchedOf(row: DepositRow, now: Date): WatchedFields {
  const stage = stageOf(row, now)
  const coins = (units: bigint) => formatDecimal(units, assetDecimals[row.asset])
  const missing = missingUnits(row)
  return {
    stage,
    confirmations: row.uncredited_units > 0n ? confirmationsOf(row) : null,
    seen: seenOf(row),
    missing: missing === 0n ? null : coins(missing),
    canCredit: stage === 'underpaid' && row.frozen_at === null && !waitsForFirm(row),
    flags: row.flags,
    wrongAssetTransfers: row.wrong_asset_transfers,
    debt: usdToJson(row.debt_cents),
  }
}

/** What its network has shown of a payment, in its coin as the wire names it; null where that is nothing. */
export function seenOf({ seen_units, asset }: Pick<DepositRow, 'seen_units' | 'asset'>): string | null {
  return seen_units > 0n ? formatDecimal(seen_units, assetDecimals[asset]) : null
}

/** What came is credited by nobody but the firm. */
export function waitsForFirm({ flags }: Pick<DepositRow, 'flags'>): boolean {
  return flags.includes('rate_missing') || flags.includes('large')
}

/** Of the payment's network; 0 of one that is in no block yet, and never more than it takes. */
function confirmationsOf({ uncredited_block, ...network }: DepositRow) {
  return confirmationsAt(uncredited_block, network)
}

/** @param height of the block that holds it; null: of none */
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
    return row.status === 'pending' && restOf(row, row.uncredited_units) > 0n ? 'underpaid' : 'confirmed'
  }
  if (row.status === 'declined') return 'declined'
  if (row.flags.includes('reversed')) return 'reversed'
  return row.status === 'unpaid' || now >= row.expires_at ? 'expired' : 'waiting'
}

/** What is still to come of a payment of which less than was asked for was seen. */
function missingUnits(row: DepositRow): bigint {
  return row.status === 'pending' && row.seen_units > 0n ? restOf(row, row.seen_units) : 0n
}

/**
 * What is to be sent where this much has come. Less than the dust limit would not count: it is done without, or, where an investment
 * waits for all of it, as much is sent as counts.
 */
function restOf({ asset, crypto_units, investment_status }: DepositRow, units: bigint): bigint {
  const rest = crypto_units - units
  if (rest <= 0n || rest >= dustUnits[asset]) return rest > 0n ? rest : 0n
  return investment_status === 'pending' ? dustUnits[asset] : 0n
}

/** Where the payment stands, in one plain sentence (D5), and what can be done. */
export function labelOf(row: DepositRow, now: Date): string {
  const { asset, flags, status, uncredited_units, debt_cents } = row
  const label = [ofStage(row, now)]
  if (status === 'paid' && uncredited_units > 0n && flags.includes('rate_missing')) {
    const more = `Another ${coinText(uncredited_units, asset)} ${asset} came`
    label.push(`${more}, and no rate of that moment is on record: somebody of the firm looks at it first.`)
  } else if (status === 'paid' && uncredited_units > 0n && flags.includes('large')) {
    const more = `Another ${coinText(uncredited_units, asset)} ${asset} came`
    label.push(
      `${more}. With it the payment is so large that somebody of the firm looks at it before that is credited.`,
    )
  }
  if (status === 'paid' && flags.includes('reversed')) label.push('Its network has taken a part of it back.')
  if (debt_cents > 0n) {
    label.push(`You owe ${formatUsd(debt_cents)}, spent before its network took it back: write to us.`)
  }
  if (flags.includes('wrong_asset')) {
    label.push(
      `Another coin than ${asset} came to its address: it is not credited and not lost, write to us.`,
    )
  }
  return label.join(' ')
}

function ofStage(row: DepositRow, now: Date): string {
  const coins = (units: bigint) => `${coinText(units, row.asset)} ${row.asset}`
  const seen = coins(row.uncredited_units)
  const missing = missingUnits(row)
  const of = missing === 0n ? seen : `${seen} of ${coins(row.crypto_units)}`
  const isLate = now >= row.expires_at && row.method !== 'usdt'
  const counts = isLate ? ', which counts at the rate of its arrival' : ''
  const other = `Send the other ${coins(missing)} to the same address${counts}`
  const rest = missing === 0n ? 'There is nothing more to do.' : `${other}.`
  if (row.status === 'declined' && row.uncredited_units > 0n)
    return row.flags.includes('large')
      ? `Declined: ${row.decline_reason} Then ${seen} came all the same. ${looksFirst}`
      : `Declined: ${row.decline_reason} Then ${seen} came all the same: once it is confirmed, it is added to the balance.`
  switch (stageOf(row, now)) {
    case 'waiting':
      return `Waiting for the payment at the locked rate. Send ${coins(row.crypto_units)} by ${utcMinute(row.expires_at)}.`
    case 'seen':
      return `Seen: ${of}, not confirmed yet. ${rest}`
    case 'confirming': {
      const { have, needed } = confirmationsOf(row)
      return `Confirming: ${of}, ${have} of ${needed} confirmations. ${rest}`
    }
    case 'confirmed':
      return `Confirmed: ${of}. ${keptBack(row) ?? (row.is_held_up ? heldUp : 'It is credited in a moment.')}`
    case 'underpaid': {
      const why = keptBack(row)
      if (why !== undefined) return `Came short: ${of}. ${other}. ${why}`
      const until = utcMinute(row.watch_until)
      return `Came short: ${of}. ${other}, or have what came credited now; it is credited by itself at ${until}.`
    }
    case 'reversed':
      return `The network has taken this payment back after it was credited${takenOff(row)}. Once it is confirmed again, it is credited again; write to us if you do not know why.`
    case 'declined':
      return `Declined: ${row.decline_reason}`
    case 'expired':
      return expiredLabel(row, now)
    default:
      return paidLabel(row)
  }
}

/** What was left of it on the balance was taken off; the rest is owed. */
function takenOff({ debt_cents }: DepositRow): string {
  if (debt_cents === 0n) return ', so it was taken off the balance again'
  return `. ${formatUsd(debt_cents)} of it was not on the balance any more, and is made good first by what becomes available`
}

/** Why what is confirmed is not credited yet, also where its owner asks for that. */
export function keptBack({ frozen_at, flags }: DepositRow): string | undefined {
  if (frozen_at !== null) return 'It is credited once the account is not frozen any more.'
  if (flags.includes('rate_missing'))
    return 'No rate of its arrival is on record, so somebody of the firm looks at it first.'
  return flags.includes('large') ? looksFirst : undefined
}

/** Of one that would be credited, if the product could. */
const heldUp =
  'Crediting it takes longer than usual, and we look into that: there is nothing to do, and nothing is lost.'

/** Of a large one: what happens next. */
const looksFirst =
  'It is so large that somebody of the firm looks at it before it is credited. Nothing is lost meanwhile.'

function expiredLabel(row: DepositRow, now: Date): string {
  if (row.status === 'unpaid')
    return 'No payment was confirmed in time. One that arrives after all is still credited. To pay now, ask for a new one.'
  if (now < row.watch_until)
    return 'The 15 minutes have passed. A payment that arrives late is not lost: it is checked and credited. If you have not sent it yet, ask for a new one instead.'
  return 'No payment has been confirmed in time. It is being checked: there is nothing more to do.'
}

/** How a payment came, and where the money went, in one plain label (D5). */
function paidLabel(row: DepositRow): string {
  return `${cameAs(row)}${wentTo(row)}`
}

function cameAs(row: DepositRow): string {
  const coins = (units: bigint) => `${coinText(units, row.asset)} ${row.asset}`
  const credited = formatUsd(row.credited_cents!)
  if (row.deviation === 'late') {
    const rate =
      row.method === 'usdt' ? '' : ` at the rate of that moment, $${formatRate(row.credited_rate_e8!)}`
    const when = utcMinute(row.arrived_at!)
    if (row.late_units !== null && row.late_units < row.received_units!) {
      return `Came in parts, of which ${coins(row.late_units)} came late, the last at ${when}: ${coins(row.received_units!)} in all, counted as ${credited}, `
    }
    const came = row.arrived_at! < row.rate_at ? 'Came before its rate was locked' : 'Came late'
    return `${came}, at ${when}: ${coins(row.received_units!)} counted${rate} as ${credited}, `
  }
  if (row.deviation === null) return 'Paid in full'
  const came = row.deviation === 'underpaid' ? 'Came short' : 'More than asked for came'
  return `${came}: ${coins(row.received_units!)} of ${coins(row.crypto_units)}, which is ${credited} of ${formatUsd(row.amount_cents)}, `
}

function wentTo(row: DepositRow): string {
  const exact = row.deviation === null
  const { investment_status: status, investment_invoice: invoice } = row
  if (status === null) return exact ? ' and added to the balance.' : 'was added to the balance.'
  if (status === 'declined') {
    return exact
      ? `. ${invoice} was declined, so the money was added to the balance.`
      : `was added to the balance. ${invoice} was declined.`
  }
  const how = status === 'pending' ? 'kept for' : 'invested with'
  if (exact) return ` and ${how} ${invoice}.`
  const beyond = row.credited_cents! - row.amount_cents
  const rest = beyond > 0n ? `; the other ${formatUsd(beyond)} was added to the balance` : ''
  return `of which ${formatUsd(row.amount_cents)} was ${how} ${invoice}${rest}.`
}

/** An amount of a coin without the zeros that say nothing: '0.0048'. */
function coinText(units: bigint, asset: DepositRow['asset']): string {
  return withCommas(formatDecimal(units, assetDecimals[asset]).replace(/\.?0+$/, ''))
}
