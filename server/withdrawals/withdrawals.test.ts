import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withdrawalWallets } from '#shared/coins.ts'
import { newAddress } from '#shared/contract/addresses.ts'
import * as call from '#shared/contract/withdrawals.ts'
import { addresses, bitcoinAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
})

const acts = withdrawalsIn(() => world)
const ask = (amount?: number, body?: object, who = investor) => acts.ask(who, amount, body)
const balances = () => world.balances(investor)

describe('asking', () => {
  test('[C-06] the amount is held at once', async () => {
    await world.fund(investor, 50_000n)
    const { data, message } = await ask(120.5)
    expect(message).toBe('Withdrawal initiated successfully')
    expect(data).toMatchObject({
      status: 'pending',
      amount: 120.5,
      wallet: 'Bitcoin (BTC)',
      walletAddress: bitcoinAddress,
      approvals: 0,
      approvalsNeeded: 1,
      transactionId: null,
    })
    expect(data.invoiceId).toMatch(/^WDR-20\d\d-\d{6}$/)
    // The answer is made before the row is written; both must say the same.
    expect((await world.call(call.listOwnWithdrawals, investor)).data).toEqual([data])
    expect(await balances()).toEqual({ available: 37_950n, held: 12_050n, invested: 0n })
  })

  test('[B-05, C-06] refuses more than the balance, says the balance, and changes nothing', async () => {
    await world.fund(investor, 10_000n)
    const before = await world.state()
    expect(await ask(100.01)).toMatchObject({
      status: 409,
      code: 'insufficient_funds',
      message: 'Insufficient funds: $100.00 is available.',
    })
    expect(await world.state()).toBe(before)
  })

  test('[B-05] someone who has never had money is refused in the same words', async () => {
    expect(await ask(1)).toMatchObject({
      status: 409,
      message: 'Insufficient funds: $0.00 is available.',
    })
  })

  test('[K-03, C-06] each of the nine coins takes an address of its own format', async () => {
    await world.fund(investor, 90_000n)
    for (const wallet of withdrawalWallets) {
      expect((await ask(100, { wallet, walletAddress: addresses[wallet] })).data.wallet).toBe(wallet)
    }
  })

  test('[K-03, D7] a coin that the configuration leaves out is refused everywhere', async () => {
    const narrow = await openWorld({ withdrawalWallets: ['Bitcoin (BTC)'] })
    const someone = await narrow.person('Nora Narrow')
    await narrow.fund(someone, 50_000n)
    const before = await narrow.state()
    const message = 'Choose a wallet from the list'
    const refused = { status: 400, message, fields: { wallet: message } }
    const wallet = 'Litecoin (LTC)' as const
    const to = { wallet, walletAddress: addresses[wallet] }
    expect(await narrow.call(call.newWithdrawal, someone, { body: { amount: 100, ...to } })).toMatchObject(
      refused,
    )
    const entry = { wallet, address: addresses[wallet] } as const
    expect(await narrow.call(newAddress, someone, { body: entry })).toMatchObject(refused)
    expect(await narrow.state()).toBe(before)
    const bitcoin = { wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress } as const
    expect(
      (await narrow.call(call.newWithdrawal, someone, { body: { amount: 100, ...bitcoin } })).status,
    ).toBe(200)
  })

  test("[D-09, C-06] an address that is not of its coin's format is refused", async () => {
    await world.fund(investor, 10_000n)
    const before = await world.state()
    for (const wallet of withdrawalWallets) {
      const message = `This is not a valid ${wallet} address`
      expect(await ask(10, { wallet, walletAddress: `${addresses[wallet]}x` })).toMatchObject({
        status: 400,
        message,
        fields: { walletAddress: message },
      })
    }
    expect(await world.state()).toBe(before)
  })

  test('[C-06] takes addresses of test networks in the demonstration, and refuses them live', async () => {
    const body = { walletAddress: 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp' }
    await world.fund(investor, 20_000n)
    expect((await ask(100, body)).status).toBe(200)
    const live = await openWorld({ mode: 'live', priceSources: ['kraken'] })
    const other = await live.person('Other')
    await live.fund(other, 20_000n)
    const refused = await live.call(call.newWithdrawal, other, {
      body: { amount: 100, wallet: 'Bitcoin (BTC)', ...body },
    })
    expect(refused).toMatchObject({ status: 400, message: 'This is not a valid Bitcoin (BTC) address' })
  })

  test('[C-06] refuses our own addresses, whatever the coin and the letter case', async () => {
    await world.fund(investor, 10_000n)
    const before = await world.state()
    const { bitcoin, usdt, ethereum } = world.services.config.paymentAddresses
    const message = "That's our address. Enter one from your own wallet."
    for (const [wallet, walletAddress] of [
      ['Bitcoin (BTC)', bitcoin],
      ['Bitcoin (BTC)', bitcoin?.toUpperCase()],
      ['USDT TRC-20', usdt],
      ['Ethereum (ETH)', ethereum],
      ['USDT ERC-20', ethereum?.toLowerCase()],
      ['Ethereum Classic (ETC)', ethereum],
    ]) {
      expect(await ask(10, { wallet, walletAddress }), walletAddress).toMatchObject({
        status: 400,
        message,
        fields: { walletAddress: message },
      })
    }
    expect(await world.state()).toBe(before)
  })

  test('[C-06] refuses an address where coins would be lost, and says so', async () => {
    const own = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const { rails } = world.services.config
    const local = { ...rails, ethereum: { ...rails.ethereum, contracts: { USDT: own } } }
    const app = await openWorld({ rails: local })
    const someone = await app.person('Lotte Loss')
    await app.fund(someone, 10_000n)
    const before = await app.state()
    const contract = 'This is the address of a token contract: coins sent to it are lost.'
    for (const [wallet, walletAddress, words] of [
      ['USDT TRC-20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', contract],
      ['USDT ERC-20', '0xdac17f958d2ee523a2206206994597c13d831ec7', contract],
      ['Ethereum (ETH)', own, contract],
      [
        'Ethereum (ETH)',
        `0x${'0'.repeat(40)}`,
        'This is an address without an owner: coins sent to it are lost.',
      ],
    ] as const) {
      const message = `${words} Enter an address of your own wallet`
      const answer = await app.call(call.newWithdrawal, someone, {
        body: { amount: 10, wallet, walletAddress },
      })
      expect(answer, walletAddress).toMatchObject({
        status: 400,
        message,
        fields: { walletAddress: message },
      })
    }
    expect(await app.state()).toBe(before)
  })

  test("[C-06] 'address' and 'walletAddress' are the same value", async () => {
    await world.fund(investor, 30_000n)
    const [one, both] = [
      await ask(100, { walletAddress: undefined, address: bitcoinAddress }),
      await ask(100, { address: bitcoinAddress }),
    ]
    expect([one.data.walletAddress, both.data.walletAddress]).toEqual([bitcoinAddress, bitcoinAddress])
    const other = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
    expect(await ask(100, { address: other })).toMatchObject({
      status: 400,
      message: 'The two wallet addresses differ',
    })
    expect(await ask(100, { walletAddress: undefined })).toMatchObject({
      status: 400,
      message: 'All fields are requred fields',
    })
  })

  test('[B-06, C-06] the same key gives the first answer again, even after the state has changed', async () => {
    await world.fund(investor, 50_000n)
    const send = (amount: number, idempotencyKey: string) =>
      world.call(
        call.newWithdrawal,
        investor,
        { body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress } },
        { idempotencyKey },
      )
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(100, 'one')))
    const [first] = answers
    expect(first?.data).toMatchObject({ amount: 100, status: 'pending', userName: investor.name })
    for (const answer of answers) expect(answer.data).toEqual(first?.data)
    await acts.approve(first!.data._id)
    expect((await send(100, 'one')).data).toEqual(first?.data)
    expect(await send(101, 'one')).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await balances()).toEqual({ available: 40_000n, held: 10_000n, invested: 0n })
    const list = await world.call(call.listOwnWithdrawals, investor)
    expect(list.data).toEqual([
      {
        ...first?.data,
        status: 'approved',
        approvals: 1,
        approvedAt: expect.any(String),
      },
    ])
  })

  test('[B-06, C-06] a refusal is an answer too: the key keeps it', async () => {
    const send = () =>
      world.call(
        call.newWithdrawal,
        investor,
        { body: { amount: 100, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress } },
        { idempotencyKey: 'poor' },
      )
    expect(await send()).toMatchObject({ status: 409, code: 'insufficient_funds' })
    await world.fund(investor, 50_000n)
    expect(await send()).toMatchObject({ status: 409, code: 'insufficient_funds' })
  })

  test('[D-25, C-06] asks for a verified email address', async () => {
    await world.fund(investor, 10_000n)
    await world.owner(`UPDATE app.users SET email_verified_at = NULL WHERE id = '${investor.id}'`)
    const before = await world.state()
    expect(await ask(100)).toMatchObject({
      status: 401,
      code: 'email_not_verified',
      message: expect.stringContaining('Please verify email address'),
    })
    expect(await world.state()).toBe(before)
  })

  test('[B-05] of 100 concurrent requests for the whole balance, one wins', async () => {
    await world.fund(investor, 10_000n)
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(100)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'insufficient_funds')).toHaveLength(99)
    expect(await balances()).toEqual({ available: 0n, held: 10_000n, invested: 0n })
  })
})

describe('lists', () => {
  test("[C-19, C-26] shows one's own, newest first; admins see all and search by address", async () => {
    await world.fund(investor, 30_000n)
    const ids = [(await ask(10)).data._id, (await ask(20)).data._id]
    const own = await world.call(call.listOwnWithdrawals, investor)
    expect(own.data.map(withdrawal => withdrawal._id)).toEqual(ids.toReversed())
    const xrp = {
      wallet: 'Ripple Coin (XRP)',
      walletAddress: 'XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi',
    }
    const rare = await ask(30, xrp)
    const found = await world.call(call.listWithdrawals, world.admin, { query: { q: xrp.walletAddress } })
    expect(found.data.map(withdrawal => withdrawal._id)).toEqual([rare.data._id])
    expect(found.data[0]?.userName).toBe(investor.name)
  })
})
