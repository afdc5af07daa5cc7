import { type Hex, numberToHex, parseTransaction, serializeTransaction } from 'viem'
import type { FeeEstimate } from '#server/rails/chain.ts'
import { addressNetwork, withChecksum } from '#shared/addresses.ts'
import { highestEthereumFeeGwei } from '#shared/limits.ts'
import { assetDecimals, formatDecimal, scaleOf } from '#shared/money.ts'
import type { TokenContracts } from '#shared/token-contracts.ts'
import { transferAsked, transferCall } from './erc20.ts'
import { ethereumRefusals } from './messages.ts'

/** A whole transaction (EIP-1559), of which only the signature is missing. Amounts and prices are in wei. */
export type EthereumPlan = {
  /** EIP-155. */
  chainId: number
  /** The paying address, as `to` with its checksum (EIP-55). */
  from: string
  nonce: number
  to: string
  value: bigint
  data: Hex
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export type EthereumToken = 'ETH' | 'USDT' | 'USDC'

/** A payment of a batch: ether in gwei, tokens in 10^-6. */
export type EthereumPayment = {
  to: string
  token: EthereumToken
  units: bigint
  nonce: number
  /** The most that it may use, where the recipient is known; else enough for any. */
  gas?: bigint
}

export type EthereumPayer = {
  /** EIP-155. */
  chainId: number
  /** The paying address. */
  from: string
  /** Of the chain's tokens; that of a token is required to pay it. */
  contracts: TokenContracts
}

/**
 * Most gas that a payment may use; what it does not use is not paid for. Ether to a key takes 21,000, to a wallet that is a contract about
 * 30,000. USDT takes 63,000 to an address that has none. A recipient's contract cannot burn more than this of ours.
 */
const gasLimits: Record<EthereumToken, bigint> = { ETH: 60_000n, USDT: 100_000n, USDC: 100_000n }
/** A transfer without code (EIP-2028's intrinsic gas). */
export const TRANSFER_GAS = 21_000n

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)
/** A wallet's own fees are accepted up to this, in wei for the whole transaction. */
export const mostFeeWei = BigInt(highestEthereumFeeGwei) * weiPerGwei

/**
 * The transaction of a payment, at the fees that the network asks for.
 * @throws RangeError for an invalid address, an amount that is not positive, or a token without a contract
 * @throws AppError wrong_state (ethereumRefusals) if the fees are above the limit
 */
export function planPayment(
  { to, token, units, nonce, gas = gasLimits[token] }: EthereumPayment,
  { chainId, from, contracts }: EthereumPayer,
  fees: FeeEstimate,
): EthereumPlan {
  if (units <= 0n) throw new RangeError(`nothing is paid to ${to}`)
  const recipient = checkedAddress(to)
  const payer = { chainId, from: checkedAddress(from), nonce, gas }
  if (token === 'ETH')
    return priced({ ...payer, to: recipient, value: units * weiPerGwei, data: '0x' }, priceOf(fees))
  const contract = contracts[token]
  if (contract === undefined) throw new RangeError(`there is no contract of ${token} on chain ${chainId}`)
  const data = transferCall(recipient, units) as Hex
  return priced({ ...payer, to: checkedAddress(contract), value: 0n, data }, priceOf(fees))
}

/**
 * The same transaction at fees for which nodes drop the others of its nonce.
 * @param sent the nonce's transactions so far, the payment first, with the fees that they were signed with @throws as `planPayment`
 */
export function replacement(
  sent: readonly [EthereumPlan, ...EthereumPlan[]],
  fees: FeeEstimate,
): EthereumPlan {
  return priced(sent[0], outbidding(sent, fees))
}

/**
 * Nothing, from the sender to itself, by which the nonce is used. It takes the place of each of `sent`.
 * @param sent as of `replacement` @throws as `planPayment`
 */
export function cancellation(
  sent: readonly [EthereumPlan, ...EthereumPlan[]],
  fees: FeeEstimate,
): EthereumPlan {
  const { chainId, from, nonce } = sent[0]
  // Less than a delegated account's code needs (EIP-7702): failing uses the nonce just as well.
  const nothing = { chainId, from, nonce, to: from, value: 0n, data: '0x' as const, gas: TRANSFER_GAS }
  return priced(nothing, outbidding(sent, fees))
}

type Price = Pick<EthereumPlan, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

function priceOf({ price, tip }: FeeEstimate): Price {
  return { maxFeePerGas: price, maxPriorityFeePerGas: tip ?? price }
}

/** Nodes ask for ten percent more of both (`txpool.pricebump` of geth), to the last wei. */
function outbidding(sent: readonly EthereumPlan[], fees: FeeEstimate): Price {
  const least = (field: keyof Price) =>
    sent.reduce((most, plan) => {
      const bumped = (plan[field] * 110n + 99n) / 100n
      return bumped > most ? bumped : most
    }, priceOf(fees)[field])
  return { maxFeePerGas: least('maxFeePerGas'), maxPriorityFeePerGas: least('maxPriorityFeePerGas') }
}

function priced(plan: Omit<EthereumPlan, keyof Price>, price: Price): EthereumPlan {
  const fee = plan.gas * price.maxFeePerGas
  if (fee > mostFeeWei)
    throw ethereumRefusals.error({ reason: 'fee_above_limit', fee: ether(fee), limit: ether(mostFeeWei) })
  return { ...plan, ...price }
}

/** The unsigned transaction in the network's form, 0x02… (EIP-1559). */
export function unsignedOf({ from: _, ...plan }: EthereumPlan): Hex {
  return serializeTransaction({ ...plan, type: 'eip1559', to: plan.to as Hex })
}

/** The plan of a transaction, signed or not, by its sender. */
export function planOf(transaction: Hex, from: string): EthereumPlan {
  const { to, value = 0n, data = '0x', nonce = 0, gas, ...plan } = parseTransaction(transaction)
  const { chainId, gasPrice, maxFeePerGas = gasPrice!, maxPriorityFeePerGas = gasPrice ?? 0n } = plan
  const price = { maxFeePerGas, maxPriorityFeePerGas }
  return { chainId: chainId!, from, nonce, to: withChecksum(to!), value, data, gas: gas!, ...price }
}

/**
 * Unsigned transactions. `transaction` is what `eth_signTransaction` takes, in hexadecimal quantities; `unsigned` is the same in the network's
 * form. A signed copy goes into `signed`, or into a file of its own.
 */
export type EthereumPayoutFile = {
  format: 'probity-ethereum-payouts'
  version: 3
  batch: string
  createdAt: string
  transactions: {
    reference: string
    /** Sweeps: where the wallet finds the signing key (BIP-32), such as m/44'/60'/0'/0/5. */
    derivationPath?: string
    pays: EthereumPays
    transaction: Record<
      'type' | 'chainId' | 'nonce' | 'value' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'data',
      Hex
    > & { from: string; to: string }
    unsigned: Hex
  }[]
}

/** For people: recipient and amount in whole coins. */
export type EthereumPays = { recipient: string; amount: string; token: EthereumToken }

/** @param plans with the withdrawals' numbers, or the names that a sweep gives its transactions; the file repeats both */
export function ethereumPlanFile(
  { id, createdAt, contracts }: { id: string; createdAt: Date; contracts: TokenContracts },
  plans: readonly { reference: string; plan: EthereumPlan; derivationPath?: string | undefined }[],
): EthereumPayoutFile {
  return {
    format: 'probity-ethereum-payouts',
    version: 3,
    batch: id,
    createdAt: createdAt.toISOString(),
    transactions: plans.map(({ reference, plan, derivationPath }) => ({
      reference,
      ...(derivationPath === undefined ? {} : { derivationPath }),
      pays: paysOf(plan, contracts),
      transaction: {
        type: '0x2',
        chainId: numberToHex(plan.chainId),
        from: plan.from,
        nonce: numberToHex(plan.nonce),
        to: plan.to,
        value: numberToHex(plan.value),
        data: plan.data,
        gas: numberToHex(plan.gas),
        maxFeePerGas: numberToHex(plan.maxFeePerGas),
        maxPriorityFeePerGas: numberToHex(plan.maxPriorityFeePerGas),
      },
      unsigned: unsignedOf(plan),
    })),
  }
}

/** The token of a contract; undefined for another one's. */
export function tokenAt(address: string, contracts: TokenContracts): 'USDT' | 'USDC' | undefined {
  const key = address.toLowerCase()
  return (['USDT', 'USDC'] as const).find(token => contracts[token]?.toLowerCase() === key)
}

function paysOf({ from, to, value, data }: EthereumPlan, contracts: TokenContracts): EthereumPays {
  const moved = transferAsked(from, data)
  if (moved === undefined) return { recipient: to, amount: ether(value), token: 'ETH' }
  const amount = formatDecimal(moved.units, assetDecimals.USDT)
  return { recipient: withChecksum(moved.to), amount, token: tokenAt(to, contracts)! }
}

/** Whole ether, to the gwei. */
export function ether(wei: bigint): string {
  return formatDecimal(wei / weiPerGwei, assetDecimals.ETH)
}

/** With the checksum of EIP-55; rejects a wrong one. */
function checkedAddress(address: string): string {
  if (addressNetwork('Ethereum (ETH)', address) === undefined)
    throw new RangeError(`${address} is no address of Ethereum`)
  return withChecksum(address)
}
