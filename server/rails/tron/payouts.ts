import { transferCall } from '#server/rails/ethereum/erc20.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { tronHash } from './addresses.ts'

/** One payment of a batch, in 10^-6 USDT. */
export type TronPayout = {
  /** The payer's own name of it, which the file repeats. */
  reference: string
  to: string
  units: bigint
}

export type TronBatch = {
  id: string
  createdAt: Date
  /** For people: 'TRON (TRC-20)'. */
  network: string
  /** The address that pays. */
  from: string
  /** USDT's contract on that network. */
  contract: string
  payouts: readonly TronPayout[]
}

/**
 * Payments in USDT (TRC-20) to be made elsewhere, one transaction each. `amount` is 10^-6 USDT as a decimal number;
 * `function_selector` and `parameter` are what wallet/triggersmartcontract of a node asks for to build the transaction.
 */
export type TronPayoutFile = {
  format: 'probity-tron-payouts'
  version: 1
  batch: string
  createdAt: string
  network: string
  transfers: {
    reference: string
    contract: string
    from: string
    to: string
    amount: string
    function_selector: 'transfer(address,uint256)'
    parameter: string
    /** For people: who gets how much, in whole USDT. */
    pays: { recipient: string; amount: string; token: 'USDT' }
    /** The same request as a URI in the form that TRON's wallets read. */
    uri: string
  }[]
}

/** @throws RangeError where an address is none, or an amount is not positive */
export function tronPayoutFile({ payouts, contract, from, ...batch }: TronBatch): TronPayoutFile {
  for (const address of [contract, from]) tronHash(address)
  return {
    format: 'probity-tron-payouts',
    version: 1,
    batch: batch.id,
    createdAt: batch.createdAt.toISOString(),
    network: batch.network,
    transfers: payouts.map(({ reference, to, units }) => {
      if (units <= 0n) throw new RangeError(`nothing is paid to ${to}`)
      const amount = formatDecimal(units, assetDecimals.USDT)
      return {
        reference,
        contract,
        from,
        to,
        amount: `${units}`,
        function_selector: 'transfer(address,uint256)',
        parameter: parameterOf(to, units),
        pays: { recipient: to, amount, token: 'USDT' },
        uri: `tron:${to}?token=${contract}&amount=${amount}`,
      }
    }),
  }
}

/** The arguments of `transfer` as the contract's ABI encodes them, without the function's own four bytes. */
function parameterOf(to: string, units: bigint): string {
  const recipient = `0x${Buffer.from(tronHash(to)).toString('hex')}`
  return transferCall(recipient, units).slice('0x'.length + 8)
}
