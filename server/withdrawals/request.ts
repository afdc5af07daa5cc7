import { requireUnfrozen } from '#server/accounts/frozen.ts'
import { requireReauthentication } from '#server/accounts/reauthentication.ts'
import type { Config } from '#server/config.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { executeMoney, type MoneyCommand, type MoneyOutcome } from '#server/ledger/batch.ts'
import { addressWaiting, refusalError } from '#server/ledger/refusals.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import { newId } from '#server/platform/id.ts'
import type { Settings } from '#server/staff/settings-queries.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import {
  type Destination,
  destinationFault,
  enterAddress,
  requireForeign,
  requireOffered,
  requireRoom,
  tellAdded,
} from './address-book.ts'
import { presentWithdrawal } from './queries.ts'

/** The body of a request: `address` and `walletAddress` are the same value (D7). */
export type WithdrawalBody = {
  wallet: WithdrawalWallet
  address?: string | undefined
  walletAddress?: string | undefined
}

/** @throws AppError invalid_input: none given, two that differ, or nobody can be paid there */
function addressOf({ wallet, address, walletAddress }: WithdrawalBody, config: Config): string {
  const given = walletAddress ?? address
  if (given === undefined) throw faulty('All fields are requred fields')
  if (address !== undefined && address !== given) throw faulty('The two wallet addresses differ')
  const fault = destinationFault({ wallet, address: given }, config)
  if (fault !== undefined) throw faulty(fault)
  return given
}

function faulty(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { walletAddress: message } })
}

/**
 * A pending withdrawal; its amount is held at once (D7). To an address that is not in the caller's book it needs a recent
 * proof of identity, and is then in it.
 * @param execute the process's writer of hot commands
 * @param settings in force now
 * @throws AppError invalid_input, email_not_verified, proof_required, address_waiting, insufficient_funds,
 *   idempotency_key_reused; wrong_state where the book is full, rate_limited where it got many new addresses lately
 */
export async function requestWithdrawal(
  ctx: SignedInContext,
  body: WithdrawalBody & { amountCents: bigint },
  execute: (command: MoneyCommand) => Promise<MoneyOutcome>,
  { largeWithdrawalCents }: Pick<Settings, 'largeWithdrawalCents'>,
): Promise<Withdrawal> {
  const command = commandOf(ctx, body, body.amountCents > largeWithdrawalCents ? 2 : 1)
  const outcome = await execute(command)
  if ('result' in outcome) return outcome.result as Withdrawal
  if (outcome.refusal.code !== 'address_new') throw refusalError(outcome.refusal)
  const { address } = command.payout!
  return requestToNew(ctx, command, { wallet: body.wallet, address })
}

/** Rare enough for a transaction of its own, in which the address comes into the book. Where it has to wait, only that. */
async function requestToNew(
  ctx: SignedInContext,
  command: MoneyCommand,
  to: Destination,
): Promise<Withdrawal> {
  const { db, config } = ctx.services
  const outcome = await retrying(() =>
    db.transaction().execute(async tx => {
      await requireUnfrozen(tx, ctx.caller.userId)
      await requireReauthentication(tx, ctx)
      await requireForeign(tx, to, 'walletAddress')
      if (config.addressWaitHours === 0) return enterAndExecute(tx, ctx, command, to)
      const entered = await enterAddress(tx, ctx, to)
      // Somebody else was faster: what the book says by now.
      if (!entered?.usable_from) return (await executeMoney(tx, [command]))[0]!
      return { waitsUntil: entered.usable_from }
    }),
  )
  if ('result' in outcome) return outcome.result as Withdrawal
  throw 'waitsUntil' in outcome ? addressWaiting(outcome.waitsUntil, true) : refusalError(outcome.refusal)
}

/** The command and its address's entry in the book, both or neither. */
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
  if (entered) await tellAdded(tx, ctx, newAddressId)
  return outcome!
}

function commandOf(
  { services: { config, clock }, caller, idempotency, ip, requestId }: SignedInContext,
  { amountCents, ...body }: WithdrawalBody & { amountCents: bigint },
  approvalsNeeded: number,
): MoneyCommand {
  requireOffered(body.wallet, config)
  const at = clock.now()
  const id = newId(at)
  const address = addressOf(body, config)
  const of = { id, holdId: newId(at), amountCents, at }
  const payout = { wallet: body.wallet, address, approvalsNeeded }
  const answer = answerOf({ ...of, ...payout, caller: caller.userId })
  return { ...of, kind: 'withdrawal', caller: caller.userId, idempotency, ip, requestId, payout, answer }
}

type Requested = Pick<MoneyCommand, 'id' | 'holdId' | 'caller' | 'amountCents' | 'at'> &
  NonNullable<MoneyCommand['payout']>

/** The withdrawal as it will be; the number and the name are filled in with it. */
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
    approvals_needed: of.approvalsNeeded,
    created_at: of.at,
    approved_at: null,
    paid_at: null,
    transaction_id: null,
    decline_reason: null,
    recovered_cents: 0n,
    payout_asset: null,
    payout_units: null,
    payout_rate_e8: null,
    payout_rate_at: null,
    payout_rate_source: null,
    batch: null,
  })
}
