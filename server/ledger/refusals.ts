import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { idempotencyKeyDays } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { defineRefusals } from '#shared/refusals.ts'
import { type Listing, publisherOf } from '#shared/sanctions.ts'
import { minimumWithdrawal } from '#shared/withdrawals.ts'

/** Refusals of `ledger.post_each` (0012_ledger_posting.sql). */
export const refusal = z.discriminatedUnion('code', [
  z.object({
    code: z.literal('insufficient_funds'),
    owner: z.string(),
    kind: z.string(),
    asset: z.string(),
    balance: z.coerce.bigint(),
    needed: z.coerce.bigint(),
  }),
  z.object({
    code: z.literal('hold_not_open'),
    hold: z.string().nullable(),
    resolution: z.enum(['posted', 'voided']).nullable(),
  }),
])
export type Refusal = z.output<typeof refusal>

/**
 * Why a hot money command was refused (0040_money_commands.sql). Refusals other than the books' own are not stored with
 * the idempotency key, so the request can be repeated once their cause is fixed.
 */
export type MoneyRefusal =
  | Refusal
  | { code: 'email_not_verified' }
  | { code: 'plan_changed' }
  /** In cents; the balance may be withdrawn as a whole. */
  | { code: 'below_minimum'; minimum: string; balance: string }
  | { code: 'address_new' }
  /** When the address becomes usable, in ISO 8601. */
  | { code: 'address_waiting'; from: string }
  | ({ code: 'address_listed' } & Listing)
  | { code: 'idempotency_key_reused' }

/** Why a hot money command does not fit the current state. */
export const moneyRefusals = defineRefusals({
  plan_changed: () => t('This plan has just changed. Review its terms before you invest.'),
  address_book_changed: () => t('Your address book has just changed. Check it and try again.'),
  hold_not_open: () => t('This request is already settled. Reload to see its status.'),
})

/** A refusal of the books, as the caller sees it. */
export function refusalError(refused: MoneyRefusal): AppError {
  if (refused.code === 'email_not_verified') return emailNotVerified()
  if (refused.code === 'idempotency_key_reused') return keyReused()
  if (refused.code === 'plan_changed') return moneyRefusals.error({ reason: 'plan_changed' })
  if (refused.code === 'below_minimum') return belowMinimum(BigInt(refused.minimum), BigInt(refused.balance))
  if (refused.code === 'address_new') return moneyRefusals.error({ reason: 'address_book_changed' })
  if (refused.code === 'address_listed') return addressListed(refused, 'walletAddress')
  if (refused.code === 'address_waiting') return addressWaiting(new Date(refused.from))
  if (refused.code === 'hold_not_open') return moneyRefusals.error({ reason: 'hold_not_open' })
  const amount = localUsd(refused.balance)
  if (refused.kind === 'recorded_returns')
    return new AppError(
      'insufficient_returns',
      t('Only {amount} of recorded returns is available. Record a realised return first.', { amount }),
    )
  const message = t(
    'Insufficient funds: {amount} is {account, select, invested {in plans} held {on hold} other {available}}.',
    { amount, account: refused.kind },
  )
  return new AppError('insufficient_funds', message)
}

/**
 * D9: reading is free, moving money is not.
 * @param message what is refused
 */
export function emailNotVerified(
  // In English, the client looks for the first words.
  message = t('Please verify email address before you move money'),
): AppError {
  return new AppError('email_not_verified', message)
}

function belowMinimum(minimumCents: bigint, balanceCents: bigint): AppError {
  const message = minimumWithdrawal(minimumCents, balanceCents)
  return new AppError('invalid_input', message, { fields: { amount: message } })
}

/** @param field of the form */
export function addressListed(listing: Listing, field: string): AppError {
  const { list, entry } = listing
  const message = t(
    'This address is on the sanctions list of {publisher}, entry {entry}, so we pay nothing to it. Enter an address of your own wallet.',
    { publisher: publisherOf(list), entry },
  )
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}

/** @param isNew true if it has just been added to the address book */
export function addressWaiting(from: Date, isNew = false): AppError {
  const time = utcMinute(from)
  const message = isNew
    ? t('This address is new. We added it to your address book; it can be used from {time}.', { time })
    : t('This address is new in your address book. It can be used from {time}.', { time })
  return new AppError('address_waiting', message, { fields: { walletAddress: message } })
}

export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    t(
      'This Idempotency-Key was used for another request, or more than {days, number} days ago. Send a new key with a new request.',
      { days: idempotencyKeyDays },
    ),
  )
}

/** The refusal in a database error (SQLSTATE PB001, PB002), or undefined for any other error. */
export function refusalOf(error: unknown): AppError | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  if ((code !== 'PB001' && code !== 'PB002') || typeof detail !== 'string') return undefined
  return refusalError(refusal.parse(JSON.parse(detail)))
}
