import { addressNetwork, withChecksum } from '#shared/addresses.ts'
import { assetDecimals, formatDecimal, scaleOf } from '#shared/money.ts'
import { transferCall } from './erc20.ts'

/** One payment of a batch: ether in gwei, USDT in 10^-6. */
export type EthereumPayout = {
  /** The payer's own name of it, which the file repeats. */
  reference: string
  to: string
  token: 'ETH' | 'USDT'
  units: bigint
  /** Which transaction of the payer it is. */
  nonce: number
}

export type EthereumBatch = {
  id: string
  createdAt: Date
  /** EIP-155. */
  chainId: number
  /** The address that pays. */
  from: string
  /** USDT's contract; needed where USDT is paid. */
  usdtContract: string | undefined
  payouts: readonly EthereumPayout[]
}

/**
 * Transactions to be signed elsewhere, one for each payment. Each has its nonce, so that of two signings of it the network takes one; gas
 * and fee are set by the wallet that signs. `value` is wei as a decimal number, `data` the call of an ERC-20's transfer, or 0x.
 */
export type EthereumPayoutFile = {
  format: 'probity-ethereum-payouts'
  version: 2
  batch: string
  createdAt: string
  chainId: number
  from: string
  transactions: {
    reference: string
    chainId: number
    from: string
    nonce: number
    to: string
    value: string
    data: string
    /** For people: who gets how much of what, in whole coins. */
    pays: { recipient: string; amount: string; token: 'ETH' | 'USDT' }
    /** The same request as a URI (EIP-681), for a wallet that reads QR codes. It has no place for a nonce, which is entered in the wallet. */
    uri: string
  }[]
}

/** @throws RangeError where an address is none, an amount is not positive, or USDT has no contract */
export function ethereumPayoutFile({ payouts, ...batch }: EthereumBatch): EthereumPayoutFile {
  const from = checkedAddress(batch.from)
  return {
    format: 'probity-ethereum-payouts',
    version: 2,
    batch: batch.id,
    createdAt: batch.createdAt.toISOString(),
    chainId: batch.chainId,
    from,
    transactions: payouts.map(payout => ({
      reference: payout.reference,
      chainId: batch.chainId,
      from,
      nonce: payout.nonce,
      ...callOf(payout, batch.chainId, batch.usdtContract),
    })),
  }
}

function callOf(
  { to, token, units }: EthereumPayout,
  chainId: number,
  usdtContract: string | undefined,
): Pick<EthereumPayoutFile['transactions'][number], 'to' | 'value' | 'data' | 'pays' | 'uri'> {
  if (units <= 0n) throw new RangeError(`nothing is paid to ${to}`)
  const recipient = checkedAddress(to)
  const pays = { recipient, amount: formatDecimal(units, assetDecimals[token]), token }
  if (token === 'ETH') {
    const wei = units * scaleOf(18 - assetDecimals.ETH)
    const uri = `ethereum:${recipient}@${chainId}?value=${wei}`
    return { to: recipient, value: `${wei}`, data: '0x', pays, uri }
  }
  if (usdtContract === undefined) throw new RangeError(`there is no contract of USDT on chain ${chainId}`)
  const contract = checkedAddress(usdtContract)
  const uri = `ethereum:${contract}@${chainId}/transfer?address=${recipient}&uint256=${units}`
  return { to: contract, value: '0', data: transferCall(recipient, units), pays, uri }
}

/** With the checksum of EIP-55; one whose checksum is wrong is no address. */
function checkedAddress(address: string): string {
  if (addressNetwork('Ethereum (ETH)', address) === undefined) {
    throw new RangeError(`${address} is no address of Ethereum`)
  }
  return withChecksum(address)
}
