import {
  type Address,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  getContractAddress,
  type Hex,
  http,
  publicActions,
  type SignedAuthorizationList,
  walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { anvilProgram, publicMnemonic, startAnvil } from '#server/demo/anvil.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { atEnd } from './clean-up.ts'
import { type Call, callsCode, type TokenOptions, tokenCode } from './evm.ts'

/** Why tests that need the node cannot run; undefined if they can. Nothing that needs it is loaded before. */
export const withoutAnvil = missingNode(testNodes.anvil)

export type TestChain = Awaited<ReturnType<typeof openAnvil>>

/** An account with 10,000 ETH. */
export function payer(index: number) {
  return mnemonicToAccount(publicMnemonic, { addressIndex: index })
}

type Sending = { to?: Address; value?: bigint; data?: Hex; authorizationList?: SignedAuthorizationList }

/**
 * A chain that mines on request. It ends with the test file.
 * @param options of anvil's command line
 */
export async function openAnvil(...options: string[]) {
  const anvil = await startAnvil(anvilProgram()!, ['--no-mining', ...options])
  atEnd(() => anvil.stop())
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(anvil.url), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  /** Signs and sends; the next mined block takes it. */
  const send = async (
    by: number,
    { to, value = 0n, data = '0x', authorizationList }: Sending,
    { nonce, gwei = 10n }: { nonce?: number; gwei?: bigint } = {},
  ): Promise<Hex> =>
    client.sendTransaction({
      account: payer(by),
      to,
      value,
      data,
      ...(authorizationList === undefined ? {} : { authorizationList }),
      gas: 500_000n,
      nonce: nonce ?? (await client.getTransactionCount({ address: payer(by).address, blockTag: 'pending' })),
      maxFeePerGas: gwei * 10n ** 9n,
      maxPriorityFeePerGas: gwei * 10n ** 9n,
    })
  const deploy = async (by: number, code: Hex): Promise<Address> => {
    const from = payer(by).address
    const nonce = await client.getTransactionCount({ address: from, blockTag: 'pending' })
    await send(by, { data: code }, { nonce })
    await client.mine({ blocks: 1 })
    return getContractAddress({ from, nonce: BigInt(nonce) })
  }
  let forks = 0
  return {
    url: anvil.url,
    client,
    stop: () => anvil.stop(),
    send,
    mine: (blocks = 1) => client.mine({ blocks }),
    /** Deploys a contract. */
    deploy,
    /** Deploys a token; the deployer owns all of it. */
    token: (by: number, options?: TokenOptions) => deploy(by, tokenCode(options)),
    sendToken: (by: number, token: Address, to: Address, units: bigint) =>
      send(by, { to: token, data: transferData(to, units) }),
    /** Several calls in one transaction, made by a temporary contract with `value` wei. */
    sendCalls: (by: number, calls: readonly Call[], value = 0n) =>
      send(by, { data: callsCode(calls), value }),
    /** Address of the contract that the account creates after this many further transactions. */
    async contractAfter(by: number, transactions: number): Promise<Address> {
      const from = payer(by).address
      const nonce = await client.getTransactionCount({ address: from, blockTag: 'pending' })
      return getContractAddress({ from, nonce: BigInt(nonce + transactions) })
    },
    /**
     * Replaces the last blocks with one more than there were, without their transactions: the test sends again what it
     * still needs.
     * @param base a snapshot from before them
     */
    async fork(base: Hex, blocks: number, again: (() => Promise<unknown>)[] = []) {
      await client.revert({ id: base })
      forks += 1
      // Another miner, so that no new block equals an old one.
      await client.setCoinbase({ address: `0x${forks.toString(16).padStart(40, '0')}` })
      await client.mine({ blocks: 1 })
      for (const send of again) await send()
      await client.mine({ blocks })
    },
  }
}

export function transferData(to: Address, units: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] })
}
