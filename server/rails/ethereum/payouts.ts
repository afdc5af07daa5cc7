import { addressNetwork, withChecksum } from '#shared/addresses.ts'
import { assetDecimals, formatDecimal, scaleOf } from '#shared/money.ts'
import { transferCall } from './erc20.ts'

/** A payment of a batch: ether in gwei, USDT in 10^-6. */
export type EthereumPayout = {
  /** The withdrawal's number, which the file repeats. */
  reference: string
  to: string
  token: 'ETH' | 'USDT'
  units: bigint
  nonce: number
}

export type EthereumBatch = {
  id: string
  createdAt: Date
  /** EIP-155. */
  chainId: number
  /** The paying address. */
  from: string
  /** The USDT contract, required to pay USDT. */
  usdtContract: string | undefined
  payouts: readonly EthereumPayout[]
}

/**
 * Unsigned transactions, one for each payment. The nonce makes sure that the network takes each once; the signing wallet sets gas and
 * fee. `value` is wei as a decimal number, `data` an ERC-20 transfer call, or 0x.
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
    /** For people: recipient and amount in whole coins. */
    pays: { recipient: string; amount: string; token: 'ETH' | 'USDT' }
    /** The same request as a URI (EIP-681) for QR codes. It cannot carry the nonce, which is entered in the wallet. */
    uri: string
  }[]
}

/** @throws RangeError for an invalid address, an amount that is not positive, or USDT without a contract */
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

/** With the checksum of EIP-55; rejects a wrong one. */
function checkedAddress(address: string): string {
  if (addressNetwork('Ethereum (ETH)', address) === undefined) {
    throw new RangeError(`${address} is no address of Ethereum`)
  }
  return withChecksum(address)
}
