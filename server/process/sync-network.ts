import { isPaymentExpected, isRestOver } from '#server/chain/expected.ts'
import { type Expected, type SyncResult, sync, type TransferConsumer } from '#server/chain/sync.ts'
import type { Services } from '#server/context.ts'
import { tellOfPaymentsAfterClosing } from '#server/deposits/after-closing.ts'
import { compareWithSecond } from '#server/deposits/assess/second-source.ts'
import { assessDue } from '#server/deposits/assess.ts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { broadcastSigned } from '#server/payouts/broadcast.ts'
import { readFees } from '#server/payouts/fee-estimates.ts'
import { tellOfOutgoing } from '#server/payouts/outgoing.ts'
import { isPayoutExpected, readPayoutWatch } from '#server/payouts/watch.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'

const payouts: TransferConsumer = {
  errorKind: 'payouts',
  message: 'Payouts could not be marked as paid; the log of the worker says why',
  async assess(services, rail) {
    const { failed } = await assessPayouts(services, rail)
    await tellOfOutgoing(services, rail)
    await services.db
      .updateTable('app.chain_cursors')
      .set({ failed_payouts: failed })
      .where('rail', '=', rail)
      .where(({ eb, val }) => eb('failed_payouts', '<>', val(failed)))
      .execute()
  },
}

const deposits: TransferConsumer = {
  errorKind: 'crediting',
  message: 'Deposits could not be credited or reversed; the log of the worker says why',
  async assess(services, rail) {
    const failed = await assessDue(services, rail)
    await tellOfPaymentsAfterClosing(services, rail)
    await services.db
      .updateTable('app.chain_cursors')
      .set({ failed_deposits: failed })
      .where('rail', '=', rail)
      .where('failed_deposits', '<>', failed)
      .execute()
  },
}

function agreement(second: Chain): TransferConsumer {
  return {
    errorKind: 'crediting',
    message: 'Deposits could not be compared with the second source; the log of the worker says why',
    assess: (services, rail) => compareWithSecond(services, rail, second),
  }
}

/** Gives our node what was signed, and asks it what transactions cost. */
const broadcasts = (chain: Chain): TransferConsumer => ({
  errorKind: 'payouts',
  message: 'Payouts could not be broadcast; the log of the worker says why',
  async assess(services, rail) {
    await broadcastSigned(services, rail, chain)
    if (await isPayoutExpected(services, rail)) await readFees(services, rail, chain)
  },
})

async function readExpected(services: Services, rail: RailName): Promise<Expected> {
  const payment = await isPaymentExpected(services, rail)
  return { payment, payout: await isPayoutExpected(services, rail) }
}

/** True if a poll of the network is due: always while a payment or payout is expected, else after the chain's rest. */
export async function isDue(services: Services, rail: RailName, chain: Chain): Promise<boolean> {
  if (await isRestOver(services, rail, chain)) return true
  const { payment, payout } = await readExpected(services, rail)
  return payment || payout
}

/**
 * Syncs a network, compares payouts with it, credits and reverses deposits, then broadcasts what was signed.
 * @param second the network's second source, where one is configured @throws as `sync`
 */
export function syncNetwork(
  services: Services,
  rail: RailName,
  chain: Chain,
  second?: Chain,
): Promise<SyncResult> {
  const compared = second === undefined ? [] : [agreement(second)]
  const consumers = [payouts, ...compared, deposits, broadcasts(chain)]
  return sync(services, rail, chain, { readPayouts: readPayoutWatch, readExpected, consumers })
}
