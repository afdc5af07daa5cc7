import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { railOf } from '#server/rails/rails.ts'
import { addressOf } from '#shared/call-address.ts'
import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import * as call from '#shared/contract/payouts.ts'
import { decideMatch, listMatches } from '#shared/contract/screening.ts'
import { listAudit } from '#shared/contract/site.ts'
import {
  approveWithdrawal,
  getWithdrawal,
  listOwnWithdrawals,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { listeningApp } from '#test/support/live.ts'
import { fundedInvestor, openPayingWorld, payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { importSdn } from '#test/support/sanctions.ts'
import { statementsIn } from '#test/support/statements.ts'
import { addresses, freshAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world)
})

const { ask, approve, approved: approvedFor, pay } = withdrawalsIn(() => world)
const { make, get, cancel, download, looks, unchanged } = payoutsIn(() => world)

const approved = (amount = 100, to: Parameters<typeof approvedFor>[2] = {}, who = investor) =>
  approvedFor(who, amount, to)
async function batch(...amounts: number[]) {
  const withdrawals = []
  for (const amount of amounts) withdrawals.push(await approved(amount))
  const { data } = await make(withdrawals.map(({ _id }) => _id))
  return { ...data, withdrawals }
}
const preview = (withdrawals: string[], query: object = {}) =>
  world.call(call.previewPayout, world.admin, {
    query: { wallet: 'USDT ERC-20', withdrawals: withdrawals.join(','), ...query },
  })

describe('creating a batch', () => {
  test('[D7] groups approved withdrawals in one coin, with sums and creator', async () => {
    const [one, two] = [await approved(100), await approved(50.5)]
    const shown = await preview([one._id, two._id])
    expect(shown.data).toMatchObject({ count: 2, amount: 150.5, amountCrypto: '150.500000', fixedNow: null })
    expect(shown.data).toMatchObject({
      sender: senders.ethereum,
      fee: { asset: 'ETH' },
      change: null,
      inputs: 0,
    })
    const made = await make([two._id, one._id])
    expect(made).toMatchObject({ status: 200, message: 'Payout batch created' })
    expect(made.data).toMatchObject({
      number: expect.stringMatching(/^PAY-\d{4}-\d{6}$/),
      wallet: 'USDT ERC-20',
      asset: 'USDT',
      status: 'drafted',
      count: 2,
      paid: 0,
      alerts: 0,
      amount: 150.5,
      amountCrypto: '150.500000',
      sender: senders.ethereum,
      createdBy: { _id: world.admin.id, name: world.admin.name },
      files: [{ version: 1, purpose: 'payment', exportedAt: null, fee: shown.data.fee }],
      payments: [{ status: 'drafted' }, { status: 'drafted' }],
    })
    expect(
      made.data.items.map(({ withdrawal, amountCrypto, state }) => [withdrawal, amountCrypto, state]),
    ).toEqual([
      [one._id, '100.000000', 'open'],
      [two._id, '50.500000', 'open'],
    ])
    const own = await world.call(listOwnWithdrawals, investor)
    expect(own.data[0]?.batch).toEqual({
      _id: made.data._id,
      number: made.data.number,
      status: 'drafted',
      shown: false,
      exclusive: true,
    })
    expect((await get(made.data._id)).data).toEqual(made.data)
  })

  test('[D7] TRON and ether have their own files', async () => {
    const tron = await approved(70, { wallet: 'USDT TRC-20', walletAddress: addresses['USDT TRC-20'] })
    const ether = await approved(70, { wallet: 'Ethereum (ETH)' })
    const [inTron, inEther] = [
      await make([tron._id], { wallet: 'USDT TRC-20' }),
      await make([ether._id], { wallet: 'Ethereum (ETH)' }),
    ]
    expect([inTron, inEther]).toMatchObject([{ status: 200 }, { status: 200 }])
    // Deposits report it too.
    expect(inEther.data.network).toBe(railOf(world.services.config, 'ethereum')?.network)
    expect(JSON.parse((await download(inTron.data._id)).body)).toMatchObject({
      format: 'probity-tron-payouts',
      transfers: [{ reference: tron.invoiceId, from: senders.usdt, amount: '70000000' }],
    })
    expect(JSON.parse((await download(inEther.data._id)).body)).toMatchObject({
      format: 'probity-ethereum-payouts',
      transactions: [
        {
          reference: ether.invoiceId,
          pays: { token: 'ETH', amount: ether.payout!.amountCrypto },
          transaction: { from: senders.ethereum, chainId: '0x7a69' },
        },
      ],
    })
  })

  test('[C-12, D7] locks the rate of withdrawals that were approved without a fresh one', async () => {
    const { data } = await ask(investor, 100, { wallet: 'Ethereum (ETH)', walletAddress: freshAddress() })
    world.clock.pass({ minutes: 6 })
    expect((await approve(data._id)).data.payout).toBeNull()
    const wallet = { wallet: 'Ethereum (ETH)' }
    expect(await make([data._id], wallet)).toMatchObject({ status: 503, code: 'rate_unavailable' })
    await world.refreshPrices()
    await looks()
    const shown = await preview([data._id], wallet)
    expect(shown.data.fixedNow).toMatchObject({ count: 1, rate: expect.any(String) })
    const made = await make([data._id], wallet)
    const { data: now } = await world.call(getWithdrawal, investor, { params: { id: data._id } })
    expect(now.payout).toMatchObject({
      amountCrypto: made.data.amountCrypto,
      rate: shown.data.fixedNow!.rate,
    })
    const { rows } = await world.owner(
      `SELECT actor_id, details FROM app.audit_log WHERE subject_id = '${data._id}' AND action = 'withdrawal.rate_locked'`,
    )
    expect(rows).toEqual([
      {
        actor_id: world.admin.id,
        details: {
          pays: `${made.data.amountCrypto} ETH`,
          rate: now.payout!.rate,
          rateSource: now.payout!.rateSource,
          batch: made.data.number,
        },
      },
    ])
  })

  test('[B-06] the same key creates one batch', async () => {
    const { _id: id } = await approved()
    const [first, again] = [
      await make([id], {}, world.admin, 'one'),
      await make([id], {}, world.admin, 'one'),
    ]
    expect(again.data).toEqual(first.data)
    const list = await world.call(call.listPayouts, world.admin, { query: { q: first.data.number } })
    expect(list.data).toHaveLength(1)
  })

  test('[S-04] refuses withdrawals that it cannot pay, and changes nothing', async () => {
    const one = await approved()
    const pending = (await ask(investor, 10, { wallet: 'USDT ERC-20', walletAddress: one.walletAddress }))
      .data
    const paid = await approved(10)
    await pay(paid._id, world.secondAdmin, `0x${'ab'.repeat(32)}`)
    const twin = await approved(10, { walletAddress: one.walletAddress })
    const ether = await approved(10, { wallet: 'Ethereum (ETH)' })
    await world.fund(world.admin, 100_000n, world.secondAdmin)
    const own = (await ask(world.admin, 10, { wallet: 'USDT ERC-20', walletAddress: ether.walletAddress }))
      .data
    await approve(own._id, world.secondAdmin)
    const taken = await batch(10)
    const refusals = [
      [
        [pending._id],
        'wrong_state',
        `${pending.invoiceId} is still pending. Only approved withdrawals can be paid out.`,
      ],
      [
        [paid._id],
        'wrong_state',
        `${paid.invoiceId} is already paid. Only approved withdrawals can be paid out.`,
      ],
      [
        [one._id, twin._id],
        'wrong_state',
        `Two of these withdrawals go to ${one.walletAddress}. A batch can pay an address only once: put one of them into another batch.`,
      ],
      [[ether._id], 'wrong_state', `${ether.invoiceId} is paid in Ethereum (ETH), not in USDT ERC-20.`],
      [[own._id], 'own_request', 'This withdrawal is your own. Another admin must decide about it.'],
      [
        [taken.withdrawals[0]!._id],
        'wrong_state',
        `${taken.withdrawals[0]!.invoiceId} is already in batch ${taken.number}.`,
      ],
      [[crypto.randomUUID()], 'not_found', 'There is no such withdrawal'],
    ] as const
    await unchanged(async () => {
      for (const [ids, code, message] of refusals) {
        expect(await make(ids), message).toMatchObject({ code, message })
        expect(await preview([...ids]), message).toMatchObject({ code, message })
      }
    })
  })

  test('[S-04] refuses our own payout address, at approval and in a batch', async () => {
    const one = await approved()
    const walletAddress = one.walletAddress
    const { data: waiting } = await ask(investor, 10, { wallet: 'USDT ERC-20', walletAddress })
    // Configured after both were requested; from then on the address cannot be entered.
    const { rails } = world.services.config
    const ethereum = { ...rails.ethereum, payoutAddress: walletAddress.toUpperCase().replace('0X', '0x') }
    const config = { ...world.services.config, rails: { ...rails, ethereum } }
    const app = await listeningApp({ ...world.services, config })
    const refusal = async (definition: CallDefinition, url: string, body?: object) => {
      const headers = { authorization: `Bearer ${world.tokenOf(world.admin)}` }
      const answer = await app.inject({ method: definition.method, url, headers, ...(body && { body }) })
      return [answer.statusCode, answer.json().message]
    }
    const withdrawals = [one._id]
    const query = { wallet: 'USDT ERC-20', withdrawals: one._id } as const
    const inBatch = `No batch can pay ${one.invoiceId}. This is our own payout address; a payout to it would have no effect. Leave it out: decline it on its page, or pay it manually from another wallet.`
    await unchanged(async () => {
      const toApprove = addressOf(approveWithdrawal, { params: { id: waiting._id } })
      expect(await refusal(approveWithdrawal, toApprove)).toEqual([
        409,
        'This is our own payout address; a payout to it would have no effect. Decline this withdrawal and give the investor the reason.',
      ])
      const toMake = { wallet: 'USDT ERC-20', withdrawals }
      expect(await refusal(call.newPayout, addressOf(call.newPayout, {}), toMake)).toEqual([409, inBatch])
      expect(await refusal(call.previewPayout, addressOf(call.previewPayout, { query }))).toEqual([
        409,
        inBatch,
      ])
    })
  })

  test('[S-04] refuses no withdrawal, one twice, and too many', async () => {
    const { _id: id } = await approved()
    await unchanged(async () => {
      expect((await make([])).fields).toEqual({ withdrawals: 'Choose the withdrawals to pay' })
      expect((await make([id, id])).fields).toEqual({ withdrawals: 'You chose a withdrawal twice' })
      const many = Array.from({ length: 51 }, () => crypto.randomUUID())
      expect((await make(many)).fields).toEqual({ withdrawals: 'A batch can pay at most 50 withdrawals' })
      expect((await preview(many)).fields).toEqual({ withdrawals: 'A batch can pay at most 50 withdrawals' })
    })
  })

  test('[S-04] refuses a frozen account', async () => {
    const { _id: id } = await approved()
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Asked for' } })
    await unchanged(async () => expect((await make([id])).code).toBe('account_frozen'))
    const ready = await world.call(call.readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })
    expect(ready.data.withdrawals.find(({ _id }) => _id === id)?.frozen).toBe(true)
  })

  test('[S-04, N-03] pays nobody whose name may be on a list, until that is decided', async () => {
    const fresh = await openWorld({ ...payingRails, rateLimit: false })
    const [asked, made] = [withdrawalsIn(() => fresh), payoutsIn(() => fresh)]
    await made.tip(1_000)
    const owner = await fresh.person('Ali Khorashadizadeh')
    await fresh.fund(owner, 100_000n)
    const erc20 = { wallet: 'USDT ERC-20', walletAddress: `0x${'1'.repeat(40)}` }
    const [first, second] = [await asked.ask(owner, 100, erc20), await asked.ask(owner, 50, erc20)]
    await asked.approve(first.data._id)
    await asked.approve(second.data._id)
    const { data: batch } = await made.make([first.data._id])
    await importSdn(fresh, [{ uid: 1, first: 'Ali', last: 'KHORASHADIZADEH' }])
    const ready = await fresh.call(call.readyForPayout, fresh.admin, { query: { wallet: 'USDT ERC-20' } })
    expect(ready.data.withdrawals).toMatchObject([{ _id: second.data._id, nameStopped: true }])
    const before = await fresh.state()
    expect(await made.make([second.data._id])).toMatchObject({
      status: 409,
      reason: 'owner_stopped',
      message: expect.stringMatching(/must decide the match first\. Or leave it out\.$/),
    })
    expect((await made.download(batch._id)).json()).toMatchObject({ reason: 'payee_stopped' })
    expect(await fresh.state()).toEqual(before)
    const { data: matches } = await fresh.call(listMatches, fresh.admin, { query: {} })
    const body = { decision: 'different', reason: 'Born in another year' } as const
    await fresh.call(decideMatch, fresh.admin, { params: { id: matches[0]!._id }, body })
    expect((await made.download(batch._id)).statusCode).toBe(200)
    expect((await made.make([second.data._id])).status).toBe(200)
  })

  test('asks about all owners at once, however many withdrawals it pays', async () => {
    const owners = [investor, await world.person('Olga Other'), await world.person('Otto Other')]
    for (const owner of owners.slice(1)) await world.fund(owner, 100_000n)
    const ids: string[] = []
    for (const owner of owners) ids.push((await approved(10, {}, owner))._id)
    const { pool } = world.services
    const toPreview = async (given: string[]) =>
      (await statementsIn(pool, async () => expect((await preview(given)).status).toBe(200))).length
    expect(await toPreview(ids)).toBe(await toPreview(ids.slice(0, 1)))
    const [one, two] = [await make(ids.slice(0, 1)), await make(ids.slice(1))]
    const toDownload = async ({ data }: typeof one) =>
      (await statementsIn(pool, async () => expect((await download(data._id)).statusCode).toBe(200))).length
    expect(await toDownload(two)).toBe(await toDownload(one))
  })

  test('[S-04] offers the coin that has waited longest by default', async () => {
    const fresh = await openWorld({ ...payingRails, rateLimit: false })
    const [asked, made] = [withdrawalsIn(() => fresh), payoutsIn(() => fresh)]
    const ready = async () => (await fresh.call(call.readyForPayout, fresh.admin, { query: {} })).data
    expect(await ready()).toMatchObject({ wallet: 'Ethereum (ETH)', withdrawals: [] })
    await made.tip(1_000)
    const owner = await fresh.person('Ines Investor')
    await fresh.fund(owner, 100_000n)
    const erc20 = { wallet: 'USDT ERC-20', walletAddress: `0x${'1'.repeat(40)}` }
    const trc20 = { wallet: 'USDT TRC-20', walletAddress: addresses['USDT TRC-20'] }
    // No batch can be created for bitcoin here.
    const oldest = await asked.ask(owner, 100)
    await asked.approve(oldest.data._id)
    expect(await ready()).toMatchObject({ wallet: 'Bitcoin (BTC)', withdrawals: [{ _id: oldest.data._id }] })
    const [first, second] = [await asked.ask(owner, 100, erc20), await asked.ask(owner, 100, trc20)]
    await asked.approve(first.data._id)
    await asked.approve(second.data._id)
    expect(await ready()).toMatchObject({ wallet: 'USDT ERC-20', withdrawals: [{ _id: first.data._id }] })
    expect((await made.make([first.data._id])).status).toBe(200)
    expect(await ready()).toMatchObject({ wallet: 'USDT TRC-20', withdrawals: [{ _id: second.data._id }] })
  })

  test('[S-04] says why batches of a coin are unavailable, and what to do', async () => {
    const bare = await openWorld({ rateLimit: false })
    for (const wallet of ['Bitcoin (BTC)', 'Ethereum (ETH)', 'USDT TRC-20'] as const) {
      const { data } = await bare.call(call.readyForPayout, bare.admin, { query: { wallet } })
      expect(data.unavailable, wallet).toMatch(/Pay these withdrawals manually and mark each as paid\.$/)
    }
    const refused = await bare.call(call.newPayout, bare.admin, {
      body: { wallet: 'USDT TRC-20', withdrawals: [crypto.randomUUID()] },
    })
    expect(refused).toMatchObject({
      code: 'wrong_state',
      reason: 'payout_address_missing',
      message: expect.stringContaining('TRON_PAYOUT_ADDRESS'),
    })
  })

  test('[S-04] of two admins who batch the same withdrawal at once, one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [mine, shared, theirs] = [await approved(), await approved(), await approved()]
      const answers = await Promise.all([
        make([mine._id, shared._id]),
        make([shared._id, theirs._id], {}, world.secondAdmin),
      ])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)?.reason).toBe('already_in_batch')
    }
  })
})

describe('withdrawals ready for a batch', () => {
  const readyNow = async () =>
    (await world.call(call.readyForPayout, world.admin, { query: { wallet: 'USDT ERC-20' } })).data

  test('are listed by coin, the longest approved first, without those in an open batch', async () => {
    const [one, two] = [await approved(100), await approved(50)]
    const ready = async () =>
      (await readyNow()).withdrawals.filter(({ user }) => user === investor.id).map(({ _id }) => _id)
    expect(await ready()).toEqual([one._id, two._id])
    const { data } = await make([one._id])
    expect(await ready()).toEqual([two._id])
    await cancel(data._id)
    expect(await ready()).toEqual([one._id, two._id])
  })

  test('are those that a batch takes; what none takes comes after them', async () => {
    const frozen = await fundedInvestor(world)
    const blocked = await approvedFor(frozen, 100)
    const mine = await approved(100)
    const body = { reason: 'Asked for' }
    await world.call(freezeUser, world.admin, { params: { id: frozen.id }, body })
    const ids = (await readyNow()).withdrawals.map(({ _id }) => _id)
    expect(ids.indexOf(mine._id)).toBeGreaterThanOrEqual(0)
    expect(ids.indexOf(blocked._id)).toBeGreaterThan(ids.indexOf(mine._id))
    await world.call(unfreezeUser, world.admin, { params: { id: frozen.id }, body })
  })

  test("are one for each address, and none of the caller's own", async () => {
    const first = await approved(100)
    const twin = await approved(50, { walletAddress: first.walletAddress })
    await world.fund(world.admin, 100_000n, world.secondAdmin)
    const body = { wallet: 'USDT ERC-20', walletAddress: freshAddress() }
    const own = (await ask(world.admin, 10, body)).data
    await approve(own._id, world.secondAdmin)
    const last = await approved(20)
    const mine = [first, twin, own, last].map(({ _id }) => _id)
    const ids = (await readyNow()).withdrawals.map(({ _id }) => _id)
    expect(ids.filter(id => mine.includes(id))).toEqual([first, last, twin, own].map(({ _id }) => _id))
  })

  test('are never more than a batch takes', async () => {
    const { most } = await readyNow()
    for (let n = 0; n <= most; n += 1) await approved(20)
    const { withdrawals, more } = await readyNow()
    expect([withdrawals.length, more]).toEqual([most, true])
    expect(await make(withdrawals.map(({ _id }) => _id))).toMatchObject({ status: 200 })
  })
})

describe('the file', () => {
  test('[N-12] is the same at every download, matches its hash, and each download is logged', async () => {
    const { _id: id, files, number } = await batch(100, 20)
    const file = files[0]!
    const first = await download(id)
    await looks()
    const second = await download(id)
    expect(first.rawPayload.equals(second.rawPayload)).toBe(true)
    expect(createHash('sha256').update(first.rawPayload).digest('hex')).toBe(file.sha256)
    expect(first.rawPayload.length).toBe(file.size)
    expect(first.headers['content-disposition']).toBe(`attachment; filename="${number}.json"`)
    expect(first.headers['content-type']).toBe('application/json')
    expect((await get(id)).data.files[0]!.exportedAt).not.toBeNull()
    const { rows } = await world.owner(
      `SELECT actor_id, details FROM app.audit_log WHERE subject_id = '${id}' AND action = 'payout.exported'`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ actor_id: world.admin.id, details: { sha256: file.sha256 } })
    const { data: found } = await world.call(listAudit, world.admin, { query: { q: number } })
    expect(found.map(({ action, subjectName }) => [action, subjectName])).toEqual([
      ['payout.exported', number],
      ['payout.exported', number],
      ['payout.created', number],
    ])
  })

  test('cannot be downloaded once the batch is cancelled', async () => {
    const { _id: id } = await batch(100)
    await cancel(id)
    const refused = await download(id)
    expect(refused.json().message).toBe(
      'This batch has ended, and its open withdrawals are free for another one. It can no longer be downloaded.',
    )
  })
})

describe('cancelling', () => {
  test('[S-04] needs a reason; then releases the withdrawals', async () => {
    const { _id: id, withdrawals } = await batch(100)
    const { _id: withdrawal } = withdrawals[0]!
    await unchanged(async () => {
      expect((await cancel(id, world.admin, { reason: '' })).code).toBe('invalid_input')
      expect((await make([withdrawal])).code).toBe('wrong_state')
    })
    const cancelled = await cancel(id)
    expect(cancelled.data).toMatchObject({
      status: 'void',
      cancelReason: 'The device is lost',
      cancelledBy: world.admin.name,
      items: [{ state: 'released' }],
    })
    expect((await world.call(getWithdrawal, investor, { params: { id: withdrawal } })).data.batch).toBeNull()
    expect((await make([withdrawal])).status).toBe(200)
    expect(await cancel(id)).toMatchObject({
      code: 'wrong_state',
      reason: 'ended',
    })
  })

  test('[S-04] an unknown batch cannot be read, cancelled or downloaded', async () => {
    const nothing = crypto.randomUUID()
    for (const act of [get, cancel]) expect((await act(nothing)).code).toBe('not_found')
    expect((await download(nothing)).statusCode).toBe(404)
  })
})

describe('marking as paid manually', () => {
  test('[S-04] is refused while an open batch pays the withdrawal', async () => {
    const { _id: id, number, withdrawals } = await batch(100)
    const { _id: withdrawal } = withdrawals[0]!
    const transaction = `0x${crypto.randomUUID().replaceAll('-', '').padStart(64, '0')}`
    await unchanged(async () =>
      expect(await pay(withdrawal, world.secondAdmin, transaction)).toMatchObject({
        code: 'wrong_state',
        reason: 'in_open_batch',
        message: expect.stringContaining(number),
      }),
    )
    await cancel(id)
    await unchanged(async () =>
      expect((await pay(withdrawal, world.secondAdmin, transaction)).fields).toEqual({
        reason: 'A batch was to pay this withdrawal: write why it is paid by hand',
      }),
    )
    const paid = await world.call(payWithdrawal, world.secondAdmin, {
      params: { id: withdrawal },
      body: { transactionId: transaction, reason: 'The wallet chose another nonce' },
    })
    expect(paid.data.status).toBe('paid')
  })

  test('[S-04] manual payment and a new batch race: one wins', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { _id: id } = await approved()
      const transaction = `0x${crypto.randomUUID().replaceAll('-', '').padStart(64, '0')}`
      const [made, paid] = await Promise.all([make([id]), pay(id, world.secondAdmin, transaction)])
      expect([made.status, paid.status].toSorted()).toEqual([200, 409])
    }
  })
})

describe('the list', () => {
  test('[C-26] is searched by number and contents, and filtered by status', async () => {
    const { _id: id, number, withdrawals } = await batch(100)
    const found = async (query: object) =>
      (await world.call(call.listPayouts, world.admin, { query })).data.map(({ _id }) => _id)
    expect(await found({ q: number })).toEqual([id])
    expect(await found({ q: withdrawals[0]!.invoiceId })).toEqual([id])
    expect(await found({ q: withdrawals[0]!.walletAddress })).toEqual([id])
    expect(await found({ q: number, status: 'drafted' })).toEqual([id])
    expect(await found({ q: number, status: 'final' })).toEqual([])
    expect(await found({ q: number, status: 'faulty' })).toEqual([])
    const refused = await world.call(call.listPayouts, world.admin, { query: { status: 'lost' } })
    expect(refused.fields).toEqual({
      status: 'Status must be one of drafted, signed, broadcast, final, void, faulty',
    })
  })

  test('[R-07] is for staff; creating, downloading and cancelling need the right to decide', async () => {
    const { _id: id } = await batch(100)
    const auditor = await world.person('Au Ditor', 'auditor')
    expect((await get(id, auditor)).status).toBe(200)
    expect((await get(id, investor)).code).toBe('forbidden')
    expect((await cancel(id, auditor)).code).toBe('forbidden')
    expect((await download(id, auditor)).statusCode).toBe(403)
  })
})

describe('the database itself', () => {
  test('keeps a batch and its file unchanged, and a withdrawal in one open batch', async () => {
    const { _id: id, withdrawals } = await batch(100)
    const { app } = world.database
    for (const [table, change] of [
      ['app.payout_files', "content = 'x'"],
      ['app.payout_drafts', "plan = 'x'"],
      ['app.payout_batches', 'sender = NULL'],
      ['app.payout_items', 'units = 1'],
      ['app.payout_items', "address = 'x'"],
      ['app.payout_slots', 'units = 1'],
    ]) {
      await expect(app.query(`UPDATE ${table} SET ${change}`)).rejects.toThrow(/permission denied/)
    }
    await expect(app.query('DELETE FROM app.payout_items')).rejects.toThrow(/permission denied/)
    const other = await batch(10)
    await expect(
      app.query(
        `INSERT INTO app.payout_items (batch_id, position, payment, withdrawal_id, address, token, units) VALUES ($1, 9, 0, $2, 'x', 'USDT', 1)`,
        [other._id, withdrawals[0]!._id],
      ),
    ).rejects.toThrow(/payout_items_open/)
    await expect(
      world.owner(`UPDATE app.payout_files SET content = 'other' WHERE batch_id = '${id}'`),
    ).rejects.toThrow(/check constraint/)
  })

  test('[C-15] takes nothing new for a batch, and no other amount than was approved', async () => {
    const [{ _id: id }, free, pending] = [
      await batch(100),
      await approved(30),
      (await ask(investor, 30)).data,
    ]
    const other = freshAddress('USDT ERC-20')
    const item = (withdrawal: string, { units = '0', address = 'w.address' } = {}) => `
      INSERT INTO app.payout_items (batch_id, position, payment, withdrawal_id, address, token, units)
      SELECT '${id}', 9, 0, w.id, ${address}, 'USDT', coalesce(w.payout_units, w.amount_cents * 10000) + ${units}
        FROM app.withdrawals w WHERE w.id = '${withdrawal}'`
    const file = (version: number, purpose: string) => `
      INSERT INTO app.payout_files (batch_id, version, purpose, name, type, content, sha256, created_by, created_at)
      SELECT batch_id, ${version}, '${purpose}', name, type, content, sha256, created_by, created_at
        FROM app.payout_files WHERE batch_id = '${id}'`
    const draft = `
      INSERT INTO app.payout_drafts (batch_id, payment, version, plan, slots) VALUES ('${id}', 0, 1, 'x', '{x}')`
    const refuses = (statement: string, words: RegExp) =>
      expect(world.database.app.query(statement), statement).rejects.toThrow(words)
    const isOtherAmount = /does not pay its withdrawal as approved/
    await refuses(item(free._id, { units: '1' }), isOtherAmount)
    await refuses(item(free._id, { units: '-1' }), isOtherAmount)
    await refuses(item(free._id, { address: `'${other}'` }), isOtherAmount)
    await refuses(item(pending._id), isOtherAmount)
    await refuses(item(free._id), /are not its sum/)
    await refuses(
      `INSERT INTO app.payout_payments (batch_id, position) VALUES ('${id}', 9)`,
      /no more payments/,
    )
    await refuses(
      `INSERT INTO app.payout_slots (batch_id, payment, slot, version) VALUES ('${id}', 0, 'x', 1)`,
      /no draft .* uses slot x/,
    )
    await refuses(file(2, 'payment'), /check constraint/)
    await refuses(file(3, 'higher_fee'), /takes no file 3/)
    for (const [table, columns, values] of [
      ['payments', 'position, status', "9, 'final'"],
      ['items', 'position, payment, address, token, units, state', "9, 0, 'x', 'USDT', 1, 'paid'"],
      ['slots', 'payment, slot, version, held', "0, 'x', 1, false"],
      ['drafts', 'payment, version, plan, slots, transaction_id', "0, 1, 'x', '{x}', 'x'"],
    ]) {
      const insert = `INSERT INTO app.payout_${table} (batch_id, ${columns}) VALUES ('${id}', ${values})`
      await refuses(insert, /permission denied/)
    }
    await download(id)
    await refuses(item(free._id), /takes no more items/)
    await world.owner(`DELETE FROM app.payout_drafts WHERE batch_id = '${id}'`)
    await refuses(draft, /takes no more drafts/)
  })

  test('[C-15] takes no file for a batch that has ended, and no payment for one being cancelled', async () => {
    const [ended, cancelling] = [await batch(100), await batch(50)]
    const file = (id: string, purpose: string) =>
      world.database.app.query(`
        INSERT INTO app.payout_files (batch_id, version, purpose, name, type, content, sha256, created_by, created_at)
        SELECT batch_id, (SELECT max(version) + 1 FROM app.payout_files WHERE batch_id = '${id}'), '${purpose}', name, type,
               content, sha256, created_by, created_at
          FROM app.payout_files WHERE batch_id = '${id}' AND version = 1`)
    await download(cancelling._id)
    expect((await cancel(cancelling._id)).data).toMatchObject({ status: 'drafted' })
    await expect(file(cancelling._id, 'higher_fee')).rejects.toThrow(/takes no file 3 \(higher_fee\)/)
    await world.owner(
      `UPDATE app.payout_batches SET status = 'void', ended_at = now() WHERE id = '${ended._id}'`,
    )
    await expect(file(ended._id, 'cancellation')).rejects.toThrow(/takes no file 2 \(cancellation\)/)
  })
})
