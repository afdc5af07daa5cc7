import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withdrawalWallets } from '#shared/coins.ts'
import * as call from '#shared/contract/withdrawals.ts'
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

const bitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const addresses = {
  'Bitcoin (BTC)': bitcoinAddress,
  'Bitcoin Cash (BCH)': 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
  'Ethereum Classic (ETC)': '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  'Ethereum (ETH)': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'Litecoin (LTC)': 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
  'USDT TRC-20': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'USDT ERC-20': '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  'Ripple Coin (XRP)': 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  'Dogecoin (DOGE)': 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
} as const

const ask = (amount = 100, body: object = {}, who = investor) =>
  world.call(call.newWithdrawal, who, {
    body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress, ...body },
  })
const approve = (id: string, admin = world.admin) =>
  world.call(call.approveWithdrawal, admin, { params: { id } })
const decline = (id: string, admin = world.admin) =>
  world.call(call.declineWithdrawal, admin, { params: { id }, body: { reason: 'Address is on a list' } })
/** A transaction of its own for each withdrawal. */
const transactionOf = (id: string) => id.replaceAll('-', '').padStart(64, '0')
const pay = (id: string, admin = world.admin, transactionId = transactionOf(id)) =>
  world.call(call.payWithdrawal, admin, { params: { id }, body: { transactionId } })
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
    expect(await balances()).toEqual({ available: 37_950n, held: 12_050n, invested: 0n })
  })

  test('[B-05, C-06] more than the balance is refused, saying what there is, and nothing changes', async () => {
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

  test('[C-06] addresses of test networks are taken in demonstration mode and refused in live mode', async () => {
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

  test("[C-06] an address that the firm itself is paid at is refused, whatever the coin's name and the case", async () => {
    await world.fund(investor, 10_000n)
    const before = await world.state()
    const { bitcoin, usdt, ethereum } = world.services.config.paymentAddresses
    const message = 'The firm is paid at this address. Enter one of your own wallet'
    for (const [wallet, walletAddress] of [
      ['Bitcoin (BTC)', bitcoin],
      ['Bitcoin (BTC)', bitcoin?.toUpperCase()],
      ['USDT TRC-20', usdt],
      ['Ethereum (ETH)', ethereum],
      ['USDT ERC-20', ethereum?.toLowerCase()],
    ]) {
      expect(await ask(10, { wallet, walletAddress }), walletAddress).toMatchObject({
        status: 400,
        message,
        fields: { walletAddress: message },
      })
    }
    expect(await world.state()).toBe(before)
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

  test('[B-06, C-06] the same key gives the first answer again, also after the state has changed', async () => {
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
    await approve(first!.data._id)
    expect((await send(100, 'one')).data).toEqual(first?.data)
    expect(await send(101, 'one')).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await balances()).toEqual({ available: 40_000n, held: 10_000n, invested: 0n })
    const list = await world.call(call.listOwnWithdrawals, investor)
    expect(list.data).toEqual([
      { ...first?.data, status: 'approved', approvals: 1, approvedAt: expect.any(String) },
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

  test('[D-25, C-06] who has not verified his e-mail address is asked to', async () => {
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

  test('[B-05] of 100 parallel requests for the whole balance one wins', async () => {
    await world.fund(investor, 10_000n)
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(100)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'insufficient_funds')).toHaveLength(99)
    expect(await balances()).toEqual({ available: 0n, held: 10_000n, invested: 0n })
  })
})

describe('deciding', () => {
  let id: string
  beforeEach(async () => {
    await world.fund(investor, 10_000n)
    id = (await ask(100)).data._id
  })

  test('[C-12] approving authorises and moves no money; marking it paid posts it', async () => {
    const approved = await approve(id)
    expect(approved.message).toBe('Withdrawal approved')
    expect(approved.data).toMatchObject({ status: 'approved', approvals: 1 })
    expect(await balances()).toEqual({ available: 0n, held: 10_000n, invested: 0n })
    const paid = await pay(id)
    expect(paid.message).toBe('Withdrawal marked as paid')
    expect(paid.data).toMatchObject({ status: 'paid', transactionId: transactionOf(id) })
    expect(paid.data.paidAt).not.toBeNull()
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[C-13] declining gives the money back, and the investor the reason', async () => {
    const declined = await decline(id)
    expect(declined.message).toBe('Withdrawal declined')
    expect(declined.data.status).toBe('declined')
    expect(await balances()).toEqual({ available: 10_000n, held: 0n, invested: 0n })
    const own = await world.call(call.listOwnWithdrawals, investor)
    expect(own.data[0]?.declineReason).toBe('Address is on a list')
  })

  test('[C-12, D7] an admin cannot approve or pay his own withdrawal', async () => {
    await world.fund(world.admin, 20_000n, world.secondAdmin)
    const own = await ask(100, {}, world.admin)
    const before = await world.state()
    expect(await approve(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect(await world.state()).toBe(before)
    expect((await approve(own.data._id, world.secondAdmin)).data.status).toBe('approved')
    expect(await pay(own.data._id)).toMatchObject({ status: 409, code: 'own_request' })
    expect((await pay(own.data._id, world.secondAdmin)).data.status).toBe('paid')
  })

  const refused = [
    ['pending', pay, 'This withdrawal is still pending. Only approved withdrawals can be marked as paid.'],
    ['approved', approve, 'This withdrawal is already approved. Only pending withdrawals can be approved.'],
    ['approved', decline, 'This withdrawal is already approved. Only pending withdrawals can be declined.'],
    ['declined', approve, 'This withdrawal is already declined. Only pending withdrawals can be approved.'],
    ['declined', decline, 'This withdrawal is already declined. Only pending withdrawals can be declined.'],
    [
      'declined',
      pay,
      'This withdrawal is already declined. Only approved withdrawals can be marked as paid.',
    ],
    ['paid', approve, 'This withdrawal is already paid. Only pending withdrawals can be approved.'],
    ['paid', decline, 'This withdrawal is already paid. Only pending withdrawals can be declined.'],
    ['paid', pay, 'This withdrawal is already paid. Only approved withdrawals can be marked as paid.'],
  ] as const
  test.each(refused.map(([status, act, message]) => ({ status, act, message })))(
    '[S-04] from $status nothing changes: "$message"',
    async ({ status, act, message }) => {
      if (status === 'declined') await decline(id)
      if (status === 'approved' || status === 'paid') await approve(id)
      if (status === 'paid') await pay(id)
      const before = await world.state()
      expect(await act(id)).toMatchObject({ status: 409, code: 'wrong_state', message })
      expect(await act(id, world.secondAdmin)).toMatchObject({ status: 409, message })
      expect(await world.state()).toBe(before)
    },
  )

  test('[C-12] of 50 parallel approvals, and of 50 parallel payments, one counts', async () => {
    const approvals = await Promise.all(Array.from({ length: 50 }, () => approve(id)))
    expect(approvals.filter(answer => answer.status === 200)).toHaveLength(1)
    const payments = await Promise.all(Array.from({ length: 50 }, () => pay(id)))
    expect(payments.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(payments.filter(answer => answer.code === 'wrong_state')).toHaveLength(49)
    expect(await balances()).toEqual({ available: 0n, held: 0n, invested: 0n })
  })

  test('[S-04] of approve and decline at the same time one wins', async () => {
    const racer = await world.person('Racer')
    await world.fund(racer, 10_000n)
    for (let round = 0; round < 10; round += 1) {
      const { data } = await ask(10, {}, racer)
      const [yes, no] = await Promise.all([approve(data._id), decline(data._id, world.secondAdmin)])
      expect([yes.status, no.status].toSorted()).toEqual([200, 409])
      if (yes.status === 200) await pay(data._id)
    }
    const { available, held } = await world.balances(racer)
    const { data } = await world.call(call.listOwnWithdrawals, racer, { query: { status: 'paid' } })
    expect(held).toBe(0n)
    expect(available).toBe(10_000n - BigInt(data.length) * 1_000n)
  })
})

describe('the transaction that pays', () => {
  const wallets = ['Bitcoin (BTC)', 'USDT ERC-20', 'USDT TRC-20'] as const
  const reused =
    'This transaction has paid another withdrawal to the same address already. Enter the one that paid this.'
  const approved = async (amount: number, body: object = {}) => {
    const { data } = await ask(amount, body)
    await approve(data._id)
    return data._id
  }
  beforeEach(() => world.fund(investor, 100_000n))

  test('[N-03] is refused where it is none of the coin, and nothing changes', async () => {
    for (const wallet of wallets) {
      const id = await approved(10, { wallet, walletAddress: addresses[wallet] })
      const before = await world.state()
      for (const typed of ['paid by hand', 'f'.repeat(63), `https://example.com/tx/${'f'.repeat(64)}`]) {
        const answer = await pay(id, world.admin, typed)
        expect(answer).toMatchObject({
          status: 400,
          code: 'invalid_input',
          message: expect.stringContaining(`This is not a valid ${wallet} transaction id.`),
          fields: { transactionId: answer.message },
        })
      }
      expect(await world.state()).toBe(before)
    }
  })

  test('[N-03] pays one withdrawal to one address: a repetition is refused, in either case', async () => {
    const [first, second] = [await approved(10), await approved(20)]
    const transaction = `${transactionOf(first).slice(0, -2)}ab`
    expect((await pay(first, world.admin, transaction)).status).toBe(200)
    const before = await world.state()
    for (const again of [transaction, transaction.toUpperCase()]) {
      expect(await pay(second, world.secondAdmin, again)).toMatchObject({
        status: 409,
        code: 'transaction_reused',
        message: reused,
        fields: { transactionId: reused },
      })
    }
    expect(await world.state()).toBe(before)
    expect((await pay(second)).data.status).toBe('paid')
  })

  test('[N-03] may pay several withdrawals to different addresses, as batched payouts do', async () => {
    const [first, second] = [
      await approved(10),
      await approved(10, { walletAddress: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }),
    ]
    for (const id of [first, second]) {
      expect((await pay(id, world.admin, transactionOf(first))).data.status).toBe('paid')
    }
  })

  test('[N-03] of two withdrawals that two admins mark by it at once it pays one', async () => {
    const ids = [await approved(10), await approved(20)]
    const [a, b] = await Promise.all(
      ids.map((id, place) => pay(id, place === 0 ? world.admin : world.secondAdmin, transactionOf(ids[0]!))),
    )
    expect([a?.status, b?.status].toSorted()).toEqual([200, 409])
    expect((await balances()).held).toBe(a?.status === 200 ? 2_000n : 1_000n)
  })
})

describe('a large withdrawal', () => {
  test('[C-12, D7] up to $10,000 one admin is enough', async () => {
    await world.fund(investor, 1_000_000n)
    const { data } = await ask(10_000)
    expect(data.approvalsNeeded).toBe(1)
    expect((await approve(data._id)).data.status).toBe('approved')
  })

  test('[C-12, D7] above it two different admins must approve', async () => {
    await world.fund(investor, 1_000_001n)
    const { data } = await ask(10_000.01)
    expect(data.approvalsNeeded).toBe(2)
    expect((await approve(data._id)).data).toMatchObject({ status: 'pending', approvals: 1 })
    const before = await world.state()
    expect(await approve(data._id)).toMatchObject({ status: 409, code: 'same_approver' })
    expect(await world.state()).toBe(before)
    expect(await pay(data._id)).toMatchObject({ status: 409, code: 'wrong_state' })
    const second = await approve(data._id, world.secondAdmin)
    expect(second.data).toMatchObject({ status: 'approved', approvals: 2 })
  })

  test('[C-12, D7] one admin who approves 20 times at once counts once', async () => {
    await world.fund(investor, 2_000_000n)
    const { data } = await ask(20_000)
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(data._id)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.code === 'same_approver')).toHaveLength(19)
  })

  test('[C-12, D7] an approval counts only as long as who gave it may decide', async () => {
    await world.fund(investor, 4_000_000n)
    const [one, two] = [(await ask(20_000)).data._id, (await ask(20_000)).data._id]
    const [finance, third] = [await world.person('Fin Ance', 'finance'), await world.person('Theo', 'admin')]
    for (const [id, who] of [
      [one, world.secondAdmin],
      [two, finance],
    ] as const) {
      expect((await approve(id, who)).data.approvals).toBe(1)
    }
    await world.owner(`UPDATE app.users SET access_ended_at = now() WHERE id = '${world.secondAdmin.id}'`)
    await world.owner(`UPDATE app.users SET role = 'support' WHERE id = '${finance.id}'`)
    for (const id of [one, two]) {
      expect((await approve(id)).data).toMatchObject({ status: 'pending', approvals: 1 })
      expect((await approve(id, third)).data.status).toBe('approved')
    }
  })

  test('[C-13, D7] it can be declined between the two approvals', async () => {
    await world.fund(investor, 2_000_000n)
    const { data } = await ask(20_000)
    await approve(data._id)
    await decline(data._id, world.secondAdmin)
    expect(await balances()).toEqual({ available: 2_000_000n, held: 0n, invested: 0n })
  })
})

describe('lists', () => {
  test("[C-19, C-26] one's own, newest first; all for an admin, searched by address", async () => {
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
