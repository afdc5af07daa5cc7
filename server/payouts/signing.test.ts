import { type Hex, keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ChainError } from '#server/rails/chain.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import {
  ethereumWallet,
  freshTransaction,
  fundedInvestor,
  openPayingWorld,
  payoutsIn,
} from '#test/support/payouts.ts'
import { importSdn } from '#test/support/sanctions.ts'
import { scriptedBroadcasts } from '#test/support/scripted-broadcasts.ts'
import { tronWallet } from '#test/support/tron-grid.ts'
import type { Person, World } from '#test/support/world.ts'
import { broadcastSigned } from './broadcast.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openPayingWorld()
})
beforeEach(async () => {
  investor = await fundedInvestor(world)
})

const acts = payoutsIn(() => world)
const { sign, get, download, cancel, raiseFee, batchFor, shows, drops, assess, unchanged, signedByWallet } =
  acts

const fileOf = async (id: string) => JSON.parse((await download(id)).body)
const unsignedOf = async (id: string) => {
  const { transactions } = (await fileOf(id)) as EthereumPayoutFile
  return transactions.map(({ unsigned }) => parseTransaction(unsigned as `0x02${string}`))
}
const paymentOf = async (id: string) => (await get(id)).data.payments[0]!

describe('a signed transaction', () => {
  test('[S-04] that is the plan is stored, and makes the batch signed', async () => {
    const batch = await batchFor(investor, [100, 50])
    const [first, second] = (await signedByWallet(batch._id)).split('\n')
    expect((await sign(batch._id, first!)).data).toMatchObject({
      status: 'drafted',
      payments: [
        { status: 'signed', signed: [{ version: 1, refused: null }] },
        { status: 'drafted', signed: [] },
      ],
    })
    expect((await sign(batch._id, second!)).data.status).toBe('signed')
    const { rows } = await world.owner(
      `SELECT actor_id FROM app.audit_log WHERE subject_id = '${batch._id}' AND action = 'payout.signed'`,
    )
    expect(rows).toEqual([{ actor_id: world.admin.id }, { actor_id: world.admin.id }])
  })

  test('[S-04] of TRON is compared byte by byte', async () => {
    const batch = await batchFor(investor, [100], 'USDT TRC-20')
    const { transfers } = (await fileOf(batch._id)) as TronPayoutFile
    const signed = await tronWallet.sign(transfers[0]!.transaction)
    const tampered = { ...signed, raw_data_hex: signed.raw_data_hex.replace(/..$/, '00') }
    await unchanged(async () => {
      expect(await sign(batch._id, JSON.stringify(tampered))).toMatchObject({ reason: 'wrong_id' })
      expect(
        await sign(batch._id, JSON.stringify({ ...signed, signature: ['00'.repeat(65)] })),
      ).toMatchObject({
        reason: 'other_signer',
      })
      expect(await sign(batch._id, JSON.stringify(transfers[0]!.transaction))).toMatchObject({
        reason: 'not_readable',
      })
    })
    expect((await sign(batch._id, JSON.stringify(signed))).data).toMatchObject({
      status: 'signed',
      payments: [{ signed: [{ transactionId: signed.txID }] }],
    })
  })

  test('[S-04] that is another one is refused with what differs, and changes nothing', async () => {
    const batch = await batchFor(investor, [100])
    const [plan] = await unsignedOf(batch._id)
    const other = privateKeyToAccount(`0x${'22'.repeat(32)}`)
    const refusals = [
      [{ ...plan!, nonce: plan!.nonce! + 1 }, ethereumWallet, 'other_nonce'],
      [{ ...plan!, chainId: 1 }, ethereumWallet, 'other_chain'],
      [{ ...plan!, to: other.address }, ethereumWallet, 'other_payment'],
      [{ ...plan!, value: 1n }, ethereumWallet, 'other_payment'],
      [plan!, other, 'other_sender'],
    ] as const
    await unchanged(async () => {
      for (const [transaction, wallet, reason] of refusals) {
        const answer = await sign(batch._id, await wallet.signTransaction(transaction))
        expect(answer, reason).toMatchObject({ status: 409, reason, fields: { signed: answer.message } })
      }
    })
  })

  test('[S-04] of a file is taken when another payment of it has ended meanwhile', async () => {
    const batch = await batchFor(investor, [100, 50])
    const signed = await signedByWallet(batch._id)
    await shows(batch, { transactionId: freshTransaction(), block: 900, units: 0n })
    await assess()
    expect(await sign(batch._id, signed.split('\n')[0]!)).toMatchObject({ reason: 'payments_ended' })
    expect((await sign(batch._id, signed)).data.payments).toMatchObject([
      { status: 'void', signed: [] },
      { status: 'signed', signed: [{ version: 1 }] },
    ])
  })

  test('[S-04] of a batch that ended, or of a frozen account, is refused', async () => {
    const batch = await batchFor(investor, [100])
    const signed = await signedByWallet(batch._id)
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Asked for' } })
    expect(await sign(batch._id, signed)).toMatchObject({ reason: 'payee_frozen' })
    await world.call(unfreezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Cleared' } })
    await shows(batch, { transactionId: freshTransaction(), block: 900 })
    await assess()
    expect(await sign(batch._id, signed)).toMatchObject({ reason: 'ended' })
  })

  test('[R-07] is added by people who may decide, and never by the person who is paid', async () => {
    const batch = await batchFor(investor, [100])
    const signed = await signedByWallet(batch._id)
    const auditor = await world.person('Au Ditor', 'auditor')
    expect((await sign(batch._id, signed, auditor)).code).toBe('forbidden')
    await world.fund(world.admin, 1_000_000n, world.secondAdmin)
    expect((await sign(batch._id, signed, world.secondAdmin)).status).toBe(200)
  })
})

describe('broadcasting', () => {
  const broadcast = (chain: ReturnType<typeof scriptedBroadcasts>) =>
    broadcastSigned(world.services, 'ethereum', chain)

  test('[S-04] gives a signed transaction to the node once a minute until the network shows it', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    const { transactionId } = (await paymentOf(batch._id)).signed[0]!
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    await broadcast(chain)
    const times = () => chain.given.filter(id => id === transactionId).length
    expect(times()).toBe(1)
    expect(await paymentOf(batch._id)).toMatchObject({ status: 'broadcast', usedBy: null })
    world.clock.pass({ minutes: 2 })
    await broadcast(chain)
    expect(times()).toBe(2)
    await shows(batch, { transactionId: transactionId! })
    await assess()
    world.clock.pass({ minutes: 2 })
    await broadcast(chain)
    expect(times()).toBe(2)
  })

  test('[K-03] gives the transaction of a final payment again after a reorg dropped it', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    const transactionId = (await paymentOf(batch._id)).signed[0]!.transactionId!
    await shows(batch, { transactionId, block: 900 })
    await assess()
    await drops(transactionId)
    await assess()
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).toContain(transactionId)
    // Its nonce is not given to another payment meanwhile.
    const next = await batchFor(investor, [50])
    expect(next.payments[0]!.slots).not.toEqual(batch.payments[0]!.slots)
    expect(await paymentOf(batch._id)).toMatchObject({ status: 'final' })
  })

  test('[K-03] takes what staff sent themselves and a reorg dropped, but nothing else of it', async () => {
    const batch = await batchFor(investor, [100])
    const raw = await signedByWallet(batch._id)
    await cancel(batch._id)
    const cancelling = await signedByWallet(batch._id)
    const transactionId = keccak256(raw as Hex)
    await shows(batch, { transactionId, block: 900 })
    await assess()
    expect(await sign(batch._id, raw)).toMatchObject({ reason: 'ended' })
    await drops(transactionId)
    await assess()
    expect(await sign(batch._id, cancelling)).toMatchObject({ reason: 'payments_ended' })
    expect((await sign(batch._id, raw)).status).toBe(200)
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).toContain(transactionId)
    expect(await paymentOf(batch._id)).toMatchObject({ status: 'final', usedBy: null })
  })

  test('[K-03] never cancels a final payment that a reorg dropped', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    await cancel(batch._id)
    await sign(batch._id, await signedByWallet(batch._id))
    const [paid, cancelling] = (await paymentOf(batch._id)).signed.map(one => one.transactionId!)
    await shows(batch, { transactionId: paid!, block: 900 })
    await assess()
    await drops(paid!)
    await assess()
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).toContain(paid)
    expect(chain.given).not.toContain(cancelling)
  })

  test('[S-04] one that the node does not answer holds up no other', async () => {
    const batches = [await batchFor(investor, [100]), await batchFor(investor, [50])]
    for (const { _id } of batches) await sign(_id, await signedByWallet(_id))
    const chain = scriptedBroadcasts()
    let asked = 0
    const failing = {
      ...chain,
      broadcast: async (raw: Uint8Array) => {
        asked += 1
        if (asked === 1) throw new ChainError('the node is away')
        return chain.broadcast(raw)
      },
    }
    await expect(broadcastSigned(world.services, 'ethereum', failing)).rejects.toThrow('the node is away')
    expect(chain.given.length).toBeGreaterThan(0)
    expect(asked).toBe(chain.given.length + 1)
  })

  test('[S-04] keeps the refusal of the node, and tries again', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    await broadcast(scriptedBroadcasts('insufficient funds'))
    expect(await paymentOf(batch._id)).toMatchObject({
      status: 'signed',
      signed: [{ refused: 'insufficient funds', broadcastAt: expect.any(String) }],
    })
    world.clock.pass({ minutes: 2 })
    await broadcast(scriptedBroadcasts())
    expect(await paymentOf(batch._id)).toMatchObject({ status: 'broadcast', signed: [{ refused: null }] })
  })

  test('[S-04] waits while the account of the recipient is frozen', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason: 'Asked for' } })
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).not.toContain((await paymentOf(batch._id)).signed[0]!.transactionId)
  })

  test('[S-04] waits while the address of the recipient is on a sanctions list', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    const entry = { uid: 25308, last: 'KHORASHADIZADEH' }
    await importSdn(world, [{ ...entry, wallets: [['USDT', batch.items[0]!.address]] }])
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    const { transactionId } = (await paymentOf(batch._id)).signed[0]!
    expect(chain.given).not.toContain(transactionId)
    const other = '149w62rY42aZBox8fGcmqNsXUzSStKeq8C'
    await importSdn(world, [{ ...entry, wallets: [['XBT', other]] }], { day: '11/21/2026' })
    await broadcast(chain)
    expect(chain.given).toContain(transactionId)
  })

  test('[S-04] waits while the name of the recipient may be on a sanctions list', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    await world.owner(`UPDATE app.users SET name = 'Ali Khorashadizadeh' WHERE id = '${investor.id}'`)
    const wallets: [string, string][] = [['XBT', '149w62rY42aZBox8fGcmqNsXUzSStKeq8C']]
    const entry = { uid: 25308, first: 'Ali', last: 'KHORASHADIZADEH', wallets }
    await importSdn(world, [entry], { day: '11/22/2026' })
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).not.toContain((await paymentOf(batch._id)).signed[0]!.transactionId)
  })

  test('[S-04] ends for a payment once its batch is being cancelled', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    await cancel(batch._id)
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).not.toContain((await paymentOf(batch._id)).signed[0]!.transactionId)
  })

  test('[S-04] prefers the transaction with the higher fee, and then the one that cancels', async () => {
    const batch = await batchFor(investor, [100])
    await sign(batch._id, await signedByWallet(batch._id))
    const first = (await paymentOf(batch._id)).signed[0]!.transactionId!
    await shows(batch, { transactionId: first })
    await assess()
    const raised = await raiseFee(batch._id)
    expect(raised.data.files).toMatchObject([{ purpose: 'payment' }, { purpose: 'higher_fee', version: 2 }])
    expect(Number(raised.data.files[1]!.fee!.amountCrypto)).toBeGreaterThan(
      Number(raised.data.files[0]!.fee!.amountCrypto),
    )
    await sign(batch._id, await signedByWallet(batch._id))
    const second = (await paymentOf(batch._id)).signed[1]!.transactionId!
    const chain = scriptedBroadcasts()
    await broadcast(chain)
    expect(chain.given).toContain(second)
    expect(chain.given).not.toContain(first)
    await cancel(batch._id)
    const [nothing] = await unsignedOf(batch._id)
    expect(nothing).toMatchObject({ to: ethereumWallet.address.toLowerCase() })
    await sign(batch._id, await signedByWallet(batch._id))
    await broadcast(chain)
    const third = (await paymentOf(batch._id)).signed[2]!.transactionId!
    expect(chain.given).toContain(third)
    await shows(batch, { transactionId: third, block: 900, units: 0n })
    await assess()
    expect((await get(batch._id)).data).toMatchObject({ status: 'void', alerts: 0 })
  })
})
