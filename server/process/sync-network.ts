import { isPaymentExpected, isRestOver } from '#server/chain/expected.ts'
import { type Expected, type SyncResult, sync, type TransferConsumer } from '#server/chain/sync.ts'
import type { Services } from '#server/context.ts'
import { compareWithSecond } from '#server/deposits/assess/second-source.ts'
import { assessDue } from '#server/deposits/assess.ts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { broadcastSigned } from '#server/payouts/broadcast.ts'
import { readFees } from '#server/payouts/fee-estimates.ts'
import { tellOfOutgoing } from '#server/payouts/outgoing.ts'
import { isPayoutExpected, readPayoutWatch } from '#server/payouts/watch.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { DepositMethod } from '#shared/coins.ts'

const payouts: TransferConsumer = {
  errorKind: 'payouts',
  message: 'Payouts could not be marked as paid; the log of the worker says why',
  async assess(services, method) {
    const { failed } = await assessPayouts(services, method)
    await tellOfOutgoing(services, method)
    await services.db
      .updateTable('app.chain_cursors')
      .set({ failed_payouts: failed })
      .where('method', '=', method)
      .where(({ eb, val }) => eb('failed_payouts', '<>', val(failed)))
      .execute()
  },
}

const deposits: TransferConsumer = {
  errorKind: 'crediting',
  message: 'Deposits could not be credited or reversed; the log of the worker says why',
  async assess(services, method) {
    const failed = await assessDue(services, method)
    await services.db
      .updateTable('app.chain_cursors')
      .set({ failed_deposits: failed })
      .where('method', '=', method)
      .where('failed_deposits', '<>', failed)
      .execute()
  },
}

function agreement(second: Chain): TransferConsumer {
  return {
    errorKind: 'crediting',
    message: 'Deposits could not be compared with the second source; the log of the worker says why',
    assess: (services, method) => compareWithSecond(services, method, second),
  }
}

/** Gives our node what was signed, and asks it what transactions cost. */
const broadcasts = (chain: Chain): TransferConsumer => ({
  errorKind: 'payouts',
  message: 'Payouts could not be broadcast; the log of the worker says why',
  async assess(services, method) {
    await broadcastSigned(services, method, chain)
    if (await isPayoutExpected(services.db, method)) await readFees(services, method, chain)
  },
})

async function readExpected(services: Services, method: DepositMethod): Promise<Expected> {
  const payment = await isPaymentExpected(services, method)
  return { payment, payout: await isPayoutExpected(services.db, method) }
}

/** True if a poll of the network is due: always while a payment or payout is expected, else after the chain's rest. */
export async function isDue(services: Services, method: DepositMethod, chain: Chain): Promise<boolean> {
  if (await isRestOver(services, method, chain)) return true
  const { payment, payout } = await readExpected(services, method)
  return payment || payout
}

/**
 * Syncs a network, compares payouts with it, credits and reverses deposits, then broadcasts what was signed.
 * @param second the network's second source, where one is configured @throws as `sync`
 */
export function syncNetwork(
  services: Services,
  method: DepositMethod,
  chain: Chain,
  second?: Chain,
): Promise<SyncResult> {
  const compared = second === undefined ? [] : [agreement(second)]
  const consumers = [payouts, ...compared, deposits, broadcasts(chain)]
  return sync(services, method, chain, { readPayouts: readPayoutWatch, readExpected, consumers })
}
