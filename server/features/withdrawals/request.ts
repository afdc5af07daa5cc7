import type { Config } from '#server/config.ts'
import type { SignedInContext } from '#server/context.ts'
import type { MoneyCommand, MoneyOutcome } from '#server/ledger/batch.ts'
import { refusalError } from '#server/ledger/refusals.ts'
import { newId } from '#server/platform/id.ts'
import { presentWithdrawal } from '#server/records/withdrawals.ts'
import { addressFault } from '#shared/addresses.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'

/** The body of a request: `address` and `walletAddress` are the same value (D7). */
export type WithdrawalBody = {
  wallet: WithdrawalWallet
  address?: string | undefined
  walletAddress?: string | undefined
}

/**
 * The address to pay to, of its coin's format and with a right checksum. In demo mode the coins' test networks count as
 * well. Main-net addresses still do: D2 keeps them away from what people pay to, and from here no coin leaves anyway;
 * visitors would otherwise meet a form that refuses what the real one takes.
 * @throws AppError invalid_input: none given, two that differ, 'This is not a valid Bitcoin (BTC) address', or one that
 *   the firm itself is paid at
 */
function payoutAddress({ wallet, address, walletAddress }: WithdrawalBody, config: Config): string {
  const given = walletAddress ?? address
  if (given === undefined) throw faulty('All fields are requred fields')
  if (address !== undefined && address !== given) throw faulty('The two wallet addresses differ')
  const fault = addressFault(wallet, given, { testNetworks: config.mode === 'demo' })
  if (fault !== undefined) throw faulty(fault)
  if (isFirmsOwn(given, config))
    throw faulty('The firm is paid at this address. Enter one of your own wallet')
  return given
}

/** Whatever the coin: several of them share the form of their addresses. Of most forms the case means nothing. */
function isFirmsOwn(address: string, { paymentAddresses }: Config): boolean {
  return Object.values(paymentAddresses).some(own => own.toLowerCase() === address.toLowerCase())
}

function faulty(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { walletAddress: message } })
}

/**
 * A pending withdrawal; its amount is held at once (D7).
 * @param execute the process's writer of hot commands
 * @throws AppError invalid_input, email_not_verified, insufficient_funds, idempotency_key_reused
 */
export async function requestWithdrawal(
  ctx: SignedInContext,
  body: WithdrawalBody & { amountCents: bigint },
  execute: (command: MoneyCommand) => Promise<MoneyOutcome>,
): Promise<Withdrawal> {
  const outcome = await execute(commandOf(ctx, body))
  if ('result' in outcome) return outcome.result as Withdrawal
  throw refusalError(outcome.refusal)
}

function commandOf(
  { services: { config, clock }, caller, idempotency, ip, requestId }: SignedInContext,
  { amountCents, ...body }: WithdrawalBody & { amountCents: bigint },
): MoneyCommand {
  const at = clock.now()
  const id = newId(at)
  const address = payoutAddress(body, config)
  const approvalsNeeded = amountCents > config.largeWithdrawalCents ? 2 : 1
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
  })
}
