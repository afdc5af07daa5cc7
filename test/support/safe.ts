import {
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  hashMessage,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
  size,
  stringToHex,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { payer, type TestChain } from './anvil.ts'
import contracts from './safe-contracts.json' with { type: 'json' }

/** Real Safe contracts on anvil, and what the app of Safe does with a file of its Transaction Builder. Nothing here is our own code. */

export type SafeVersion = '1.3.0' | '1.4.1'

/** As github.com/safe-global/safe-deployments publishes them for the main network. */
const published = {
  '1.3.0': {
    singleton: '0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552',
    multiSendCallOnly: '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D',
    fallbackHandler: '0xf48f2B2d2a534e402487b3ee7C18c33Aec0Fe5e4',
  },
  '1.4.1': {
    singleton: '0x41675C099F32341bf84BFc5382aF534df5C7461a',
    multiSendCallOnly: '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
    fallbackHandler: '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  },
} as const

const abi = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
  'function getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)',
  'function enableModule(address module)',
  'function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool)',
  'function multiSend(bytes transactions) payable',
])

/** A Safe transaction; `safeTxGas` above 0 lets it fail and use its nonce all the same. */
export type SafeTx = { to: Address; value: bigint; data: Hex; operation: 0 | 1; safeTxGas?: bigint }

/** Places a version's contracts at their published addresses. */
async function publish({ client }: TestChain, version: SafeVersion): Promise<void> {
  for (const name of ['singleton', 'multiSendCallOnly', 'fallbackHandler'] as const) {
    await client.setCode({ address: published[version][name], bytecode: contracts[version][name] as Hex })
  }
}

/** A Safe of three owners, two of whom must sign. It has 100 ETH. */
export async function openSafe(network: TestChain, version: SafeVersion) {
  await publish(network, version)
  const { client } = network
  const owners = [payer(1), payer(2), payer(3)]
  const { singleton, fallbackHandler } = published[version]
  const code = contracts[version].proxyCreation as Hex
  const address = await network.deploy(
    9,
    concatHex([code, encodeAbiParameters([{ type: 'address' }], [singleton])]),
  )
  const call = (data: Hex, value = 0n) => network.send(9, { to: address, data, value }, {})
  const signers = owners.map(one => one.address)
  const rest = [zeroAddress, '0x', fallbackHandler, zeroAddress, 0n, zeroAddress] as const
  await call(encodeFunctionData({ abi, functionName: 'setup', args: [signers, 2n, ...rest] }))
  await network.mine()
  await client.setBalance({ address, value: 100n * 10n ** 18n })

  /** The Safe's own answer. */
  const hashOf = async ({ to, value, data, operation, safeTxGas = 0n }: SafeTx, nonce: number) => {
    const args = [
      to,
      value,
      data,
      operation,
      safeTxGas,
      0n,
      0n,
      zeroAddress,
      zeroAddress,
      BigInt(nonce),
    ] as const
    const asked = encodeFunctionData({ abi, functionName: 'getTransactionHash', args })
    const { data: answer } = await client.call({ to: address, data: asked })
    return decodeFunctionResult({ abi, functionName: 'getTransactionHash', data: answer! })
  }
  /** A transaction of a stranger, which needs no key of an owner. */
  const sendTo = async (to: Address, data: Hex): Promise<Hex> =>
    network.client.sendTransaction({
      account: payer(9),
      to,
      data,
      gas: 3_000_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 10n,
    })
  /** Both signatures in the order of the addresses, as a Safe wants them. */
  const signedByTwo = async (sign: (owner: (typeof owners)[number]) => Promise<Hex>) => {
    const both = owners
      .slice(0, 2)
      .toSorted((one, other) => (one.address.toLowerCase() < other.address.toLowerCase() ? -1 : 1))
    return concatHex(await Promise.all(both.map(sign)))
  }
  /** The call with which the first two owners have a Safe transaction executed. */
  const signed = async (tx: SafeTx, nonce: number): Promise<Hex> => {
    const hash = await hashOf(tx, nonce)
    const signatures = await signedByTwo(owner => owner.sign({ hash }))
    const { to, value, data, operation, safeTxGas = 0n } = tx
    const args = [
      to,
      value,
      data,
      operation,
      safeTxGas,
      0n,
      0n,
      zeroAddress,
      zeroAddress,
      signatures,
    ] as const
    return encodeFunctionData({ abi, functionName: 'execTransaction', args })
  }
  return {
    address,
    hashOf,
    /**
     * Executes a Safe transaction with two signatures; the next block takes it.
     * @returns the id of the transaction of Ethereum
     */
    execute: async (tx: SafeTx, nonce: number) => sendTo(address, await signed(tx, nonce)),
    /** The same for several in one transaction, as "Bulk execute" of the app does. */
    executeTogether: async (first: number, ...txs: SafeTx[]) => {
      const calls = await Promise.all(
        txs.map(async (tx, n) => ({ to: address, value: 0n, data: await signed(tx, first + n) })),
      )
      return sendTo(published[version].multiSendCallOnly, multiSend(calls))
    },
    /** The answer of a node that is asked to simulate it: the app offers no execution of one that fails. */
    simulate: async (tx: SafeTx, nonce: number) =>
      client.call({ account: payer(9), to: address, data: await signed(tx, nonce) }),
    /** What its app shows once the first two owners have signed a message (EIP-1271). */
    signMessage: async (message: string) => {
      const chainId = await client.getChainId()
      const data = { message: hashMessage(message) }
      return signedByTwo(owner =>
        owner.signTypedData({
          domain: { chainId, verifyingContract: address },
          types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
          primaryType: 'SafeMessage',
          message: data,
        }),
      )
    },
    enableModule: (module: Address): SafeTx => ({
      to: address,
      value: 0n,
      data: encodeFunctionData({ abi, functionName: 'enableModule', args: [module] }),
      operation: 0,
    }),
    /** As an enabled module, which needs no signature of an owner. */
    actAsModule: (by: number, to: Address, value: bigint) =>
      network.send(by, {
        to: address,
        data: encodeFunctionData({
          abi,
          functionName: 'execTransactionFromModule',
          args: [to, value, '0x', 0],
        }),
      }),
    /** What the Transaction Builder makes of a file. */
    built: (file: string) => builtBy(file, version),
  }
}

type BuilderFile = {
  meta: { checksum?: string; name: string | null }
  transactions: {
    to: Address
    value: string
    data: Hex | null
    contractMethod: { name: string; inputs: { name: string; type: string }[] } | null
    contractInputsValues: Record<string, string> | null
  }[]
}

/**
 * Checks the checksum and encodes the transactions, as convertToProposedTransactions of the Transaction Builder and createTransaction of
 * Safe's protocol kit do: one is executed directly, several by MultiSendCallOnly.
 */
function builtBy(text: string, version: SafeVersion): SafeTx {
  const file = JSON.parse(text) as BuilderFile
  const { checksum } = file.meta
  delete file.meta.checksum
  if (checksum !== keccak256(stringToHex(builderForm({ ...file, meta: { ...file.meta, name: null } }))))
    throw new Error('This file was modified since it was generated')
  const calls = file.transactions.map(({ to, value, data, contractMethod, contractInputsValues }) => ({
    to,
    value: BigInt(value),
    data:
      data ?? (contractMethod === null ? ('0x' as const) : encoded(contractMethod, contractInputsValues!)),
  }))
  if (calls.length === 1) return { ...calls[0]!, operation: 0 }
  return { to: published[version].multiSendCallOnly, value: 0n, data: multiSend(calls), operation: 1 }
}

function multiSend(calls: readonly Pick<SafeTx, 'to' | 'value' | 'data'>[]): Hex {
  const packed = calls.map(({ to, value, data }) =>
    concatHex([
      '0x00',
      to,
      numberToHex(value, { size: 32 }),
      numberToHex(size(data), { size: 32 }),
      encodePacked(['bytes'], [data]),
    ]),
  )
  return encodeFunctionData({ abi, functionName: 'multiSend', args: [concatHex(packed)] })
}

/** Addresses and whole numbers, each in a word. */
function encoded(
  { name, inputs }: { name: string; inputs: { name: string; type: string }[] },
  values: Record<string, string>,
): Hex {
  const selector = toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`)
  const words = inputs.map(input => {
    const value = values[input.name]!
    return input.type === 'address'
      ? padHex(value as Hex, { size: 32 })
      : numberToHex(BigInt(value), { size: 32 })
  })
  return concatHex([selector, ...words])
}

/** serializeJSONObject of the builder's lib/checksum.ts. */
function builderForm(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(builderForm).join(',')}]`
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  const keys = Object.keys(json).toSorted()
  const values = keys.map(key => `${builderForm((json as Record<string, unknown>)[key])},`)
  return `{${JSON.stringify(keys)}${values.join('')}}`
}
