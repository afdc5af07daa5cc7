import { Transaction } from '@scure/btc-signer'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressAt, addressOfScript } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { addressOf } from '#shared/call-address.ts'
import * as call from '#shared/contract/payouts.ts'
import {
  bitcoinOutput,
  bitcoinTransaction,
  payeeAddress,
  payingAccount,
  payingBitcoinRails,
} from '#test/support/bitcoin-payouts.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { tpub } from '#test/support/watched.ts'
import { bitcoinAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
let number = 0
const next = () => {
  number += 1
  return number
}
beforeAll(async () => {
  world = await openWorld({ rails: payingBitcoinRails(), rateLimit: false })
  investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000_000n)
})
// Each test has its own outputs and the same tip; outputs of other tests are spent.
beforeEach(async () => {
  await world.owner(
    "UPDATE app.chain_transfers SET spent_by = 'gone', spent_height = 1 WHERE spent_by IS NULL",
  )
  await tip(500, 'bitcoin', 2)
})

const { ask, approve, approved: approvedFor, decline } = withdrawalsIn(() => world)
const { make, get, cancel, tip, looks, sees, drops, assess, unchanged } = payoutsIn(() => world)
const bitcoin = { wallet: 'Bitcoin (BTC)', feeRate: 5 }
/** A transaction id that no other test uses, in any order of tests. */
const newId = () => bitcoinTransaction(next())

/**
 * An output of the firm at a receiving address of its own.
 * @returns its outpoint
 */
const received = (units: bigint, block: number | null = 400) =>
  bitcoinOutput(world, { owner: investor, index: next(), transactionId: newId(), units, block })
const approved = (amount = 100, walletAddress = payeeAddress(next())) =>
  approvedFor(investor, amount, { wallet: 'Bitcoin (BTC)', walletAddress })
const unitsOf = (text: string) => BigInt(text.replace('.', ''))
const fileOf = async (id: string) => {
  const url = addressOf(call.payoutFile, { params: { id } })
  const { rawPayload } = await world.app.inject({
    url,
    headers: { authorization: `Bearer ${world.tokenOf(world.admin)}` },
  })
  return Transaction.fromPSBT(rawPayload)
}

describe('a batch of Bitcoin', () => {
  test('[K-03] takes another change address if the wallet has just used its own', async () => {
    await received(1_000_000n)
    const one = await approved()
    const { rows } = await world.owner(
      'SELECT coalesce(max(address_index) + 1, 0) AS next FROM app.payment_addresses WHERE branch = 1',
    )
    const used = addressAt(payingAccount, 1, rows[0].next)
    const watcher = await world.database.owner.connect()
    await watcher.query('BEGIN')
    await watcher.query(
      `INSERT INTO app.payment_addresses (account, branch, address_index, method, address, used_at, created_at)
       VALUES ('${payingAccount.name}', 1, ${rows[0].next}, 'bitcoin', '${used}', now(), now())`,
    )
    const made = make([one._id], bitcoin)
    await until(async () => {
      const waiting = await world.owner(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return waiting.rowCount === 1
    })
    await watcher.query('COMMIT')
    watcher.release()
    expect(await made).toMatchObject({
      status: 200,
      data: { change: { address: addressAt(payingAccount, 1, rows[0].next + 1) } },
    })
  })

  test('[K-03] is a PSBT of confirmed outputs with change to a fresh, watched address', async () => {
    const outpoint = await received(1_000_000n)
    const one = await approved()
    const shown = await world.call(call.previewPayout, world.admin, {
      query: { wallet: 'Bitcoin (BTC)', withdrawals: one._id, feeRate: '5' },
    })
    const { data } = await make([one._id], bitcoin)
    expect(data).toMatchObject({ sender: null, fee: shown.data.fee, change: shown.data.change })
    expect(data.inputs).toEqual([{ outpoint, amountCrypto: '0.01000000' }])
    const [paid, fee, change] = [data.amountCrypto, data.fee!.amountCrypto, data.change!.amountCrypto].map(
      unitsOf,
    )
    expect(paid! + fee! + change!).toBe(1_000_000n)
    const transaction = await fileOf(data._id)
    expect([transaction.inputsLength, transaction.outputsLength]).toEqual([1, 2])
    expect(transaction.getOutput(0).amount).toBe(paid)
    const { rows } = await world.owner(
      `SELECT address FROM app.payment_addresses WHERE branch = 1 AND address = '${data.change!.address}'`,
    )
    expect(rows).toHaveLength(1)
  })

  test('[S-04] spends only confirmed, unspent, unreserved outputs; cancelling releases them', async () => {
    const young = await received(1_000_000n, 500)
    await received(900_000n, null)
    const spent = await received(800_000n)
    await world.owner(
      `UPDATE app.chain_transfers SET spent_by = 'x' WHERE transaction_id = '${spent.split(':')[0]}'`,
    )
    const [one, two] = [await approved(), await approved()]
    await unchanged(async () =>
      expect(await make([one._id], bitcoin)).toMatchObject({
        status: 409,
        reason: 'insufficient_outputs',
      }),
    )
    await tip(501, 'bitcoin', 2)
    const first = await make([one._id], bitcoin)
    expect(first.data.inputs.map(({ outpoint }) => outpoint)).toEqual([young])
    expect((await make([two._id], bitcoin)).status).toBe(409)
    await cancel(first.data._id)
    expect((await make([two._id], bitcoin)).data.inputs.map(({ outpoint }) => outpoint)).toEqual([young])
  })

  test('[S-04] two concurrent batches never share outputs', async () => {
    await received(1_000_000n)
    const [one, two] = [await approved(), await approved()]
    const answers = await Promise.all([make([one._id], bitcoin), make([two._id], bitcoin, world.secondAdmin)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('[S-04] a fee above a twentieth of the amount must be accepted', async () => {
    await received(1_000_000n)
    const { _id: id, payout } = await approved()
    const at = async (feeRate: number) => {
      const query = { wallet: 'Bitcoin (BTC)', withdrawals: id, feeRate: String(feeRate) } as const
      return (await world.call(call.previewPayout, world.admin, { query })).data
    }
    const paid = unitsOf(payout!.amountCrypto)
    expect((await at(5)).highFee).toBeNull()
    const { fee, highFee } = await at(500)
    const units = unitsOf(fee!.amountCrypto)
    expect(Number(highFee)).toBeCloseTo((100 * Number(units)) / Number(paid), 0)
    const dear = { ...bitcoin, feeRate: 500 }
    await unchanged(async () => {
      expect(await make([id], dear)).toMatchObject({
        status: 409,
        code: 'wrong_state',
        reason: 'high_fee',
        message: expect.stringContaining(`${fee!.amountCrypto} BTC is ${highFee} %`),
      })
      const less = `0.${String(units - 1n).padStart(8, '0')}`
      expect((await make([id], { ...dear, acceptedFee: less })).reason).toBe('fee_increased')
      for (const acceptedFee of [true, 'all', '-1', '0', 1]) {
        expect((await make([id], { ...dear, acceptedFee })).fields).toHaveProperty('acceptedFee')
      }
    })
    const [key, accepted] = [crypto.randomUUID(), { ...dear, acceptedFee: fee!.amountCrypto }]
    const made = await make([id], accepted, world.admin, key)
    expect((await make([id], accepted, world.admin, key)).data._id).toBe(made.data._id)
    const { rows } = await world.owner(
      `SELECT details FROM app.audit_log WHERE subject_id = '${made.data._id}' AND action = 'payout.created'`,
    )
    expect(rows[0].details).toMatchObject({ acceptedFee: `${highFee} % of what is paid` })
    await cancel(made.data._id)
    // The highest fee that needs no acceptance.
    await world.owner(`UPDATE app.chain_transfers SET units = 100000000 WHERE units = 1000000`)
    const many = await approved(1_500)
    expect((await make([many._id], { ...bitcoin, feeRate: 500 })).status).toBe(200)
  })

  test('[S-04] needs a fee rate that is a whole number within the limits', async () => {
    await received(10_000_000n)
    const { _id: id } = await approved()
    await unchanged(async () => {
      for (const feeRate of [0, 501, 1.5, 'much', '5', '0x10', true, [5], null]) {
        const { fields } = await make([id], { ...bitcoin, feeRate })
        expect(fields, JSON.stringify(feeRate)).toHaveProperty('feeRate')
      }
      for (const feeRate of ['', '0', '501', '1.5', '0x10', '1e2', ' 5', '+5', 'true']) {
        const query = { wallet: 'Bitcoin (BTC)', withdrawals: id, feeRate } as const
        const { fields } = await world.call(call.previewPayout, world.admin, { query })
        expect(fields, feeRate).toHaveProperty('feeRate')
      }
      expect((await make([id], { ...bitcoin, feeRate: undefined })).fields).toEqual({
        feeRate: 'Enter the fee rate in satoshi per virtual byte',
      })
    })
  })
})

describe('unpayable withdrawals', () => {
  // No point of the curve has this x (BIP-340, the test vectors' fifth public key).
  const noPoint = 'eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34'
  const unkeyed = addressOfScript(Buffer.from(`5120${noPoint}`, 'hex'), bitcoinNetworks.regtest)
  const refusals = [
    [
      'an address of another network',
      100,
      bitcoinAddress,
      /^bc1\S+ is not an address of Bitcoin regtest\. Decline this withdrawal/,
    ],
    ['an address without a possible key', 100, unkeyed, /^No key can exist for bcrt1\S+\. Decline/],
    ['dust', 0.01, undefined, /is too small: the network relays 0\.\d+ BTC or more\. Decline/],
  ] as const
  test.each(refusals)(
    '[S-04] %s is refused at approval and can be declined',
    async (_, amount, to, message) => {
      const walletAddress = to ?? payeeAddress(next())
      const { data } = await ask(investor, amount, { wallet: 'Bitcoin (BTC)', walletAddress })
      await unchanged(async () =>
        expect(await approve(data._id)).toMatchObject({
          status: 409,
          code: 'wrong_state',
          reason: 'unpayable',
          message: expect.stringMatching(message),
        }),
      )
      expect((await decline(data._id)).data.status).toBe('declined')
    },
  )

  test('[S-04] is refused with the last of two approvals, also without a fresh rate', async () => {
    const { data } = await ask(investor, 20_000, { wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress })
    expect((await approve(data._id)).status).toBe(200)
    world.clock.pass({ minutes: 6 })
    expect((await approve(data._id, world.secondAdmin)).reason).toBe('unpayable')
    await world.refreshPrices()
    expect((await decline(data._id)).data.status).toBe('declined')
  })

  test('is approved if batches of the coin are unavailable: staff pay it manually', async () => {
    const { rails } = world.services.config
    const unwatched = await openWorld({ rails: { ...rails, bitcoin: { ...rails.bitcoin, backend: null } } })
    const person = await unwatched.person('Pia Paid')
    await unwatched.fund(person, 100_000n)
    const byHand = withdrawalsIn(() => unwatched)
    const { data } = await byHand.ask(person, 100)
    expect((await byHand.approve(data._id)).data.status).toBe('approved')
  })
})

test('[S-04] batches need an extended public key with its origin, or no device would sign', async () => {
  const { rails } = world.services.config
  const without = await openWorld({ rails: { ...rails, bitcoin: { ...rails.bitcoin, xpub: tpub } } })
  const { data } = await without.call(call.readyForPayout, without.admin, {
    query: { wallet: 'Bitcoin (BTC)' },
  })
  expect(data.unavailable).toMatch(/^BITCOIN_XPUB has no origin/)
})

describe('after a batch was downloaded and cancelled', () => {
  test('[S-04] only a transaction that conflicts with the first one pays its withdrawals', async () => {
    const small = await received(400_000n)
    const one = await approved()
    const first = (await make([one._id], bitcoin)).data
    await fileOf(first._id)
    await looks('bitcoin')
    expect((await cancel(first._id)).status).toBe(200)
    await received(5_000_000n)
    const again = (await make([one._id], bitcoin)).data
    expect(again.inputs.map(({ outpoint }) => outpoint)).toContain(small)
    expect((await fileOf(again._id)).inputsLength).toBe(again.inputs.length)
    await looks('bitcoin')
    await cancel(again._id)

    const other = await approved()
    const between = (await make([other._id], bitcoin)).data
    await world.owner(`UPDATE app.payout_inputs SET reserved = true WHERE batch_id = '${first._id}'`)
    await unchanged(async () => expect((await make([one._id], bitcoin)).reason).toBe('no_shared_output'))
    await world.owner(`UPDATE app.payout_inputs SET reserved = false WHERE batch_id = '${first._id}'`)
    expect(between.status).toBe('open')
    await world.owner(
      `UPDATE app.chain_transfers SET spent_by = '${newId()}', spent_height = 400 WHERE transaction_id = '${small.split(':')[0]}'`,
    )
    await received(6_000_000n)
    expect((await make([one._id], bitcoin)).status).toBe(200)
  })
})

describe('after a batch was downloaded and cancelled, and is sent after all', () => {
  test('[S-04] the alert of a dropped transaction stays until a conflicting one is confirmed', async () => {
    const outpoint = await received(1_000_000n)
    const one = await approved()
    const first = (await make([one._id], bitcoin)).data
    await fileOf(first._id)
    await looks('bitcoin')
    await cancel(first._id)
    await world.owner(
      `UPDATE app.payout_batches SET cancelled_at = cancelled_at - interval '31 days' WHERE id = '${first._id}'`,
    )
    const transactionId = newId()
    const units = unitsOf(first.amountCrypto)
    const sent = { method: 'bitcoin', token: 'BTC', transactionId, position: 0, units } as const
    await sees({ ...sent, address: one.walletAddress, from: [outpoint] })
    await assess('bitcoin')
    await drops(transactionId)
    await assess('bitcoin')
    const alert = async () => (await get(first._id)).data.items[0]!.alert
    expect(await alert()).toMatchObject({ kind: 'paid_after_cancel', transactionId, dropped: true })
    await received(2_000_000n)
    await unchanged(async () => expect((await make([one._id], bitcoin)).reason).toBe('unreviewed_payment'))
    const other = newId()
    const spentAt = (height: number) =>
      world.owner(
        `UPDATE app.chain_transfers SET spent_by = '${other}', spent_height = ${height} WHERE transaction_id = '${outpoint.split(':')[0]}'`,
      )
    await spentAt(500)
    await assess('bitcoin')
    expect(await alert()).not.toBeNull()
    await spentAt(499)
    await assess('bitcoin')
    expect(await alert()).toBeNull()
    expect((await make([one._id], bitcoin)).status).toBe(200)
  })

  test('[S-04] the next batch, now invalid, releases what the first one did not pay', async () => {
    await received(1_000_000n)
    const [one, two] = [await approved(), await approved()]
    const first = (await make([one._id], bitcoin)).data
    await fileOf(first._id)
    await looks('bitcoin')
    await cancel(first._id)
    const second = (await make([one._id, two._id], bitcoin)).data
    const { outpoint } = first.inputs[0]!
    expect(second.inputs.map(input => input.outpoint)).toContain(outpoint)
    await fileOf(second._id)
    const transactionId = newId()
    await sees({
      method: 'bitcoin',
      token: 'BTC',
      transactionId,
      position: 0,
      address: one.walletAddress,
      units: unitsOf(first.amountCrypto),
      from: [outpoint],
      block: 400,
    })
    await world.owner(
      `UPDATE app.chain_transfers SET spent_by = '${transactionId}', spent_height = 400 WHERE transaction_id = '${outpoint.split(':')[0]}'`,
    )
    expect((await cancel(second._id)).code).toBe('wrong_state')
    expect(await assess('bitcoin')).toBe(1)
    expect((await cancel(second._id)).data.items.map(({ state }) => state).toSorted()).toEqual([
      'paid',
      'released',
    ])
    await received(2_000_000n)
    expect((await make([two._id], bitcoin)).status).toBe(200)
  })
})

describe('its transaction', () => {
  /** A batch with the transfer of its one transaction. */
  async function batch() {
    const outpoint = await received(1_000_000n)
    const withdrawal = await approved()
    const { data } = await make([withdrawal._id], bitcoin)
    const transfer = {
      method: 'bitcoin',
      token: 'BTC',
      transactionId: newId(),
      position: 0,
      address: withdrawal.walletAddress,
      units: unitsOf(data.amountCrypto),
      from: [outpoint],
    } as const
    return { id: data._id, withdrawal, outpoint, transfer }
  }
  const item = async (id: string) => (await get(id)).data.items[0]!
  const spentBy = (outpoint: string, transaction: string, height: number) =>
    world.owner(
      `UPDATE app.chain_transfers SET spent_by = '${transaction}', spent_height = ${height} WHERE transaction_id = '${outpoint.split(':')[0]}'`,
    )

  test('[K-03] is recognised by its inputs, also after a fee bump under another id', async () => {
    const { id, transfer } = await batch()
    await sees({ ...transfer, from: ['other:0'], transactionId: newId(), block: 400 })
    await unchanged(() => assess('bitcoin'))
    await sees(transfer)
    await assess('bitcoin')
    expect(await item(id)).toMatchObject({ state: 'open', transactionId: transfer.transactionId })
    const bumped = { ...transfer, transactionId: newId() }
    await drops(transfer.transactionId)
    await sees({ ...bumped, block: 490 })
    expect(await assess('bitcoin')).toBe(1)
    expect(await item(id)).toMatchObject({ state: 'paid', transactionId: bumped.transactionId })
  })

  test('with a wrong amount raises an alert', async () => {
    const { id, transfer } = await batch()
    await sees({ ...transfer, units: transfer.units - 1n, block: 490 })
    expect(await assess('bitcoin')).toBe(0)
    expect((await item(id)).alert).toMatchObject({ kind: 'wrong_amount', token: 'BTC' })
    expect((await get(id)).data.status).toBe('seen')
    expect((await cancel(id)).code).toBe('wrong_state')
  })

  test('[S-04] cannot be cancelled once seen, until a conflicting transaction is confirmed', async () => {
    const { id, transfer, outpoint } = await batch()
    await sees(transfer)
    await assess('bitcoin')
    await drops(transfer.transactionId)
    await assess('bitcoin')
    expect((await get(id)).data.status).toBe('seen')
    const refused = { code: 'wrong_state', reason: 'may_confirm' }
    expect(await cancel(id)).toMatchObject(refused)
    const other = newId()
    await spentBy(outpoint, other, 500)
    expect(await cancel(id)).toMatchObject(refused)
    await spentBy(outpoint, other, 499)
    expect((await cancel(id)).status).toBe(200)
  })
})
