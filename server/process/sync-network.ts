import { isPaymentExpected, isRestOver } from '#server/chain/expected.ts'
import { type Expected, type SyncResult, sync, type TransferConsumer } from '#server/chain/sync.ts'
import type { Services } from '#server/context.ts'
import { compareWithSecond } from '#server/deposits/assess/second-source.ts'
import { assessDue } from '#server/deposits/assess.ts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { sendersOf } from '#server/payouts/files.ts'
import { isPayoutExpected, payoutAddresses } from '#server/payouts/watched-batches.ts'
import type { Chain, Watched } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositMethod } from '#shared/coins.ts'

const payouts: TransferConsumer = {
  errorKind: 'payouts',
  message: 'Payouts could not be marked as paid; the log of the worker says why',
  async assess(services, method) {
    const { failed } = await assessPayouts(services, method)
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

/** The addresses of watched batches, and the payout addresses in use. */
export async function readPayoutWatch(
  { db, config }: Pick<Services, 'db' | 'config'>,
  method: DepositMethod,
): Promise<Watched> {
  const batches = await payoutAddresses(db, method)
  const senders = sendersOf(config, method).map(addressKey)
  return { ...batches, senders: new Set([...batches.senders, ...senders]) }
}

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
 * Syncs a network, marks confirmed payouts as paid, then credits and reverses deposits.
 * @param second the network's second source, where one is configured @throws as `sync`
 */
export function syncNetwork(
  services: Services,
  method: DepositMethod,
  chain: Chain,
  second?: Chain,
): Promise<SyncResult> {
  return sync(services, method, chain, {
    readPayouts: readPayoutWatch,
    readExpected,
    consumers: [payouts, ...(second === undefined ? [] : [agreement(second)]), deposits],
  })
}
