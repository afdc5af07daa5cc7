import { z } from 'zod'
import { AppError } from '#shared/errors.ts'
import { idempotencyKeyDays } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { formatUsd } from '#shared/money.ts'

/** What `ledger.post_each` answers for a posting that it does not write (0012_ledger_posting.sql). */
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
 * Why a hot money command was not done (0040_money_commands.sql). What is not of the books is not kept with the idempotency
 * key, and the request may be sent again once the cause is put right.
 */
export type MoneyRefusal =
  | Refusal
  | { code: 'email_not_verified' }
  | { code: 'plan_changed' }
  | { code: 'address_new' }
  /** From when on the address can be used, in ISO 8601. */
  | { code: 'address_waiting'; from: string }
  | { code: 'idempotency_key_reused' }

/** A refusal of the books as the caller may see it. */
export function refusalError(refused: MoneyRefusal): AppError {
  if (refused.code === 'email_not_verified') return emailNotVerified()
  if (refused.code === 'idempotency_key_reused') return keyReused()
  if (refused.code === 'plan_changed')
    return new AppError('wrong_state', 'This plan has just been changed. Look at it again before you invest.')
  if (refused.code === 'address_new')
    return new AppError('wrong_state', 'Your address book has just been changed. Look at it and try again.')
  if (refused.code === 'address_waiting') return addressWaiting(new Date(refused.from))
  if (refused.code === 'hold_not_open')
    return new AppError('wrong_state', 'This has been settled already. Reload to see where it stands.')
  const balance = formatUsd(refused.balance)
  if (refused.kind === 'recorded_returns')
    return new AppError(
      'insufficient_returns',
      `The recorded returns that are not paid out yet come to ${balance}. Record a realised return first.`,
    )
  return new AppError('insufficient_funds', `Insufficient funds: ${balance} is ${refused.kind}.`)
}

/**
 * D9: looking is free, moving money is not.
 * @param act what is refused
 */
export function emailNotVerified(act = 'move money'): AppError {
  // The client looks for the first words.
  return new AppError('email_not_verified', `Please verify email address before you ${act}`)
}

/** @param isNew whether it was put into the address book just now */
export function addressWaiting(from: Date, isNew = false): AppError {
  const message = isNew
    ? `This address is new. It is in your address book now and can be used from ${utcMinute(from)}.`
    : `This address is new in your address book. It can be used from ${utcMinute(from)}.`
  return new AppError('address_waiting', message, { fields: { walletAddress: message } })
}

export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    `This Idempotency-Key was used for another request, or more than ${idempotencyKeyDays} days ago. Send a new key with a new request.`,
  )
}

/** The refusal in an error that the database raised (SQLSTATE PB001, PB002), or undefined for any other error. */
export function refusalOf(error: unknown): AppError | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  if ((code !== 'PB001' && code !== 'PB002') || typeof detail !== 'string') return undefined
  return refusalError(refusal.parse(JSON.parse(detail)))
}
