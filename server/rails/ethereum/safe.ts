import {
  type Address,
  concatHex,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  size,
  stringToHex,
} from 'viem'
import type { SafeVersion } from '#server/rails/chain.ts'
import { withChecksum } from '#shared/addresses.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'

/**
 * Payments by a Safe, a contract whose owners sign together (github.com/safe-global/safe-smart-account). It executes one Safe
 * transaction for each of its nonces.
 */

/** A call by the Safe: amounts in wei. */
export type SafeCall = { to: Address; value: bigint; data: Hex }

/** What the owners sign, as far as it is not zero: the app of Safe sets no gas and no refund. */
export type SafeTransaction = SafeCall & {
  /** EIP-155. */
  chainId: number
  safe: Address
  nonce: number
  /** 0: a call. 1: a delegatecall, here only of `multiSends`. */
  operation: 0 | 1
}

/** Ether in gwei, USDT in 10^-6. */
export type SafePayment = { to: string; units: bigint }

/**
 * MultiSendCallOnly, by which the app executes several calls at once: all of them, or none. Addresses and code hashes as
 * github.com/safe-global/safe-deployments publishes them, the first of each network.
 */
const multiSends: Record<SafeVersion, { address: Address; codeHash: Hex }> = {
  '1.3.0': {
    address: '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D',
    codeHash: '0xa9865ac2d9c7a1591619b188c4d88167b50df6cc0c5327fcbd1c8c75f7c066ad',
  },
  '1.4.1': {
    address: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
    codeHash: '0xecd5bd14a08c5d2122379900b2f272bdf107a7e92423c10dd5fe3254386c9939',
  },
}
/** Sepolia and Hoodi have another one first for 1.3.0. */
const otherFirst: ReadonlySet<number> = new Set([11_155_111, 560_048])
const otherMultiSend: Address = '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B'

export function multiSendOf(version: SafeVersion, chainId: number): { address: Address; codeHash: Hex } {
  const first = multiSends[version]
  return version === '1.3.0' && otherFirst.has(chainId) ? { ...first, address: otherMultiSend } : first
}

const multiSendAbi = parseAbi(['function multiSend(bytes transactions) payable'])
const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/** @param token the contract of USDT; undefined for ether */
export function callOf({ to, units }: SafePayment, token: string | undefined): SafeCall {
  const recipient = withChecksum(to) as Address
  if (token === undefined) return { to: recipient, value: units * weiPerGwei, data: '0x' }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, units] })
  return { to: withChecksum(token) as Address, value: 0n, data }
}

type Place = { chainId: number; safe: string; nonce: number }

/** The Safe transaction that the app makes of these calls: one as it is, several by MultiSendCallOnly. */
export function safeTransactionOf(
  calls: readonly SafeCall[],
  { version, safe, ...place }: Place & { version: SafeVersion },
): SafeTransaction {
  const of = { ...place, safe: withChecksum(safe) as Address }
  const [only, ...others] = calls
  if (only === undefined) throw new RangeError('a Safe transaction makes at least one call')
  if (others.length === 0) return { ...of, ...only, operation: 0 }
  const packed = calls.map(({ to, value, data }) =>
    encodePacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
      [0, to, value, BigInt(size(data)), data],
    ),
  )
  return {
    ...of,
    to: multiSendOf(version, place.chainId).address,
    value: 0n,
    data: encodeFunctionData({ abi: multiSendAbi, functionName: 'multiSend', args: [concatHex(packed)] }),
    operation: 1,
  }
}

/** Nothing, from the Safe to itself, by which the nonce is used: what the app calls a rejection. */
export function rejectionOf({ safe, ...place }: Place): SafeTransaction {
  const own = withChecksum(safe) as Address
  return { ...place, safe: own, to: own, value: 0n, data: '0x', operation: 0 }
}

const nobody: Address = '0x0000000000000000000000000000000000000000'

/** EIP-712, as since version 1.3.0 of the contract. */
export function typedData({ chainId, safe, nonce, to, value, data, operation }: SafeTransaction) {
  return {
    domain: { chainId, verifyingContract: safe },
    types: {
      SafeTx: [
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'data', type: 'bytes' },
        { name: 'operation', type: 'uint8' },
        { name: 'safeTxGas', type: 'uint256' },
        { name: 'baseGas', type: 'uint256' },
        { name: 'gasPrice', type: 'uint256' },
        { name: 'gasToken', type: 'address' },
        { name: 'refundReceiver', type: 'address' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'SafeTx',
    message: {
      to,
      value,
      data,
      operation,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: nobody,
      refundReceiver: nobody,
      nonce: BigInt(nonce),
    },
  } as const
}

/** The hash that the owners sign ("SafeTxHash"), and that the Safe's event names when it has executed it. Lower case. */
export function safeTxHashOf(transaction: SafeTransaction): Hex {
  return hashTypedData(typedData(transaction))
}

/** A file of Safe's Transaction Builder (github.com/safe-global/safe-react-apps, apps/tx-builder). */
export type SafeBuilderFile = {
  version: '1.0'
  chainId: string
  /** Milliseconds since 1970. */
  createdAt: number
  meta: {
    name: string
    description: string
    createdFromSafeAddress: string
    createdFromOwnerAddress: ''
    checksum?: string
  }
  transactions: BuilderTransaction[]
}

/** `data` null: the builder encodes the method with its values, or there is none. */
type BuilderTransaction = {
  to: string
  /** Wei. */
  value: string
  data: null
  contractMethod: {
    name: string
    payable: boolean
    inputs: readonly { name: string; type: string; internalType: string }[]
  } | null
  contractInputsValues: Record<string, string> | null
}

const transferMethod = {
  name: 'transfer',
  payable: false,
  inputs: [
    { name: 'to', type: 'address', internalType: 'address' },
    { name: 'value', type: 'uint256', internalType: 'uint256' },
  ],
}

/** @param token as of `callOf` */
export function builderPayment({ to, units }: SafePayment, token: string | undefined): BuilderTransaction {
  if (token === undefined) return builderEther(to, units * weiPerGwei)
  const values = { to: withChecksum(to), value: `${units}` }
  const method = { contractMethod: transferMethod, contractInputsValues: values }
  return { to: withChecksum(token), value: '0', data: null, ...method }
}

/** @param value in wei */
export function builderEther(to: string, value: bigint): BuilderTransaction {
  const nothing = { data: null, contractMethod: null, contractInputsValues: null }
  return { to: withChecksum(to), value: `${value}`, ...nothing }
}

export function builderFile(
  { name, description, createdAt }: { name: string; description: string; createdAt: Date },
  { chainId, safe }: Pick<SafeTransaction, 'chainId' | 'safe'>,
  transactions: BuilderTransaction[],
): SafeBuilderFile {
  const file: SafeBuilderFile = {
    version: '1.0',
    chainId: `${chainId}`,
    createdAt: createdAt.getTime(),
    meta: { name, description, createdFromSafeAddress: safe, createdFromOwnerAddress: '' },
    transactions,
  }
  return { ...file, meta: { ...file.meta, checksum: checksumOf(file) } }
}

/** The builder warns if it does not fit. It leaves the name out, which people may change (its lib/checksum.ts). */
function checksumOf(file: SafeBuilderFile): Hex {
  return keccak256(stringToHex(serialised({ ...file, meta: { ...file.meta, name: null } })))
}

/** The builder's own form: of an object its sorted names, then each value with a comma. */
function serialised(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialised).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  const names = JSON.stringify(fields.map(([name]) => name))
  return `{${names}${fields.map(([, each]) => `${serialised(each)},`).join('')}}`
}
