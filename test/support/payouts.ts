import { parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { type Config, loadConfig } from '#server/config.ts'
import { assessPayouts } from '#server/payouts/assess.ts'
import { tokenDecimals } from '#server/rails/chain.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import { addressKey } from '#shared/addresses.ts'
import { type PayoutWallet, payoutRails } from '#shared/batch-coins.ts'
import { addressOf } from '#shared/call-address.ts'
import type { RailName } from '#shared/coins.ts'
import * as calls from '#shared/contract/payouts.ts'
import { payWithdrawal } from '#shared/contract/withdrawals.ts'
import { parseDecimal } from '#shared/money.ts'
import { tronWallet } from './tron-grid.ts'
import { withdrawalsIn } from './withdrawals.ts'
import { openWorld, type Person, type World } from './world.ts'

/** The wallet that signs on Ethereum. */
export const ethereumWallet = privateKeyToAccount(`0x${'11'.repeat(32)}`)

/** The addresses that pay the batches. */
export const senders = { ethereum: ethereumWallet.address, usdt: tronWallet.address } as const

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
export async function openPayingWorld(changes: Partial<Config> = {}): Promise<World> {
  const world = await openWorld({ ...payingRails, rateLimit: false, ...changes })
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
  rail?: RailName
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
  const estimatesFees = () =>
    owner(
      `INSERT INTO app.fee_estimates (rail, price, tip, at)
       VALUES ('ethereum', 2000000000, 1000000000, $1), ('bitcoin', 5000, NULL, $1)
       ON CONFLICT (rail) DO UPDATE SET at = $1`,
      [world().services.clock.now()],
    )
  /** The clock may have moved since the last sync. */
  const looksAgain = async () => {
    const now = [world().services.clock.now()]
    const isOld = (column: string) => `${column} < $1::timestamptz - interval '1 minute'`
    await owner(`UPDATE app.chain_cursors SET polled_at = $1 WHERE ${isOld('polled_at')}`, now)
    await owner(`UPDATE app.sender_nonces SET synced_at = $1 WHERE ${isOld('synced_at')}`, now)
    await estimatesFees()
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
    cancel: (id: string, who: Person = world().admin, body: object = {}) =>
      call(calls.cancelPayout, who, { params: { id }, body: { reason: 'The device is lost', ...body } }),
    raiseFee: (id: string, body: object = {}, who: Person = world().admin) =>
      call(calls.raisePayoutFee, who, { params: { id }, body }),
    sign: (id: string, signed: string, who: Person = world().admin) =>
      call(calls.signPayout, who, { params: { id }, body: { signed } }),
    outgoing: (who: Person = world().admin) => call(calls.listOutgoing, who, {}),
    explain: (transactionId: string, rail: RailName = 'ethereum') =>
      call(calls.explainOutgoing, world().admin, {
        body: { rail, transactionId, reason: 'Moved to the new wallet' },
      }),
    /** A second person's confirmation of the explanation that the list shows. */
    confirm: async (
      transactionId: string,
      rail: RailName = 'ethereum',
      who: Person = world().secondAdmin,
    ) => {
      const { data } = await call(calls.listOutgoing, who, {})
      const at = data.find(one => one.transactionId === transactionId)?.explanation?.at
      const explainedAt = at ?? world().services.clock.now().toISOString()
      return call(calls.confirmOutgoing, who, { body: { rail, transactionId, explainedAt } })
    },
    acknowledge: (id: string, transactions: readonly string[], who: Person = world().admin) =>
      call(calls.acknowledgePayout, who, {
        params: { id },
        body: { reason: 'Asked the holder', transactions: [...transactions] },
      }),
    /** The chain's tip and the needed confirmations; its blocks have the current time. */
    tip: async (height: number, rail: RailName = 'ethereum', confirmations = 3) => {
      const now = world().services.clock.now()
      await owner(
        `INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at)
         VALUES ($1, $2, 'hash', $2, $3, $4)
         ON CONFLICT (rail) DO UPDATE SET synced_height = $2, tip_height = $2, confirmations = $3, polled_at = $4`,
        [rail, height, confirmations, now],
      )
      for (let at = Math.max(0, height - confirmations); at <= height; at += 1) {
        await owner(
          `INSERT INTO app.chain_blocks (rail, height, hash, time) VALUES ($1, $2, $3, $4)
           ON CONFLICT (rail, height) DO UPDATE SET time = $4`,
          [rail, at, at.toString(16).padStart(16, '0').padEnd(64, 'b'), now],
        )
      }
      await estimatesFees()
      if (rail === 'ethereum') {
        await owner(
          `INSERT INTO app.sender_nonces (rail, address, next_nonce, synced_at)
           VALUES ('ethereum', $1, 0, $2) ON CONFLICT DO NOTHING`,
          [addressKey(senders.ethereum), now],
        )
      }
    },
    /** The sender's next nonce. */
    numbered: (next: number) =>
      owner(
        `INSERT INTO app.sender_nonces (rail, address, next_nonce, synced_at) VALUES ('ethereum', $1, $2, $3)
         ON CONFLICT (rail, address) DO UPDATE SET next_nonce = $2, synced_at = $3`,
        [addressKey(senders.ethereum), next, world().services.clock.now()],
      ),
    /** A sync of the network that ends now, or the state of an incomplete one. */
    looks: async (
      rail: RailName = 'ethereum',
      state = 'tip_height = synced_height, sync_error = NULL, sync_error_since = NULL, halted = false',
    ) => {
      const then = [rail, new Date(world().services.clock.now().getTime() + 1)]
      await owner(`UPDATE app.chain_cursors SET polled_at = $2, ${state} WHERE rail = $1`, then)
      await owner('UPDATE app.sender_nonces SET synced_at = $2 WHERE rail = $1', then)
    },
    /** Stores a transfer when it is first seen, or seen again in another block or none. */
    sees: ({ rail = 'ethereum', position = 1, token = 'USDT', block = null, ...seen }: Seen) => {
      const at = seen.at ?? world().services.clock.now()
      const from = seen.from ?? [addressKey(senders.ethereum)]
      return owner(
        `INSERT INTO app.chain_transfers
           (rail, transaction_id, position, address, token, units, senders, seen_at, block_height, block_hash, block_time)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (rail, transaction_id, position, address, token, units)
         DO UPDATE SET block_height = $9, block_hash = $10, block_time = $11, dropped_at = NULL`,
        [
          rail,
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
    /** Stores the use of a slot when it is first seen, or seen again in another block or none. */
    uses: (
      slot: string,
      { rail = 'ethereum', transactionId, block = null }: Pick<Seen, 'rail' | 'transactionId' | 'block'>,
    ) =>
      owner(
        `INSERT INTO app.chain_spends (rail, slot, transaction_id, sender, seen_at, block_height)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (rail, slot, transaction_id) DO UPDATE SET block_height = $6, dropped_at = NULL`,
        [
          rail,
          slot,
          transactionId,
          rail === 'bitcoin' ? null : addressKey(rail === 'usdt' ? senders.usdt : senders.ethereum),
          world().services.clock.now(),
          block,
        ],
      ),
    /**
     * Stores a transaction that uses a payment's slots and pays each of its withdrawals.
     * @param of.units pays this instead of what is due; 0 pays nobody
     */
    shows: async (
      { items, payments, asset, wallet }: calls.PayoutDetail,
      {
        payment = 0,
        transactionId,
        block = null,
        units,
      }: { payment?: number; transactionId: string; block?: number | null; units?: bigint },
    ) => {
      const { rail } = payoutRails[wallet as PayoutWallet]
      const { slots } = payments[payment]!
      for (const { slot } of slots) await acts.uses(slot, { rail, transactionId, block })
      for (const [place, item] of items.filter(one => one.payment === payment).entries()) {
        const paid = units ?? parseDecimal(item.amountCrypto, tokenDecimals[asset])!
        if (paid === 0n) continue
        const from = rail === 'bitcoin' ? slots.map(({ slot }) => slot) : [addressKey(senders[rail])]
        const { address } = item
        const at = { rail, transactionId, position: place + 1, address, token: asset, units: paid }
        await acts.sees({ ...at, from, block })
      }
    },
    /** Marks it as dropped or replaced. */
    drops: async (transactionId: string) => {
      await owner(
        'UPDATE app.chain_spends SET block_height = NULL, dropped_at = now() WHERE transaction_id = $1',
        [transactionId],
      )
      await owner(
        `UPDATE app.chain_transfers SET block_height = NULL, block_hash = NULL, block_time = NULL, dropped_at = now()
          WHERE transaction_id = $1`,
        [transactionId],
      )
    },
    /** @returns how many withdrawals were marked as paid */
    assess: async (rail: RailName = 'ethereum') => (await assessPayouts(world().services, rail)).paid,
    /** The console's alert about the batch's first payment. */
    alertOf: async (id: string) => (await acts.get(id)).data.items[0]!.alert,
    paidByHand: (withdrawal: string, transactionId: string) =>
      call(payWithdrawal, world().secondAdmin, { params: { id: withdrawal }, body: { transactionId } }),
    unchanged: async (act: () => Promise<unknown>) => {
      const before = await world().state()
      await act()
      expect(await world().state()).toBe(before)
    },
  }
  return {
    ...acts,
    /** A batch of an investor's withdrawals of these amounts. */
    batchFor: async (who: Person, amounts: readonly number[], wallet: PayoutWallet = 'USDT ERC-20') => {
      const withdrawals = []
      for (const amount of amounts) withdrawals.push(await approved(who, amount, { wallet }))
      const { data } = await acts.make(
        withdrawals.map(({ _id }) => _id),
        { wallet },
      )
      return { ...data, withdrawals }
    },
    /** The signed transactions of a batch's latest file on Ethereum, one on each line. */
    signedByWallet: async (id: string) => {
      const file = JSON.parse((await acts.download(id)).body) as EthereumPayoutFile
      const signed = await Promise.all(
        file.transactions.map(({ unsigned }) =>
          ethereumWallet.signTransaction(parseTransaction(unsigned as `0x02${string}`)),
        ),
      )
      return signed.join('\n')
    },
  }
}

/** A transaction id of Ethereum's form for each number. */
export const ethereumTransaction = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

let transactions = 0
/** A transaction id that is new in this test file. */
export function freshTransaction(rail: 'ethereum' | 'usdt' = 'ethereum') {
  transactions += 1
  const id = ethereumTransaction(transactions)
  return rail === 'usdt' ? id.slice(2) : id
}
