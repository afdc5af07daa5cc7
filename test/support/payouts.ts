import { expect } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { addressKey } from '#shared/addresses.ts'
import { addressOf } from '#shared/call-address.ts'
import type { DepositMethod } from '#shared/coins.ts'
import * as calls from '#shared/contract/payouts.ts'
import { getWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { withdrawalsIn } from './withdrawals.ts'
import { openWorld, type Person, type World } from './world.ts'

/** The address that pays the batches. */
export const senders = {
  ethereum: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  usdt: 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL',
} as const

/** Rails that are watched and pay; no node is queried. */
export const payingRails = {
  rails: loadConfig({
    TOKEN_SECRET: 'x'.repeat(32),
    ETHEREUM_CHAIN_ID: '31337',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:9',
    ETHEREUM_PAYOUT_ADDRESS: senders.ethereum,
    ETHEREUM_USDT_CONTRACT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    TRON_PAYOUT_ADDRESS: senders.usdt,
  }).rails,
}

/** A world with payouts on Ethereum and TRON: both networks are synced. */
export async function openPayingWorld(): Promise<World> {
  const world = await openWorld({ ...payingRails, rateLimit: false })
  const { tip } = payoutsIn(() => world)
  await tip(1_000)
  await tip(1_000, 'usdt')
  return world
}

/** An investor with this much to withdraw. */
export async function fundedInvestor(world: World, cents = 10_000_000n): Promise<Person> {
  const investor = await world.person('Ines Investor')
  await world.fund(investor, cents)
  return investor
}

type Seen = {
  method?: DepositMethod
  transactionId: string
  position?: number
  address: string
  token?: string
  units: bigint
  from?: readonly string[]
  /** Height of its block; null if unconfirmed. */
  block?: number | null
  at?: Date
}

/** Helpers for payout batches in a world, with transfers stored as a sync stores them. */
export function payoutsIn(opened: () => World) {
  const world = () => opened()
  const call: World['call'] = (...request) => world().call(...request)
  const { approved } = withdrawalsIn(opened)
  const owner = (text: string, values: unknown[] = []) => world().database.owner.query(text, values)
  /** The clock may have moved since the last sync. */
  const looksAgain = async () => {
    const now = [world().services.clock.now()]
    const isOld = (column: string) => `${column} < $1::timestamptz - interval '1 minute'`
    await owner(`UPDATE app.chain_cursors SET polled_at = $1 WHERE ${isOld('polled_at')}`, now)
    await owner(`UPDATE app.sender_nonces SET synced_at = $1 WHERE ${isOld('synced_at')}`, now)
  }
  const acts = {
    /** A batch, created after a sync of the network. */
    make: async (
      withdrawals: readonly string[],
      body: object = {},
      who: Person = world().admin,
      idempotencyKey?: string,
    ) => {
      await looksAgain()
      return call(
        calls.newPayout,
        who,
        { body: { wallet: 'USDT ERC-20', withdrawals: [...withdrawals], ...body } },
        idempotencyKey === undefined ? {} : { idempotencyKey },
      )
    },
    get: (id: string, who: Person = world().admin) => call(calls.getPayout, who, { params: { id } }),
    download: (id: string, who: Person = world().admin) =>
      world().app.inject({
        url: addressOf(calls.payoutFile, { params: { id } }),
        headers: { authorization: `Bearer ${world().tokenOf(who)}` },
      }),
    takeOver: (id: string, who: Person = world().secondAdmin) =>
      call(calls.takeOverPayout, who, { params: { id }, body: { reason: 'On holiday' } }),
    cancel: (id: string, who: Person = world().admin, body: object = {}) =>
      call(calls.cancelPayout, who, {
        params: { id },
        body: { reason: 'The device is lost', notBroadcast: true, ...body },
      }),
    acknowledge: (id: string, transactions: readonly string[], who: Person = world().admin) =>
      call(calls.acknowledgePayout, who, {
        params: { id },
        body: { reason: 'Asked the holder', transactions: [...transactions] },
      }),
    /** The chain's tip and the needed confirmations; its blocks have the current time. */
    tip: async (height: number, method: DepositMethod = 'ethereum', confirmations = 3) => {
      const now = world().services.clock.now()
      await owner(
        `INSERT INTO app.chain_cursors (method, synced_height, synced_hash, tip_height, confirmations, polled_at)
         VALUES ($1, $2, 'hash', $2, $3, $4)
         ON CONFLICT (method) DO UPDATE SET synced_height = $2, tip_height = $2, confirmations = $3, polled_at = $4`,
        [method, height, confirmations, now],
      )
      for (let at = Math.max(0, height - confirmations); at <= height; at += 1) {
        await owner(
          `INSERT INTO app.chain_blocks (method, height, hash, time) VALUES ($1, $2, $3, $4)
           ON CONFLICT (method, height) DO UPDATE SET time = $4`,
          [method, at, at.toString(16).padStart(16, '0').padEnd(64, 'b'), now],
        )
      }
      if (method === 'ethereum') {
        await owner(
          `INSERT INTO app.sender_nonces (method, address, next_nonce, confirmed_nonce, synced_at)
           VALUES ('ethereum', $1, 0, 0, $2) ON CONFLICT DO NOTHING`,
          [addressKey(senders.ethereum), now],
        )
      }
    },
    /** The sender's nonces: the next one counts unconfirmed transactions, the other is fully confirmed. */
    numbered: (next: number, settled = next) =>
      owner(
        `INSERT INTO app.sender_nonces (method, address, next_nonce, confirmed_nonce, synced_at)
         VALUES ('ethereum', $1, $2, $3, $4)
         ON CONFLICT (method, address) DO UPDATE SET next_nonce = $2, confirmed_nonce = $3, synced_at = $4`,
        [addressKey(senders.ethereum), next, settled, world().services.clock.now()],
      ),
    /** A sync of the network that ends now, or the state of an incomplete one. */
    looks: async (
      method: DepositMethod = 'ethereum',
      state = 'tip_height = synced_height, sync_error = NULL, sync_error_since = NULL, halted = false',
    ) => {
      const then = [method, new Date(world().services.clock.now().getTime() + 1)]
      await owner(`UPDATE app.chain_cursors SET polled_at = $2, ${state} WHERE method = $1`, then)
      await owner('UPDATE app.sender_nonces SET synced_at = $2 WHERE method = $1', then)
    },
    /** Stores a transfer when it is first seen, or seen again in another block or none. */
    sees: ({ method = 'ethereum', position = 1, token = 'USDT', block = null, ...seen }: Seen) => {
      const at = seen.at ?? world().services.clock.now()
      const from = seen.from ?? [addressKey(senders.ethereum)]
      return owner(
        `INSERT INTO app.chain_transfers
           (method, transaction_id, position, address, token, units, senders, seen_at, block_height, block_hash, block_time)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (method, transaction_id, position, address, token, units)
         DO UPDATE SET block_height = $9, block_hash = $10, block_time = $11, dropped_at = NULL`,
        [
          method,
          seen.transactionId,
          position,
          addressKey(seen.address),
          token,
          seen.units,
          [...from],
          at,
          ...(block === null ? [null, null, null] : [block, `hash ${block}`, at]),
        ],
      )
    },
    /** Marks it as dropped or replaced. */
    drops: (transactionId: string) =>
      owner(
        `UPDATE app.chain_transfers SET block_height = NULL, block_hash = NULL, block_time = NULL, dropped_at = now()
          WHERE transaction_id = $1`,
        [transactionId],
      ),
    /** @returns how many withdrawals were marked as paid */
    assess: async (method: DepositMethod = 'ethereum') =>
      (await assessPayouts(world().services, method)).paid,
    /** The console's alert about the batch's first payment. */
    alertOf: async (id: string) => (await acts.get(id)).data.items[0]!.alert,
    /** The files of cancelled batches that can still confirm for a withdrawal, as the API shows them. */
    filesOf: async (withdrawal: string, who: Person = world().admin) =>
      (await call(getWithdrawal, who, { params: { id: withdrawal } })).data.filesOut,
    paidByHand: (withdrawal: string, body: { transactionId: string; notBroadcast?: boolean }) =>
      call(payWithdrawal, world().secondAdmin, { params: { id: withdrawal }, body }),
    unchanged: async (act: () => Promise<unknown>) => {
      const before = await world().state()
      await act()
      expect(await world().state()).toBe(before)
    },
  }
  /** Exports its file, attests that it was not broadcast, and cancels it. */
  const giveUp = async (id: string, method: DepositMethod = 'ethereum') => {
    expect((await acts.download(id)).statusCode).toBe(200)
    await acts.looks(method)
    expect((await acts.cancel(id)).status).toBe(200)
  }
  return {
    ...acts,
    giveUp,
    /** A withdrawal whose batch was cancelled. */
    givenUp: async (who: Person, wallet: 'USDT ERC-20' | 'USDT TRC-20' = 'USDT ERC-20') => {
      const one = await approved(who, 100, { wallet })
      const first = (await acts.make([one._id], { wallet })).data
      await giveUp(first._id, wallet === 'USDT TRC-20' ? 'usdt' : 'ethereum')
      return { one, first }
    },
    /** A batch of an investor's withdrawals of these amounts, and the transfer that pays each exactly. */
    batchFor: async (who: Person, amounts: readonly number[]) => {
      const withdrawals = []
      for (const amount of amounts) withdrawals.push(await approved(who, amount))
      const { data } = await acts.make(withdrawals.map(({ _id }) => _id))
      const payments = withdrawals.map(({ _id, walletAddress, amount }) => ({
        withdrawal: _id,
        transactionId: freshTransaction(),
        address: walletAddress,
        units: BigInt(amount) * 1_000_000n,
      }))
      return { id: data._id, number: data.number, payments, first: payments[0]! }
    },
  }
}

/** A transaction id of Ethereum's form for each number. */
export const ethereumTransaction = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

let transactions = 0
/** A transaction id that is new in this test file. */
export function freshTransaction(method: 'ethereum' | 'usdt' = 'ethereum') {
  transactions += 1
  const id = ethereumTransaction(transactions)
  return method === 'usdt' ? id.slice(2) : id
}
