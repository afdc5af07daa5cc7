import { encodeFunctionData, type Hex, hashMessage, parseAbi } from 'viem'
import type { Block, Reserves } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import { etherBalances, tokenBalances } from './balances.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)
const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** What a contract answers if the signature is valid (EIP-1271), as a word. */
const VALID = '0x1626ba7e'.padEnd(66, '0')
/** An account of a key may delegate to code (EIP-7702). */
const DELEGATION = '0xef0100'

/** @throws ChainError */
export async function reserves(
  node: Node,
  tokens: readonly { token: 'USDT' | 'USDC'; contract: string }[],
  addresses: readonly string[],
  { height, hash }: Block,
): Promise<Reserves> {
  const keys = addresses.map(addressKey)
  const block = `0x${height.toString(16)}`
  const [ether, codes, ...ofTokens] = await Promise.all([
    etherBalances(node, keys, block),
    Promise.all(keys.map(key => node.ask('eth_getCode', [key, block], forms.bytes))),
    ...tokens.map(({ contract }) => tokenBalances(node, contract, keys, block)),
  ])
  const rows = addresses.flatMap((address, at) => {
    const isContract = codes[at] !== '0x' && !codes[at]!.startsWith(DELEGATION)
    const held = [
      { token: 'ETH' as const, units: ether[at]! / weiPerGwei },
      ...tokens.map(({ token }, place) => ({ token, units: ofTokens[place]![at]! })),
    ]
    return held.map(one => ({ address, isContract, ...one }))
  })
  return { block: { height, hash }, holdings: rows.filter(({ units }) => units > 0n), outputs: [] }
}

/** True if the contract accepts the signature of a message as a wallet signs it (EIP-191). @throws ChainError */
export async function acceptsSignature(
  node: Node,
  contract: string,
  message: string,
  signature: string,
): Promise<boolean> {
  const args = [hashMessage(message), signature as Hex] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  const call = [{ to: contract, data }, 'latest'] as const
  // Many contracts revert where they refuse.
  if ((await node.refusal('eth_call', call)) !== null) return false
  return (await node.ask('eth_call', call, forms.bytes)) === VALID
}
