import { type Hex, numberToHex } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { z } from 'zod'
import { ChainError, nonceSlot, type Spend } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

type Transaction = NonNullable<z.output<typeof forms.fullBlock>>['transactions'][number]

type Block = NonNullable<z.output<typeof forms.fullBlock>>
type Network = { node: Node; chainId: number }

/**
 * The nonces that authorizations of watched senders use in a block (EIP-7702). Another account may submit them, so no transaction of
 * the sender shows that its nonce is gone. Anybody may also submit one that has no effect: another chain's, or with a nonce that is
 * not the sender's next.
 * @throws ChainError
 */
export async function authorizedSpends(
  network: Network,
  { transactions, hash: block, parentHash, number: height, timestamp }: Block,
  senders: ReadonlySet<string>,
): Promise<Spend[]> {
  const at = { height, hash: block, time: new Date(timestamp * 1000) }
  const own = new Set(transactions.map(({ from, nonce }) => nonceSlot(from, nonce)))
  const spends: Spend[] = []
  for (const { hash: transactionId, authorizationList } of transactions) {
    for (const authorization of authorizationList ?? []) {
      const { chainId, nonce } = authorization
      if (chainId !== 0 && chainId !== network.chainId) continue
      const sender = (await authoritiesOf(authorization)).find(one => senders.has(one))
      if (sender === undefined) continue
      const slot = nonceSlot(sender, nonce)
      if (own.has(slot)) continue
      if (!(await passes(network, sender, nonce, [parentHash, block]))) continue
      spends.push({ slot, sender, transactionId, block: at })
    }
  }
  return spends
}

/**
 * True if the sender's nonce passes this one between a block and the next. What a node has forgotten counts as no use: its payment
 * stays open, and nobody can stop a sync.
 */
async function passes(
  { node }: Network,
  sender: string,
  nonce: number,
  [parent, block]: [string, string],
): Promise<boolean> {
  const count = (at: unknown) => node.ask('eth_getTransactionCount', [sender, at], forms.count)
  try {
    const [before, after] = await Promise.all([count({ blockHash: parent }), count({ blockHash: block })])
    return before <= nonce && nonce < after
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    await count('latest')
    return false
  }
}

type Authorization = NonNullable<Transaction['authorizationList']>[number]

/** The account that signed it; two candidates if a node leaves out which, none if its signature is invalid. */
async function authoritiesOf({ chainId, address, nonce, yParity, r, s }: Authorization): Promise<string[]> {
  const authorization = { chainId, address: address as Hex, nonce }
  const word = (value: bigint) => numberToHex(value, { size: 32 })
  const parities = yParity === undefined || yParity === null ? [0, 1] : [yParity]
  const found = parities.map(async parity => {
    const signature = { yParity: parity, r: word(r), s: word(s) }
    return addressKey(await recoverAuthorizationAddress({ authorization, signature }))
  })
  const settled = await Promise.allSettled(found)
  return settled.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
}
