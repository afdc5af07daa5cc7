import { requireUnfrozen } from '#server/accounts/frozen.ts'
import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { executeMoney, type MoneyCommand, type MoneyOutcome } from '#server/ledger/batch.ts'
import { addressWaiting, refusalError } from '#server/ledger/refusals.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { newId } from '#server/platform/id.ts'
import { requireUnlisted } from '#server/screening/listed.ts'
import type { Settings } from '#server/staff/settings-queries.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import {
  type Destination,
  destinationError,
  enterAddress,
  notifyAdded,
  requireNotOurs,
  requireOffered,
  requireRoom,
} from './address-book.ts'
import { presentWithdrawal } from './queries.ts'

/** The body of a request: `address` and `walletAddress` are the same value (D7). */
export type WithdrawalBody = {
  wallet: WithdrawalWallet
  address?: string | undefined
  walletAddress?: string | undefined
}

/** @throws AppError invalid_input: none given, two that differ, or one that cannot be paid */
function addressOf({ wallet, address, walletAddress }: WithdrawalBody, config: Config): string {
  const given = walletAddress ?? address
  if (given === undefined) throw invalidAddress(t('All fields are requred fields'))
  if (address !== undefined && address !== given) throw invalidAddress(t('The two wallet addresses differ'))
  const error = destinationError({ wallet, address: given }, config)
  if (error !== undefined) throw invalidAddress(error)
  return given
}

function invalidAddress(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { walletAddress: message } })
}

type RequestSettings = Pick<Settings, 'largeWithdrawalCents' | 'minimumWithdrawalCents' | 'addressWaitHours'>

/**
 * Creates a pending withdrawal and holds its amount (D7). A new address needs a recent reauthentication and enters the caller's book.
 * @param execute the process's writer of hot commands
 * @throws AppError invalid_input, email_not_verified, proof_required, address_waiting, insufficient_funds,
 *   idempotency_key_reused, address_book_full; rate_limited after many new addresses
 */
export async function requestWithdrawal(
  ctx: SignedInContext,
  body: WithdrawalBody & { amountCents: bigint },
  execute: (command: MoneyCommand) => Promise<MoneyOutcome>,
  settings: RequestSettings,
): Promise<Withdrawal> {
  const command = commandOf(ctx, body, settings)
  const outcome = await execute(command)
  if ('result' in outcome) return outcome.result as Withdrawal
  if (outcome.refusal.code !== 'address_new') throw refusalError(outcome.refusal)
  const { address } = command.payout!
  return requestToNewAddress(ctx, command, { wallet: body.wallet, address }, settings)
}

/** Adds the address and, unless it must wait, requests the withdrawal, in a transaction of its own because this is rare. */
async function requestToNewAddress(
  ctx: SignedInContext,
  command: MoneyCommand,
  to: Destination,
  { addressWaitHours }: RequestSettings,
): Promise<Withdrawal> {
  const { db } = ctx.services
  const outcome = await retrying(() =>
    db.transaction().execute(async tx => {
      await requireUnfrozen(tx, [ctx.caller.userId])
      await requireReauthentication(tx, ctx)
      await requireNotOurs(tx, to, 'walletAddress')
      await requireUnlisted(tx, to.address, 'walletAddress')
      if (addressWaitHours === 0) return enterAndExecute(tx, ctx, command, to)
      const entered = await enterAddress(tx, ctx, to, addressWaitHours)
      // A concurrent request has already entered it.
      if (!entered?.usable_from) return (await executeMoney(tx, [command]))[0]!
      return { waitsUntil: entered.usable_from }
    }),
  )
  if ('result' in outcome) return outcome.result as Withdrawal
  throw 'waitsUntil' in outcome ? addressWaiting(outcome.waitsUntil, true) : refusalError(outcome.refusal)
}

/** Executes the command and enters its address, both or neither. */
async function enterAndExecute(
  tx: Tx,
  ctx: SignedInContext,
  command: MoneyCommand,
  to: Destination,
): Promise<MoneyOutcome> {
  await requireRoom(tx, ctx, to)
  const newAddressId = newId(command.at)
  const payout = { ...command.payout!, newAddressId }
  const [outcome] = await executeMoney(tx, [{ ...command, payout }])
  const entered = await tx
    .selectFrom('app.payout_addresses')
    .select('id')
    .where('id', '=', newAddressId)
    .executeTakeFirst()
  if (entered) await notifyAdded(tx, ctx, newAddressId)
  return outcome!
}

function commandOf(
  { services: { config, clock }, caller, idempotency, ip, requestId }: SignedInContext,
  { amountCents, ...body }: WithdrawalBody & { amountCents: bigint },
  { largeWithdrawalCents, minimumWithdrawalCents }: RequestSettings,
): MoneyCommand {
  requireOffered(body.wallet, config)
  const at = clock.now()
  const id = newId(at)
  const address = addressOf(body, config)
  const of = { id, holdId: newId(at), amountCents, at }
  const payout = {
    wallet: body.wallet,
    address,
    minimumCents: minimumWithdrawalCents,
    singleApprovalCents: largeWithdrawalCents,
  }
  const answer = answerOf({ ...of, ...payout, caller: caller.userId })
  return { ...of, kind: 'withdrawal', caller: caller.userId, idempotency, ip, requestId, payout, answer }
}

type Requested = Pick<MoneyCommand, 'id' | 'holdId' | 'caller' | 'amountCents' | 'at'> &
  NonNullable<MoneyCommand['payout']>

/** The future withdrawal; the database fills in its number and the name. */
function answerOf(of: Requested): Withdrawal {
  return presentWithdrawal({
    id: of.id,
    invoice_id: '',
    user_id: of.caller,
    user_name: '',
    amount_cents: of.amountCents,
    wallet: of.wallet,
    address: of.address,
    status: 'pending',
    hold_id: of.holdId,
    approvals: 0,
    single_approval_cents: of.singleApprovalCents,
    approvals_needed: of.amountCents > of.singleApprovalCents ? 2 : 1,
    second_approval: null,
    created_at: of.at,
    approved_at: null,
    paid_at: null,
    paid_by: null,
    transaction_id: null,
    decline_reason: null,
    cancelled_by: null,
    recovered_cents: 0n,
    payout_asset: null,
    payout_units: null,
    payout_rate_e8: null,
    payout_rate_at: null,
    payout_rate_source: null,
    batch: null,
  })
}
