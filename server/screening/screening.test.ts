import { beforeEach, describe, expect, test } from 'vitest'
import { newAddress } from '#shared/contract/addresses.ts'
import { approveWithdrawals, getWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { payingRails, payoutsIn } from '#test/support/payouts.ts'
import { importEu, importSdn, importUn, type SdnEntry } from '#test/support/sanctions.ts'
import { addresses, freshAddress, transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeEach(async () => {
  world = await openWorld({ ...payingRails, rateLimit: false })
  investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
})
const { ask, approve, approved, decline, declineUnpaid, pay } = withdrawalsIn(() => world)
const { cancel, download, get, make, tip } = payoutsIn(() => world)

const wallet = 'Ethereum (ETH)'
const address = addresses[wallet]
const listed: SdnEntry = {
  uid: 25308,
  first: 'Ali',
  last: 'KHORASHADIZADEH',
  wallets: [['ETH', address.toUpperCase().replace('0X', '0x')]],
}
const other: SdnEntry = { uid: 306, last: 'BANCO NACIONAL DE CUBA' }
/** Takes the place of the listed one in a later file. */
const elsewhere: SdnEntry = {
  uid: 2,
  last: 'ELSEWHERE',
  wallets: [['XBT', '149w62rY42aZBox8fGcmqNsXUzSStKeq8C']],
}
const list = (entries = [listed, other], options = {}) => importSdn(world, entries, options)
const words =
  'This address is on the sanctions list of OFAC (the US Office of Foreign Assets Control), entry 25308, so we pay nothing to it. Enter an address of your own wallet.'
const available = async () => (await world.balances(investor)).available

describe('a wallet on a sanctions list', () => {
  test('gets no withdrawal, and enters no address book', async () => {
    await list()
    const before = await world.state()
    const asked = await ask(investor, 100, { wallet, walletAddress: address })
    expect(asked).toMatchObject({ status: 400, code: 'invalid_input', message: words })
    const added = await world.call(newAddress, investor, { body: { wallet, address } })
    expect(added).toMatchObject({ status: 400, message: words })
    expect(await world.state()).toEqual(before)
  })

  test('is known however its address is written', async () => {
    const cash = addresses['Bitcoin Cash (BCH)']
    const segwit = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'
    const wallets: SdnEntry['wallets'] = [
      ['BCH', cash.replace('bitcoincash:', '')],
      ['XBT', segwit],
    ]
    await list([{ ...listed, wallets }, other])
    const bch = await ask(investor, 10, { wallet: 'Bitcoin Cash (BCH)', walletAddress: cash })
    expect(bch).toMatchObject({ status: 400, message: words })
    const btc = await ask(investor, 10, { walletAddress: segwit.toLowerCase() })
    expect(btc).toMatchObject({ status: 400, message: words })
    // The guard of the database knows each spelling, too.
    const { rows } = await world.owner(`SELECT app.listing_of('${cash}') IS NOT NULL AS known`)
    expect(rows).toEqual([{ known: true }])
  })

  test('is known by its X-address of Ripple, in an address book before or not', async () => {
    const classic = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf'
    const booked = 'XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi'
    const xrp = (walletAddress: string) => ask(investor, 10, { wallet: 'Ripple Coin (XRP)', walletAddress })
    const { data } = await xrp(booked)
    await list([{ ...listed, wallets: [['XRP', classic]] }, other])
    expect(await xrp(booked)).toMatchObject({ status: 400, message: words })
    expect(await xrp(classic)).toMatchObject({ status: 400, message: words })
    expect(await approve(data._id)).toMatchObject({ reason: 'address_listed' })
    const stranger = await world.person('Stan Stranger')
    await world.fund(stranger, 100_000n)
    // Another tag of the same account.
    const fresh = 'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb'
    const body = { wallet: 'Ripple Coin (XRP)', address: fresh } as const
    expect(await world.call(newAddress, stranger, { body })).toMatchObject({ status: 400, message: words })
    const to = { wallet: body.wallet, walletAddress: fresh }
    expect(await ask(stranger, 10, to)).toMatchObject({ status: 400, message: words })
  })

  test('gets none either if it was in the address book before', async () => {
    await ask(investor, 100, { wallet, walletAddress: address })
    await list()
    const asked = await ask(investor, 100, { wallet, walletAddress: address })
    expect(asked).toMatchObject({ status: 400, message: words })
    expect(await available()).toBe(90_000n)
    // As soon as it is no longer listed, the same request succeeds.
    await list([elsewhere, other], { day: '11/21/2026' })
    expect((await ask(investor, 100, { wallet, walletAddress: address })).status).toBe(200)
  })

  test('[C-12] is not approved, alone or with others; declining returns the money', async () => {
    const { data } = await ask(investor, 100, { wallet, walletAddress: address })
    const { data: fine } = await ask(investor, 50)
    expect((await list()).open).toEqual([{ invoice: data.invoiceId, batch: null }])
    const refused = { code: 'wrong_state', reason: 'address_listed' }
    expect(await approve(data._id)).toMatchObject({ status: 409, ...refused })
    const { data: results } = await world.call(approveWithdrawals, world.admin, {
      body: { records: [{ id: data._id }, { id: fine._id }] },
    })
    expect(results).toMatchObject([{ done: false, ...refused }, { done: true }])
    expect((await decline(data._id)).status).toBe(200)
    expect(await available()).toBe(95_000n)
  })

  test('[C-12] is in no payout batch once it is listed', async () => {
    await tip(1_000)
    const to = freshAddress()
    const first = await approved(investor, 100, { walletAddress: to })
    const second = await approved(investor, 100)
    await list([{ ...listed, wallets: [['USDT', to]] }, other])
    const refused = await make([first._id, second._id])
    expect(refused).toMatchObject({
      status: 409,
      message: expect.stringContaining('entry 25308 (Ali KHORASHADIZADEH)'),
    })
    const { data } = await world.call(getWithdrawal, world.admin, { params: { id: first._id } })
    expect(data).toMatchObject({ listed: expect.stringContaining('entry 25308'), unpayable: null })
    expect(refused.message).toContain('Leave it out, and decline it on its page.')
    const { data: own } = await world.call(getWithdrawal, investor, { params: { id: first._id } })
    expect(own.listed).toBeNull()
    expect((await declineUnpaid(first._id)).status).toBe(200)
    expect(await available()).toBe(90_000n)
    expect((await make([second._id])).status).toBe(200)
  })

  test('[C-12] is in no file for signing once it is listed; the batch can be cancelled', async () => {
    await tip(1_000)
    const to = freshAddress()
    const { _id, invoiceId } = await approved(investor, 100, { walletAddress: to })
    const { data: batch } = await make([_id])
    const { open } = await list([{ ...listed, wallets: [['USDT', to]] }, other])
    expect(open).toEqual([{ invoice: invoiceId, batch: batch.number }])
    expect((await get(batch._id)).data.items).toMatchObject([{ listed: true }])
    const file = await download(batch._id)
    expect(file.statusCode).toBe(409)
    expect(file.json().message).toContain(
      `The address that ${invoiceId} pays is on the sanctions list of OFAC`,
    )
    expect((await cancel(batch._id)).status).toBe(200)
    expect((await declineUnpaid(_id)).status).toBe(200)
    expect(await available()).toBe(100_000n)
  })

  test('[C-12] is marked as paid only by who confirms that the coins have left already', async () => {
    const { _id } = await approved(investor, 100, { wallet, walletAddress: address })
    await list()
    const before = await world.state()
    expect(await pay(_id)).toMatchObject({ status: 409, reason: 'listed_unless_sent' })
    expect(await world.state()).toEqual(before)
    const body = { transactionId: `0x${transactionOf(_id)}`, sent: true }
    const paid = await world.call(payWithdrawal, world.secondAdmin, { params: { id: _id }, body })
    expect(paid).toMatchObject({ status: 200, data: { status: 'paid' } })
    const { rows } = await world.owner(
      `SELECT details ->> 'listed' AS listed FROM app.audit_log WHERE subject_id = '${_id}' AND action = 'withdrawal.paid'`,
    )
    expect(rows).toEqual([{ listed: 'ofac_sdn 25308' }])
  })

  test('is refused by the database, even to its owner', async () => {
    const { data } = await ask(investor, 100, { wallet, walletAddress: address })
    await list()
    const run = (statement: string) => world.ownerPool.query(statement)
    const entered = run(
      `INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at)
       VALUES (uuidv7(), '${investor.id}', 'USDT ERC-20', '${address}', now())`,
    )
    await expect(entered).rejects.toMatchObject({ code: 'PB910' })
    const requested = run(
      `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents,
                                    approvals_needed, created_at)
       SELECT uuidv7(), 'WDR-X', user_id, amount_cents, wallet, address, hold_id, single_approval_cents, 1, now()
         FROM app.withdrawals WHERE id = '${data._id}'`,
    )
    await expect(requested).rejects.toMatchObject({ code: 'PB910' })
    const given = run(`
      INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES ('${data._id}', '${world.admin.id}');
      UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = '${data._id}'`)
    await expect(given).rejects.toMatchObject({
      code: 'PB914',
      message: expect.stringContaining('sanctions list'),
    })
  })
})

describe('importing a list', () => {
  test('changes what has changed, once', async () => {
    expect(await list()).toMatchObject({ entries: 2, wallets: 1, added: 1, removed: 0, unchanged: false })
    expect(await list()).toMatchObject({ added: 0, removed: 0, unchanged: true })
    expect(await list([elsewhere, other], { day: '11/21/2026' })).toMatchObject({ added: 1, removed: 1 })
    expect((await ask(investor, 100, { wallet, walletAddress: address })).status).toBe(200)
  })

  test('refuses a file that is older, of a day to come, or lost half of what it had', async () => {
    await list([listed, other, { ...other, uid: 3 }])
    const refused = (entries: SdnEntry[], day: string) => expect(list(entries, { day })).rejects
    await refused([listed, other], '11/19/2026').toThrow('the one in force is newer')
    await refused([listed, other], '12/31/2099').toThrow('which is still to come')
    await refused([listed], '11/21/2026').toThrow('1 entries, less than half of the 3')
    await refused([other, { ...other, uid: 3 }], '11/21/2026').toThrow('0 wallets, less than half of the 1')
    expect((await ask(investor, 100, { wallet, walletAddress: address })).status).toBe(400)
  })

  test('keeps the lists of three authorities apart', async () => {
    await list()
    const un = await importUn(world, [{ reference: 'QDi.001', names: ['SAYED', 'OMAR'] }])
    expect(un).toMatchObject({ publishedOn: '2026-11-20', entries: 1, wallets: 0, removed: 0 })
    const eu = await importEu(world, [{ reference: 'EU.1.2', logicalId: 1, names: [{ whole: 'Omar' }] }])
    expect(eu).toMatchObject({ publishedOn: '2026-11-20', entries: 1, wallets: 0, removed: 0 })
    expect((await ask(investor, 100, { wallet, walletAddress: address })).message).toBe(words)
  })

  test('refuses the UN’s and the EU’s file of a day to come', async () => {
    const generated = '2099-12-31T01:00:00Z'
    const un = importUn(world, [{ reference: 'QDi.001', names: ['OMAR'] }], { generated })
    await expect(un).rejects.toThrow('2099-12-31, which is still to come')
    const eu = importEu(world, [{ logicalId: 1, names: [{ whole: 'Omar' }] }], { generated })
    await expect(eu).rejects.toThrow('2099-12-31, which is still to come')
  })

  test('is the only way to list a wallet, or to take one off', async () => {
    await list()
    const app = (statement: string) => expect(world.database.app.query(statement)).rejects
    const made = (day: string, entries: number, wallets: number) => `
      INSERT INTO app.list_imports (list, published_on, sha256, entries, wallets, imported_at)
      VALUES ('ofac_sdn', '${day}', sha256(''), ${entries}, ${wallets}, now())`
    await app(made('2026-11-19', 2, 1)).toMatchObject({ code: 'PB920' })
    await app(made('2026-11-21', 2, 0)).toMatchObject({ code: 'PB920' })
    await app(made('2999-01-01', 2, 1)).toMatchObject({ code: '23514' })
    // Nobody but the database numbers them.
    await app(
      made('2026-11-21', 2, 1)
        .replace('(list', '(id, list')
        .replace('VALUES (', 'OVERRIDING SYSTEM VALUE VALUES (9999, '),
    ).toMatchObject({
      code: '42501',
    })
    await app('UPDATE app.sanctioned_wallets SET removed_by = added_by').toMatchObject({ code: 'PB920' })
    await app(`
      INSERT INTO app.sanctioned_wallets (list, address, published, entry, name, added_by)
      SELECT list, 'x', 'x', entry, name, added_by FROM app.sanctioned_wallets LIMIT 1`).toMatchObject({
      code: 'PB920',
    })
    await app("UPDATE app.sanctioned_wallets SET address = 'x'").toMatchObject({ code: '42501' })
    await app('DELETE FROM app.sanctioned_wallets').toMatchObject({ code: '42501' })
    await expect(world.owner('DELETE FROM app.sanctioned_wallets')).rejects.toThrow()
  })
})
