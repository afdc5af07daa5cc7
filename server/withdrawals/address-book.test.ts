import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as call from '#shared/contract/addresses.ts'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { utcMinute } from '#shared/moments.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWatchedWorld } from '#test/support/watched.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** New addresses need not wait here; in the other world they wait a day. */
let world: World
let waiting: World
let people = 0
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  waiting = await openWorld({ addressWaitHours: 24 })
})
beforeEach(async () => {
  investor = await newcomer(world)
})

async function newcomer(of: World): Promise<Person> {
  people += 1
  const person = await of.person(`Investor ${people}`)
  await of.fund(person, 100_000n)
  return person
}

const wallet = 'Bitcoin (BTC)'
const bech32 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const base58 = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
const hexadecimal = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

type Options = { of?: World; who?: Person; key?: string; to?: object }
const withdraw = ({ of = world, who = investor, key, to = {} }: Options = {}) =>
  of.call(
    newWithdrawal,
    who,
    { body: { amount: 10, wallet, walletAddress: bech32, ...to } },
    key === undefined ? {} : { idempotencyKey: key },
  )
const add = (body: object = {}, who = investor, of = world) =>
  of.call(call.newAddress, who, { body: { wallet, address: bech32, ...body } })
const book = async (who = investor, of = world) => (await of.call(call.listOwnAddresses, who)).data
const rename = (id: string, label: string | null, who = investor) =>
  world.call(call.renameAddress, who, { params: { id }, body: { label } })
const remove = (id: string, who = investor, of = world) =>
  of.call(call.removeAddress, who, { params: { id } })

/** Their last reauthentication was long ago. */
const unproven = ({ id }: Person, of = world) =>
  of.owner(`UPDATE app.sessions SET reauthenticated_at = now() - interval '1 hour' WHERE user_id = '${id}'`)
const proven = ({ id }: Person, of = world) =>
  of.owner(`UPDATE app.sessions SET reauthenticated_at = now() + interval '1 day' WHERE user_id = '${id}'`)
const news = async (who: Person, of = world) =>
  (await of.call(listNotifications, who)).data.filter(({ kind }) => kind === 'address.added')

describe('a withdrawal to an address that was not used before', () => {
  test('[D-30] enters it into the book and notifies the owner once', async () => {
    const { data } = await withdraw()
    expect(await book()).toEqual([
      {
        _id: expect.any(String),
        wallet,
        address: bech32,
        label: null,
        createdAt: data.createdAt,
        usableFrom: null,
        firstUsedAt: data.createdAt,
      },
    ])
    await withdraw()
    expect(await book()).toHaveLength(1)
    const told = await news(investor)
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({
      text: `The ${wallet} address ${bech32} was added to your address book.`,
      subject: null,
    })
    const { rows } = await world.owner(
      `SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'to' = '${investor.email}'`,
    )
    expect(rows.map(({ payload }) => payload.subject)).toEqual(['A withdrawal address was added'])
  })

  test('[A-17, D-30] needs a recent reauthentication; a known address needs none', async () => {
    await withdraw()
    await unproven(investor)
    expect((await withdraw()).status).toBe(200)
    const before = await world.state()
    expect(await withdraw({ to: { walletAddress: base58 } })).toMatchObject({
      status: 403,
      code: 'proof_required',
    })
    expect(await world.state()).toBe(before)
  })

  test('[A-17, B-06] the same request with the same key succeeds after reauthentication', async () => {
    await unproven(investor)
    const key = crypto.randomUUID()
    expect((await withdraw({ key })).code).toBe('proof_required')
    await proven(investor)
    const first = await withdraw({ key })
    expect(first.status).toBe(200)
    expect((await withdraw({ key })).data).toEqual(first.data)
  })

  test('[D-30] two ways of writing one address are one address', async () => {
    const ethereum = { wallet: 'Ethereum (ETH)', walletAddress: hexadecimal }
    await withdraw({ to: ethereum })
    await withdraw()
    await unproven(investor)
    const lower = { ...ethereum, walletAddress: hexadecimal.toLowerCase() }
    expect((await withdraw({ to: lower })).status).toBe(200)
    expect((await withdraw({ to: { walletAddress: bech32.toUpperCase() } })).status).toBe(200)
    // For another coin it counts as another address.
    expect((await withdraw({ to: { ...ethereum, wallet: 'USDT ERC-20' } })).code).toBe('proof_required')
  })

  test('[B-05, D-30] leaves nothing behind if there is not enough money', async () => {
    const before = await world.state()
    expect((await withdraw({ to: { amount: 5_000 } })).code).toBe('insufficient_funds')
    expect(await world.state()).toBe(before)
  })

  test('[B-05, D-30] concurrent requests enter it once', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => withdraw({ to: { amount: 50 } })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(await book()).toHaveLength(1)
    expect(await news(investor)).toHaveLength(1)
  })
})

describe('a waiting time for new addresses', () => {
  test('[D-30] the first request only enters it, and says from when it can be used', async () => {
    const person = await newcomer(waiting)
    const key = crypto.randomUUID()
    const asked = await withdraw({ of: waiting, who: person, key })
    const [entry] = await book(person, waiting)
    const words = utcMinute(new Date(entry!.usableFrom!))
    expect(asked).toMatchObject({ status: 409, code: 'address_waiting' })
    expect(asked.message).toBe(
      `This address is new. We added it to your address book; it can be used from ${words}.`,
    )
    expect(asked.fields).toEqual({ walletAddress: asked.message })
    expect(Date.parse(entry!.usableFrom!)).toBeGreaterThanOrEqual(Date.parse(entry!.createdAt) + 86_400_000)
    expect((await news(person, waiting))[0]?.details[0]).toBe(`You can withdraw to it from ${words}.`)
    const again = await withdraw({ of: waiting, who: person, key })
    expect(again.message).toBe(`This address is new in your address book. It can be used from ${words}.`)
    expect((await waiting.balances(person)).held).toBe(0n)

    waiting.clock.pass({ days: 1, minutes: 1 })
    expect((await withdraw({ of: waiting, who: person, key })).status).toBe(200)
    expect((await book(person, waiting))[0]?.firstUsedAt).not.toBeNull()
  })

  test('[D-30] one that was removed and added again waits again', async () => {
    const person = await newcomer(waiting)
    const { data } = await add({}, person, waiting)
    waiting.clock.pass({ days: 2 })
    expect((await withdraw({ of: waiting, who: person })).status).toBe(200)
    await remove(data._id, person, waiting)
    expect((await withdraw({ of: waiting, who: person })).code).toBe('address_waiting')
  })

  test('[D-30] concurrent first requests enter it once, and none succeeds', async () => {
    const person = await newcomer(waiting)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => withdraw({ of: waiting, who: person })),
    )
    expect(answers.map(({ code }) => code)).toEqual(Array(20).fill('address_waiting'))
    expect(await book(person, waiting)).toHaveLength(1)
  })
})

describe('the book', () => {
  test('[D-30] its owner adds, renames and removes addresses', async () => {
    const added = await add({ label: ' Hardware wallet ' })
    expect(added).toMatchObject({ status: 200, message: 'Address added' })
    expect(added.data).toMatchObject({ label: 'Hardware wallet', usableFrom: null, firstUsedAt: null })
    const id = added.data._id
    expect((await rename(id, 'Savings')).data.label).toBe('Savings')
    expect((await rename(id, null)).data.label).toBeNull()
    await withdraw()
    expect((await book())[0]).toMatchObject({ _id: id, firstUsedAt: expect.any(String) })
    expect((await remove(id)).message).toBe('Address removed')
    expect(await book()).toEqual([])
    expect(await remove(id)).toMatchObject({ status: 403, code: 'forbidden' })
    await unproven(investor)
    expect((await withdraw()).code).toBe('proof_required')
  })

  test('[A-17] adding needs a recent reauthentication; renaming and removing do not', async () => {
    const { data } = await add()
    await unproven(investor)
    expect((await add({ address: base58 })).code).toBe('proof_required')
    expect((await rename(data._id, 'Savings')).status).toBe(200)
    expect((await remove(data._id)).status).toBe(200)
  })

  test('[D-30] adds an address once, in a valid format, and none of ours', async () => {
    await add()
    const before = await world.state()
    expect(await add({ address: bech32.toUpperCase() })).toMatchObject({
      status: 409,
      code: 'wrong_state',
      reason: 'address_exists',
      fields: { address: 'This address is already in your address book' },
    })
    expect(await add({ address: `${base58}x` })).toMatchObject({
      status: 400,
      fields: { address: 'This is not a valid Bitcoin (BTC) address' },
    })
    const { bitcoin } = world.services.config.paymentAddresses
    expect((await add({ address: bitcoin })).message).toBe(
      "That's our address. Enter one from your own wallet.",
    )
    expect(await world.state()).toBe(before)
  })

  test('[D-30] takes no address that was ever ours, whatever is configured now', async () => {
    const words = "That's our address. Enter one from your own wallet."
    const watched = await openWatchedWorld('bitcoin')
    const [mine, other] = [await watched.person('Ines Investor'), await watched.person('Otto Other')]
    await watched.fund(mine, 100_000n)
    const wallet = 'Bitcoin (BTC)' as const
    const query = { method: 'bitcoin', amount: '150' } as const
    const asked = (await watched.ask(other, 150)).payment.address
    const earlier = (await watched.ask(other, 150))._id
    const quoted = (await watched.call(quoteDeposit, other, { query })).data.address
    await tamper(watched.database, `UPDATE app.deposits SET address = '${base58}' WHERE id = '${earlier}'`)
    for (const address of [quoted, asked.toUpperCase(), base58]) {
      expect(await add({ wallet, address }, mine, watched)).toMatchObject({
        status: 400,
        fields: { address: words },
      })
      const body = { wallet, address, amount: 100 }
      expect(await watched.call(newWithdrawal, mine, { body })).toMatchObject({
        status: 400,
        fields: { walletAddress: words },
      })
    }
    expect((await add({ wallet, address: bech32 }, mine, watched)).status).toBe(200)
  })

  test('[D-25] an unverified account adds nothing', async () => {
    await world.owner(`UPDATE app.users SET email_verified_at = NULL WHERE id = '${investor.id}'`)
    expect((await add()).code).toBe('email_not_verified')
  })
})

describe('[D-30] limits of the address book', () => {
  const ethereum = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
  const enter = (n: number, who: Person, of = world) =>
    add({ wallet: 'Ethereum (ETH)', address: ethereum(n) }, who, of)
  const many = async (of: World, who: Person) => {
    for (let n = 1; n <= 10; n += 1) expect((await enter(n, who, of)).status).toBe(200)
  }

  test('ten new addresses an hour, removed and requested ones too, with one email each', async () => {
    await many(world, investor)
    const [newest] = await book()
    await remove(newest!._id)
    const refused = await enter(11, investor)
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(refused.message).toMatch(
      /^You can add at most 10 new addresses an hour\. Please try again in \d+ minutes\.$/,
    )
    expect(refused.headers['retry-after']).toBeDefined()
    const before = await world.state()
    expect((await withdraw()).code).toBe('rate_limited')
    expect(await world.state()).toBe(before)
    const known = { wallet: 'Ethereum (ETH)', walletAddress: ethereum(1) }
    expect((await withdraw({ to: known })).status).toBe(200)
    expect(await news(investor)).toHaveLength(10)
    const next = await newcomer(world)
    expect((await enter(11, next)).status).toBe(200)
  })

  test('the limit also holds for waiting addresses, and ends after an hour', async () => {
    const person = await newcomer(waiting)
    await many(waiting, person)
    expect((await withdraw({ of: waiting, who: person })).code).toBe('rate_limited')
    expect(await book(person, waiting)).toHaveLength(10)
    waiting.clock.pass({ minutes: 61 })
    expect((await withdraw({ of: waiting, who: person })).code).toBe('address_waiting')
    expect(await book(person, waiting)).toHaveLength(11)
  })

  test('concurrent requests cannot exceed it', async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, (_, n) => enter(n + 1, investor)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(await book()).toHaveLength(10)
  })

  test('200 addresses at most, until one is removed', async () => {
    await world.owner(`
      INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at)
      SELECT uuidv7(interval '-1 day'), '${investor.id}', 'Ethereum (ETH)', '0xfull' || n, now() - interval '1 day'
        FROM generate_series(1, 200) AS n`)
    expect(await enter(1, investor)).toMatchObject({
      status: 409,
      code: 'wrong_state',
      reason: 'address_book_full',
      message: 'An address book holds at most 200 addresses. Remove one first.',
    })
    expect((await withdraw()).code).toBe('wrong_state')
    const [one] = await book()
    await remove(one!._id)
    expect((await withdraw()).status).toBe(200)
  })
})

describe('the database itself', () => {
  const insert = (address: string) =>
    world.database.app.query(
      `INSERT INTO app.withdrawals (id, invoice_id, user_id, amount_cents, wallet, address, hold_id, single_approval_cents, approvals_needed)
       VALUES (uuidv7(), uuidv7()::text, $1, 100, $2, $3, uuidv7(), 100, 1)`,
      [investor.id, wallet, address],
    )
  const byTheBook = /must go to an address of its owner's book/

  test('[D-30] refuses withdrawals to an address that is unknown, was removed, or waits', async () => {
    await expect(insert(base58)).rejects.toThrow(byTheBook)
    const { data } = await add({ address: base58 })
    await expect(insert(base58)).rejects.toThrow(/the books do not hold/)
    await remove(data._id)
    await expect(insert(base58)).rejects.toThrow(byTheBook)
    await world.database.app.query(
      `INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at, usable_from)
       VALUES (uuidv7(), $1, $2, $3, now(), now() + interval '1 hour')`,
      [investor.id, wallet, base58],
    )
    await expect(insert(base58)).rejects.toThrow(byTheBook)
  })

  test('[D-30] keeps a withdrawal’s address and an address’s waiting time unchanged', async () => {
    await withdraw()
    const { app } = world.database
    const own = `WHERE user_id = '${investor.id}'`
    await expect(app.query(`UPDATE app.withdrawals SET address = '${base58}' ${own}`)).rejects.toThrow(
      /permission denied/,
    )
    for (const change of [`address = '${base58}'`, 'usable_from = NULL', 'created_at = now()']) {
      await expect(app.query(`UPDATE app.payout_addresses SET ${change} ${own}`)).rejects.toThrow(
        /permission denied/,
      )
    }
    await expect(app.query(`DELETE FROM app.payout_addresses ${own}`)).rejects.toThrow(/permission denied/)
  })
})
