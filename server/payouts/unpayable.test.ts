import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { addressAt, bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { readyForPayout } from '#shared/contract/payouts.ts'
import { listAudit } from '#shared/contract/site.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { tpub } from '#test/support/watched.ts'
import { addresses, bitcoinAddress, mayBePaid, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Withdrawals approved before anyone could know that no batch can pay them: no fresh rate, or other settings then. */

const url = 'http://127.0.0.1:9'
/** The payout address. */
const payee = 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT'
const somebody = '0x00000000000000000000000000000000000000b1'

let world: World
let investor: Person
beforeAll(async () => {
  const { rails } = loadConfig({
    TOKEN_SECRET: 'x'.repeat(32),
    BITCOIN_XPUB: `wpkh([d34db33f/84h/1h/0h]${tpub}/<0;1>/*)`,
    BITCOIN_RPC_URL: url,
  })
  const { ethereum, usdt } = payingRails.rails
  world = await openWorld({
    rails: { bitcoin: rails.bitcoin, ethereum: { ...ethereum }, usdt: { ...usdt, url } },
    rateLimit: false,
  })
  await tip(1_000)
  await tip(1_000, 'usdt')
  await tip(500, 'bitcoin', 2)
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
  await rateIs(6_000_000_000_000n)
})

const { ask, approve, decline, declineUnpaid, pay } = withdrawalsIn(() => world)
const { make, tip, sees } = payoutsIn(() => world)

/** Every source's price of Bitcoin from now on. */
const rateIs = (usdE8: bigint) =>
  world.owner(
    `UPDATE app.price_readings SET usd_e8 = ${usdE8}, at = '${world.clock.now().toISOString()}' WHERE symbol = 'BTC'`,
  )
const noRate = () => world.owner("UPDATE app.price_readings SET at = at - interval '1 hour'")
/** As configured at the approval. */
async function configured<T>(rail: 'bitcoin' | 'ethereum' | 'usdt', changes: object, act: () => Promise<T>) {
  const of = world.services.config.rails[rail]
  const before = { ...of }
  Object.assign(of, changes)
  try {
    return await act()
  } finally {
    Object.assign(of, before)
  }
}
const approved = async (wallet: keyof typeof addresses, walletAddress: string, amount = 100) => {
  const { data } = await ask(investor, amount, { wallet, walletAddress })
  return (await approve(data._id)).data
}
const detail = async (id: string, who = world.admin) =>
  (await world.call(getWithdrawal, who, { params: { id } })).data
const unchanged = async (act: () => Promise<unknown>) => {
  const before = await world.state()
  await act()
  expect(await world.state()).toBe(before)
}
const tooSmall = async (dollars: number) => {
  await noRate()
  const withdrawal = await approved('Bitcoin (BTC)', payee, dollars)
  await rateIs(6_000_000_000_000n)
  return withdrawal
}

const cases = [
  [
    'to an address of another network',
    'Bitcoin (BTC)',
    () => configured('bitcoin', { backend: null }, () => approved('Bitcoin (BTC)', bitcoinAddress)),
    /^bc1\S+ is not an address of Bitcoin regtest\.$/,
  ],
  [
    'of less than the network relays',
    'Bitcoin (BTC)',
    () => tooSmall(0.1),
    /is too small: the network relays 0\.\d+ BTC or more\.$/,
  ],
  [
    'to the address that payouts of Ethereum are sent from',
    'USDT ERC-20',
    () =>
      configured('ethereum', { payoutAddress: somebody }, () => approved('USDT ERC-20', senders.ethereum)),
    /^This is our own payout address; a payout to it would have no effect\.$/,
  ],
  [
    'to the address that payouts of TRON are sent from',
    'USDT TRC-20',
    () => configured('usdt', { payoutAddress: null }, () => approved('USDT TRC-20', senders.usdt)),
    /^This is our own payout address/,
  ],
] as const

describe('an approved withdrawal that no batch can pay', () => {
  test.each(cases)('[S-04, N-03] %s says so to staff, and can be declined', async (_, wallet, made, why) => {
    const { _id: id, invoiceId, status } = await made()
    expect(status).toBe('approved')
    const { unpayable } = await detail(id)
    expect(unpayable).toMatch(why)
    expect((await detail(id, investor)).unpayable).toBeNull()
    const query = { wallet }
    const ready = (await world.call(readyForPayout, world.admin, { query })).data.withdrawals
    expect(ready.find(({ _id }) => _id === id)).toMatchObject({ unpayable })
    const feeRate = wallet === 'Bitcoin (BTC)' ? { feeRate: 5 } : {}
    await unchanged(async () =>
      expect(await make([id], { wallet, ...feeRate })).toMatchObject({
        status: 409,
        reason: 'unpayable',
        message: `No batch can pay ${invoiceId}. ${unpayable} Leave it out: decline it on its page, or pay it manually from another wallet.`,
      }),
    )
    await unchanged(async () => expect(await decline(id)).toMatchObject(mayBePaid))
    expect((await declineUnpaid(id)).data).toMatchObject({
      status: 'declined',
      declineReason: 'Address is on a list',
    })
    expect(await world.balances(investor)).toMatchObject({ available: 100_000n, held: 0n })
    const told = (await world.call(listNotifications, investor, {})).data
    expect(told.map(({ kind }) => kind)).toContain('withdrawal.declined')
    const { data: log } = await world.call(listAudit, world.admin, { query: { q: invoiceId } })
    expect(log[0]).toMatchObject({
      action: 'withdrawal.declined',
      reason: 'Address is on a list',
      details: {
        before: { status: 'approved' },
        after: { status: 'declined' },
        unpayable,
        attestedNotPaid: true,
      },
    })
    const { checks } = await checkBooks(world.services.pool, world.services.log)
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
    expect((await detail(id)).unpayable).toBeNull()
    await unchanged(async () => expect((await declineUnpaid(id)).code).toBe('wrong_state'))
  })

  test('[S-04] needs an attestation from staff who saw it pending', async () => {
    await noRate()
    const { data } = await ask(investor, 0.1, { wallet: 'Bitcoin (BTC)', walletAddress: payee })
    const { _id: id, status } = await detail(data._id)
    expect(status).toBe('pending')
    await approve(id, world.secondAdmin)
    await rateIs(6_000_000_000_000n)
    expect((await detail(id)).unpayable).toMatch(/is too small/)
    // As sent by a dialog that asked for a reason only.
    await unchanged(async () => expect(await decline(id)).toMatchObject(mayBePaid))
    expect((await declineUnpaid(id)).data.status).toBe('declined')
  })

  test('[S-04] can still be paid manually', async () => {
    const { _id: id } = await tooSmall(0.1)
    expect((await pay(id)).data.status).toBe('paid')
    await unchanged(async () => expect((await declineUnpaid(id)).code).toBe('wrong_state'))
  })
})

describe('the withdrawals ready for a batch', () => {
  /** The number of database queries for it. */
  const asked = async () => {
    let times = 0
    const count = () => {
      times += 1
    }
    world.services.pool.on('acquire', count)
    const query = { wallet: 'Bitcoin (BTC)' } as const
    const { data } = await world.call(readyForPayout, world.admin, { query })
    world.services.pool.off('acquire', count)
    return { times, rows: data.withdrawals }
  }

  test('[S-04] judges all open amounts by one rate', async () => {
    const { _id: small } = await tooSmall(0.1)
    const before = await asked()
    for (let count = 0; count < 5; count += 1) await tooSmall(0.1)
    const { _id: large } = await tooSmall(100)
    const { times, rows } = await asked()
    expect(rows).toHaveLength(before.rows.length + 6)
    expect(rows.find(({ _id }) => _id === small)?.unpayable).toMatch(/is too small/)
    expect(rows.find(({ _id }) => _id === large)).toMatchObject({ amountCrypto: null, unpayable: null })
    expect(times).toBeGreaterThan(0)
    expect(times).toBeLessThan(before.times + 3)
  })
})

describe('an approved withdrawal that a batch can pay', () => {
  const isNot = async (id: string) => {
    expect((await detail(id)).unpayable).toBeNull()
    await unchanged(async () =>
      expect(await declineUnpaid(id)).toMatchObject({
        status: 409,
        code: 'wrong_state',
        message: 'This withdrawal is already approved. Only pending withdrawals can be declined.',
      }),
    )
  }

  test('[S-04] cannot be declined, nor can one that may be payable', async () => {
    await isNot((await approved('USDT ERC-20', somebody))._id)
    await isNot((await approved('Bitcoin (BTC)', payee))._id)
    // Paid manually: the error does not say what could not be paid.
    await isNot((await approved('Dogecoin (DOGE)', addresses['Dogecoin (DOGE)']))._id)
    const { _id: small } = await tooSmall(0.1)
    await noRate()
    await isNot(small)
    await configured('bitcoin', { backend: null }, () => isNot(small))
    // A locked amount stays locked, whatever the current rate.
    await rateIs(6_000_000_000_000n)
    const { _id: fixed } = await approved('Bitcoin (BTC)', payee, 1)
    await rateIs(600_000_000_000_000n)
    await isNot(fixed)
  })

  test('[S-04] cannot be declined while it is in a batch, whatever the settings', async () => {
    const { _id: id } = await approved('USDT ERC-20', somebody)
    await make([id])
    await configured('ethereum', { payoutAddress: somebody }, async () => {
      expect((await detail(id)).unpayable).toBeNull()
      await unchanged(async () =>
        expect(await declineUnpaid(id)).toMatchObject({
          code: 'wrong_state',
          reason: 'in_open_batch',
        }),
      )
    })
  })
})

describe('a batch created while its withdrawal is declined', () => {
  /** Blocks writers of a table. */
  const holding = async (table: string) => {
    const session = await world.database.owner.connect()
    atEnd(() => session.release(true))
    await session.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
    return () => session.query('COMMIT')
  }
  const waiting = (count: number) =>
    until(async () => {
      const { rowCount } = await world.owner(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rowCount === count
    })
  /** Spendable outputs for the batch. */
  beforeAll(async () => {
    const { bitcoin } = world.services.config.rails
    const account = bitcoinAccount(bitcoin.xpub!, bitcoinNetworks.regtest)
    const address = addressAt(account, 0, 1)
    await world.owner(
      `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
       VALUES ('${account.name}', 0, 1, 'bitcoin', '${address}', '${world.admin.id}', now(), now())`,
    )
    const of = { rail: 'bitcoin', token: 'BTC', transactionId: 'a1'.repeat(32), from: ['x:0'] } as const
    await sees({ ...of, address, units: 10_000_000n, block: 400 })
  })

  test('[S-04, B-05] wins if it came first: the amount is locked, and declining fails', async () => {
    const { _id: id } = await tooSmall(1)
    const release = await holding('app.payout_batches')
    const made = make([id], { wallet: 'Bitcoin (BTC)', feeRate: 1, acceptedFee: '0.0001' })
    await waiting(1)
    // No batch could pay it at this rate.
    await rateIs(600_000_000_000_000n)
    const declined = declineUnpaid(id)
    await waiting(2)
    await release()
    expect(await made).toMatchObject({ status: 200 })
    expect(await declined).toMatchObject({ status: 409, code: 'wrong_state' })
    expect(await detail(id)).toMatchObject({ status: 'approved', batch: { exclusive: true } })
    expect(await world.balances(investor)).toMatchObject({ held: 100n })
  })

  test('[S-04, B-05] is refused if the decline came first', async () => {
    const { _id: id } = await tooSmall(1)
    await rateIs(600_000_000_000_000n)
    const release = await holding('app.audit_log')
    const declined = declineUnpaid(id)
    await waiting(1)
    await rateIs(6_000_000_000_000n)
    const made = make([id], { wallet: 'Bitcoin (BTC)', feeRate: 1, acceptedFee: '0.0001' })
    await waiting(2)
    await release()
    expect((await declined).data.status).toBe('declined')
    expect(await made).toMatchObject({
      status: 409,
      reason: 'not_approved',
    })
    expect(await world.balances(investor)).toMatchObject({ available: 100_000n, held: 0n })
  })
})
