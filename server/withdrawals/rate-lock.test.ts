import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { addressOf } from '#shared/call-address.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { getWithdrawal, listOwnWithdrawals, withdrawalsCsv } from '#shared/contract/withdrawals.ts'
import { payingRails } from '#test/support/payouts.ts'
import { tpub } from '#test/support/watched.ts'
import { addresses, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  const { bitcoin } = loadConfig({
    TOKEN_SECRET: 'x'.repeat(32),
    BITCOIN_XPUB: `wpkh([d34db33f/84h/1h/0h]${tpub}/<0;1>/*)`,
    BITCOIN_RPC_URL: 'http://user:password@127.0.0.1:9',
  }).rails
  world = await openWorld({
    rails: { ...payingRails.rails, usdt: { ...payingRails.rails.usdt, url: 'http://127.0.0.1:9' }, bitcoin },
  })
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
  await world.fund(investor, 10_000_000n)
})

const { ask, approve, pay } = withdrawalsIn(() => world)
/** The demonstration's rail pays on a test network. */
const payable = { ...addresses, 'Bitcoin (BTC)': 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' }
const asked = async (amount: number, wallet: keyof typeof addresses = 'Bitcoin (BTC)') => {
  const { data } = await ask(investor, amount, { wallet, walletAddress: payable[wallet] })
  return data
}
/** Every source's price from now on. */
const rateIs = (symbol: string, usdE8: bigint) =>
  world.owner(
    `UPDATE app.price_readings SET usd_e8 = ${usdE8}, at = '${world.clock.now().toISOString()}' WHERE symbol = '${symbol}'`,
  )

describe('the coin amount of a withdrawal', () => {
  test('[C-12, D7] is locked with the approval, with the rate, its time and its source', async () => {
    await rateIs('BTC', 6_000_000_000_000n)
    const { _id: id, payout } = await asked(100)
    expect(payout).toBeNull()
    const { data } = await approve(id)
    expect(data.payout).toEqual({
      asset: 'BTC',
      amountCrypto: '0.00166667',
      rate: '60,000.00',
      rateAt: expect.any(String),
      rateSource: expect.any(String),
    })
    await rateIs('BTC', 9_000_000_000_000n)
    const own = await world.call(getWithdrawal, investor, { params: { id } })
    expect(own.data.payout).toEqual(data.payout)
    expect((await pay(id)).data.payout).toEqual(data.payout)
  })

  test('USDT counts one to one on both networks, whatever its rate', async () => {
    for (const wallet of ['USDT TRC-20', 'USDT ERC-20'] as const) {
      const { _id: id } = await asked(123.45, wallet)
      expect((await approve(id)).data.payout).toMatchObject({ asset: 'USDT', amountCrypto: '123.450000' })
    }
  })

  test('ether is counted to a gwei', async () => {
    await rateIs('ETH', 300_000_000_000n)
    const { _id: id } = await asked(100, 'Ethereum (ETH)')
    expect((await approve(id)).data.payout).toMatchObject({ asset: 'ETH', amountCrypto: '0.033333333' })
  })

  test('is not locked in coins without batches', async () => {
    const { _id: id } = await asked(100, 'Litecoin (LTC)')
    expect((await approve(id)).data).toMatchObject({ status: 'approved', payout: null, batch: null })
    expect((await pay(id)).data).toMatchObject({ status: 'paid', payout: null })
  })

  test('is not locked if batches of the coin are not configured', async () => {
    const plain = await openWorld()
    const person = await plain.person('Petra Plain')
    await plain.fund(person, 100_000n)
    const acts = withdrawalsIn(() => plain)
    for (const wallet of ['Bitcoin (BTC)', 'Ethereum (ETH)', 'USDT TRC-20', 'USDT ERC-20'] as const) {
      const { data } = await acts.ask(person, 100, { wallet, walletAddress: addresses[wallet] })
      expect((await acts.approve(data._id)).data).toMatchObject({ status: 'approved', payout: null })
    }
  })

  test('is locked only with the last of two approvals', async () => {
    const { _id: id } = await asked(20_000)
    expect((await approve(id)).data).toMatchObject({ status: 'pending', payout: null })
    expect((await approve(id, world.secondAdmin)).data.payout).not.toBeNull()
  })

  test('stays open without a fresh rate: the approval succeeds', async () => {
    const { _id: id } = await asked(100)
    world.clock.pass({ minutes: 6 })
    expect((await approve(id)).data).toMatchObject({ status: 'approved', payout: null })
    const { _id: usdt } = await asked(100, 'USDT TRC-20')
    expect((await approve(usdt)).data.payout).not.toBeNull()
    await world.refreshPrices()
  })

  test('appears in the audit log, the list and the CSV file', async () => {
    await rateIs('BTC', 6_000_000_000_000n)
    const { _id: id, invoiceId } = await asked(100)
    await approve(id)
    const { rows } = await world.owner(
      `SELECT details FROM app.audit_log WHERE subject_id = '${id}' AND action = 'withdrawal.approved'`,
    )
    expect(rows[0].details).toMatchObject({ pays: '0.00166667 BTC', rate: '60,000.00' })
    const { data } = await world.call(listOwnWithdrawals, investor)
    expect(data[0]?.payout?.amountCrypto).toBe('0.00166667')
    const file = await world.app.inject({
      url: addressOf(withdrawalsCsv, { query: { q: invoiceId } }),
      headers: { authorization: `Bearer ${world.tokenOf(world.admin)}` },
    })
    expect(file.body).toContain('0.00166667,BTC,"60,000.00",')
    expect((await world.call(listNotifications, investor)).data[0]?.kind).toBe('withdrawal.approved')
  })
})

describe('the database itself', () => {
  test('keeps a locked amount unchanged, and locks none that is pending', async () => {
    const { app } = world.database
    const pending = await asked(100)
    const approved = await asked(100)
    await approve(approved._id)
    await expect(
      app.query('UPDATE app.withdrawals SET payout_units = 1 WHERE id = $1', [approved._id]),
    ).rejects.toThrow(/is fixed once/)
    await expect(
      app.query(
        `UPDATE app.withdrawals SET payout_asset = 'BTC', payout_units = 1, payout_rate_e8 = 1, payout_rate_at = now(),
           payout_rate_source = 'x' WHERE id = $1`,
        [pending._id],
      ),
    ).rejects.toThrow(/withdrawals_payout_check/)
  })
})
