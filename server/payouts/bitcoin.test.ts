import { bytesToHex } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressAt, addressOfScript } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import { addressOf } from '#shared/call-address.ts'
import { freezeUser } from '#shared/contract/console.ts'
import * as call from '#shared/contract/payouts.ts'
import {
  bitcoinOutput,
  bitcoinTransaction,
  payeeAddress,
  payingAccount,
  payingBitcoinRails,
} from '#test/support/bitcoin-payouts.ts'
import { finalPsbt, signPsbt } from '#test/support/bitcoin-wallet.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { testRoot, tpub } from '#test/support/watched.ts'
import { bitcoinAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { broadcastSigned } from './broadcast.ts'

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
    `INSERT INTO app.chain_spends (rail, slot, transaction_id, seen_at, block_height)
     SELECT 'bitcoin', transaction_id || ':' || position, 'gone', now(), 1 FROM app.chain_transfers
      WHERE rail = 'bitcoin' ON CONFLICT DO NOTHING`,
  )
  await tip(500, 'bitcoin', 2)
})

const { ask, approve, approved: approvedFor, decline } = withdrawalsIn(() => world)
const { make, get, cancel, tip, uses, shows, drops, assess, raiseFee, sign, unchanged } = payoutsIn(
  () => world,
)
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
const slotsOf = ({ payments }: call.PayoutDetail) => payments[0]!.slots.map(({ slot }) => slot)
const unitsOf = (text: string) => BigInt(text.replace('.', ''))
const psbtOf = async (id: string, version?: number) => {
  const query = version === undefined ? {} : { version: `${version}` }
  const url = addressOf(call.payoutFile, { params: { id }, query })
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
      `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, used_at, created_at)
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
      data: { files: [{ change: { address: addressAt(payingAccount, 1, rows[0].next + 1) } }] },
    })
  })

  test('[K-03] is a PSBT of confirmed outputs with change to a fresh, watched address', async () => {
    const outpoint = await received(1_000_000n)
    const one = await approved()
    const shown = await world.call(call.previewPayout, world.admin, {
      query: { wallet: 'Bitcoin (BTC)', withdrawals: one._id, feeRate: '5' },
    })
    const { data } = await make([one._id], bitcoin)
    const [file] = data.files
    expect(file).toMatchObject({ version: 1, fee: shown.data.fee, change: shown.data.change })
    expect(data.payments[0]!.slots).toEqual([{ slot: outpoint, amountCrypto: '0.01000000' }])
    const [paid, fee, change] = [data.amountCrypto, file!.fee!.amountCrypto, file!.change!.amountCrypto].map(
      unitsOf,
    )
    expect(paid! + fee! + change!).toBe(1_000_000n)
    const transaction = await psbtOf(data._id)
    expect([transaction.inputsLength, transaction.outputsLength]).toEqual([1, 2])
    expect(transaction.getOutput(0).amount).toBe(paid)
    const { rows } = await world.owner(
      `SELECT address FROM app.payment_addresses WHERE branch = 1 AND address = '${file!.change!.address}'`,
    )
    expect(rows).toHaveLength(1)
  })

  test('[S-04] spends only confirmed, unspent, unreserved outputs; cancelling releases them', async () => {
    const young = await received(1_000_000n, 500)
    await received(900_000n, null)
    const spent = await received(800_000n)
    await uses(spent, { rail: 'bitcoin', transactionId: newId() })
    const [one, two] = [await approved(), await approved()]
    await unchanged(async () =>
      expect(await make([one._id], bitcoin)).toMatchObject({
        status: 409,
        reason: 'insufficient_outputs',
      }),
    )
    await tip(501, 'bitcoin', 2)
    const first = await make([one._id], bitcoin)
    expect(slotsOf(first.data)).toEqual([young])
    expect((await make([two._id], bitcoin)).status).toBe(409)
    await cancel(first.data._id)
    expect(slotsOf((await make([two._id], bitcoin)).data)).toEqual([young])
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

describe('its transaction', () => {
  /** A batch of two withdrawals, which one transaction pays. */
  async function batch() {
    await received(1_000_000n)
    const withdrawals = [await approved(), await approved()]
    const { data } = await make(
      withdrawals.map(({ _id }) => _id),
      bitcoin,
    )
    return { ...data, withdrawals }
  }
  const detail = async (id: string) => (await get(id)).data

  test('[K-03] is recognised by what it spends, also after a fee bump under another id', async () => {
    const made = await batch()
    const [first, bumped] = [newId(), newId()]
    await shows(made, { transactionId: first })
    await assess('bitcoin')
    expect(await detail(made._id)).toMatchObject({
      status: 'broadcast',
      items: [{ transactionId: first }, {}],
    })
    await drops(first)
    await shows(made, { transactionId: bumped, block: 490 })
    expect(await assess('bitcoin')).toBe(2)
    expect(await detail(made._id)).toMatchObject({ status: 'final', paid: 2, payments: [{ usedBy: bumped }] })
  })

  test('[S-04] that pays one withdrawal otherwise frees that one, and pays the other', async () => {
    const made = await batch()
    const transactionId = newId()
    const [one, two] = made.items
    await shows({ ...made, items: [one!] }, { transactionId, block: 490 })
    await shows({ ...made, items: [two!] }, { transactionId, block: 490, units: 1n })
    expect(await assess('bitcoin')).toBe(1)
    expect(await detail(made._id)).toMatchObject({
      status: 'final',
      paid: 1,
      alerts: 1,
      items: [{ state: 'paid' }, { state: 'released', alert: { kind: 'otherwise', transactionId } }],
    })
    await received(2_000_000n)
    expect((await make([two!.withdrawal], bitcoin)).reason).toBe('unreviewed_alert')
  })

  test('[S-04] a mempool shows at once that it pays otherwise', async () => {
    const made = await batch()
    await shows(made, { transactionId: newId(), units: 1n })
    await assess('bitcoin')
    expect((await detail(made._id)).alerts).toBe(2)
  })

  test('[K-03] that a reorg leaves unconfirmed raises an alert only for what it paid', async () => {
    await received(1_000_000n)
    const frozen = await world.person('Fay Frozen')
    await world.fund(frozen, 1_000_000n)
    const other = await approvedFor(frozen, 100, {
      wallet: 'Bitcoin (BTC)',
      walletAddress: payeeAddress(next()),
    })
    const { data: made } = await make([(await approved())._id, other._id], bitcoin)
    await world.call(freezeUser, world.admin, { params: { id: frozen.id }, body: { reason: 'Asked for' } })
    const transactionId = newId()
    await shows(made, { transactionId, block: 490 })
    expect(await assess('bitcoin')).toBe(1)
    await shows(made, { transactionId })
    await assess('bitcoin')
    const { status, items } = await detail(made._id)
    expect(status).toBe('broadcast')
    expect(items.map(({ state, alert }) => [state, alert?.kind]).toSorted()).toEqual([
      ['open', undefined],
      ['paid', 'dropped'],
    ])
    await shows(made, { transactionId, block: 495 })
    await assess('bitcoin')
    expect(await detail(made._id)).toMatchObject({ alerts: 0 })
  })

  test('[S-04] is accepted as the PSBT that the wallet signed, or as the finished transaction', async () => {
    const [one, two] = [await batch(), await batch()]
    const signed = signPsbt((await psbtOf(one._id)).toPSBT(), testRoot)
    const given = Buffer.from(signed.toPSBT()).toString('base64')
    expect((await sign(one._id, given)).data).toMatchObject({
      status: 'signed',
      payments: [{ signed: [{ transactionId: signed.id, signatures: null }] }],
    })
    const finished = finalPsbt((await psbtOf(two._id)).toPSBT(), testRoot)
    expect((await sign(two._id, finished.hex)).data.status).toBe('signed')
    await unchanged(async () =>
      expect(await sign(two._id, given)).toMatchObject({
        status: 409,
        fields: { signed: expect.any(String) },
      }),
    )
  })

  test('[S-04] can be replaced by one with a higher fee that spends and pays the same', async () => {
    const made = await batch()
    await psbtOf(made._id)
    await shows(made, { transactionId: newId() })
    await assess('bitcoin')
    const { data } = await raiseFee(made._id, { feeRate: 20 })
    expect(data.files).toMatchObject([
      { version: 1 },
      { version: 2, purpose: 'higher_fee', fee: { rate: 20 } },
    ])
    expect(slotsOf(data)).toEqual(slotsOf(made))
    const replacing = await psbtOf(made._id)
    expect([replacing.inputsLength, replacing.outputsLength]).toEqual([1, 3])
    expect(replacing.getOutput(0).amount).toBe(unitsOf(made.items[0]!.amountCrypto))
  })

  test('[S-04] of a replacement states the fee rate that it pays, above the one before', async () => {
    const made = await batch()
    await psbtOf(made._id)
    const { files } = (await raiseFee(made._id, { feeRate: 1 })).data
    const [before, after] = files.map(({ fee }) => fee!)
    expect(unitsOf(after!.amountCrypto)).toBeGreaterThan(unitsOf(before!.amountCrypto))
    expect(after!.rate).toBeGreaterThan(before!.rate!)
  })

  test('[S-04] an output that a higher fee added decides nothing: the first file stays valid', async () => {
    const withdrawals = [await approved(), await approved()]
    const ids = withdrawals.map(({ _id }) => _id)
    const due = withdrawals.reduce((sum, { payout }) => sum + unitsOf(payout!.amountCrypto), 0n)
    const outpoint = await received(due + 3_000n)
    const made = (await make(ids, bitcoin)).data
    expect(slotsOf(made)).toEqual([outpoint])
    await psbtOf(made._id)
    const added = await received(500_000n)
    const { data } = await raiseFee(made._id, { feeRate: 40 })
    expect(slotsOf(data)).toEqual([outpoint, added].toSorted())
    const first = finalPsbt((await psbtOf(made._id, 1)).toPSBT(), testRoot)
    const second = finalPsbt((await psbtOf(made._id)).toPSBT(), testRoot)
    for (const { hex } of [first, second]) await sign(made._id, hex)
    await uses(added, { rail: 'bitcoin', transactionId: newId(), block: 400 })
    const given: string[] = []
    await broadcastSigned(world.services, 'bitcoin', {
      broadcast: async raw => {
        given.push(Transaction.fromRaw(raw, { allowUnknownOutputs: true }).id)
        return { refused: null }
      },
    })
    expect(given).toEqual([first.id])
    expect(await assess('bitcoin')).toBe(0)
    expect(await detail(made._id)).toMatchObject({ status: 'broadcast', alerts: 0 })
    expect((await make(ids, bitcoin)).reason).toBe('already_in_batch')
    const another = await received(400_000n)
    expect((await raiseFee(made._id, { feeRate: 60 })).status).toBe(200)
    const spent = await psbtOf(made._id)
    const inputs = Array.from({ length: spent.inputsLength }, (_, at) => spent.getInput(at))
    expect(inputs.map(({ txid, index }) => `${bytesToHex(txid!)}:${index}`).toSorted()).toEqual(
      [outpoint, another].toSorted(),
    )
    await shows(made, { transactionId: newId(), block: 490 })
    expect(await assess('bitcoin')).toBe(2)
  })

  test('[S-04] can be replaced by one that pays nobody, after which all is free again', async () => {
    const made = await batch()
    await psbtOf(made._id)
    const ids = made.withdrawals.map(({ _id }) => _id)
    expect((await cancel(made._id)).fields).toHaveProperty('feeRate')
    const { data } = await cancel(made._id, world.admin, { feeRate: 6 })
    expect(data).toMatchObject({ status: 'drafted', files: [{}, { purpose: 'cancellation' }] })
    expect((await psbtOf(made._id)).outputsLength).toBe(1)
    await received(2_000_000n)
    expect((await make(ids, bitcoin)).reason).toBe('already_in_batch')
    await shows(made, { transactionId: newId(), block: 490, units: 0n })
    await assess('bitcoin')
    expect(await detail(made._id)).toMatchObject({ status: 'void', alerts: 0 })
    expect((await make(ids, bitcoin)).status).toBe(200)
  })
})
