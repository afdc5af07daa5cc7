import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTransaction } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { broadcastSigned } from '#server/payouts/broadcast.ts'
import { resumePayouts } from '#server/payouts/restored.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { readyForPayout } from '#shared/contract/payouts.ts'
import { newSweep } from '#shared/contract/sweeps.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { ethereumWallet, fundedInvestor, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { scriptedBroadcasts } from '#test/support/scripted-broadcasts.ts'
import { freshAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { beat, isRestored } from './beat.ts'

const installation = '3b241101-e2bb-4255-8caf-4136c566a962'

/** A database of this firm, served by one machine. */
async function opened(dataDir?: string, id = installation): Promise<World> {
  const world = await openPayingWorld(dataDir === undefined ? {} : { dataDir })
  await world.owner(`INSERT INTO app.installation (mode, id) VALUES ('demo', '${id}')`)
  return world
}

let world: World
let investor: Person
beforeEach(async () => {
  world = await opened()
  investor = await fundedInvestor(world)
})

const dataDir = () => world.services.config.dataDir
const numberOf = (invoice: string) => Number(invoice.split('-').at(-1))
const deposit = async (of: World, who: Person) => {
  const body = { method: 'usdt', amount: 150 } as const
  return numberOf((await of.call(newDeposit, who, { body })).data.invoiceId)
}
/** The same machine, and the database as it was before anything was in it. */
const restored = () => opened(dataDir())
const restores = async (of: World) => (await of.owner('SELECT * FROM app.restores')).rows

describe('a database that was restored to an earlier time', () => {
  test('[S-04] is found by the next beat, once, and every admin gets an email', async () => {
    await beat(world.services)
    await beat(world.services)
    const earlier = await restored()
    await beat(earlier.services)
    await beat(earlier.services)
    expect(await restores(earlier)).toHaveLength(1)
    const { rows } = await earlier.owner(
      `SELECT count(*)::int AS mails FROM graphile_worker._private_jobs j WHERE j.payload::text LIKE '%payouts are paused%'`,
    )
    expect(rows[0].mails).toBe(2)
  })

  test('[S-04] gives no document number a second time', async () => {
    await deposit(world, investor)
    await beat(world.services)
    // The mark does not have this one yet.
    const last = await deposit(world, investor)
    const earlier = await restored()
    await beat(earlier.services)
    expect(await deposit(earlier, await earlier.person('Eve'))).toBeGreaterThan(last)
  })

  test('[S-04, K-03] makes, shows and signs no payout file until an operator resumes', async () => {
    await beat(world.services)
    const earlier = await restored()
    const acts = payoutsIn(() => earlier)
    const batch = await acts.batchFor(await fundedInvestor(earlier), [100]).catch(() => undefined)
    expect(batch?.number).toBeUndefined()
    const { data } = await earlier.call(readyForPayout, earlier.admin, { query: { wallet: 'USDT ERC-20' } })
    expect(data.unavailable).toMatch(/restored to an earlier time/)
    await beat(earlier.services)
    const [waiting] = data.withdrawals
    expect(await acts.make([waiting!._id])).toMatchObject({ status: 409, reason: 'restored' })
    // It may be paid already: declining it would give the money back as well.
    expect(await withdrawalsIn(() => earlier).decline(waiting!._id)).toMatchObject({ reason: 'restored' })
    const eve = await fundedInvestor(earlier)
    const { data: own } = await withdrawalsIn(() => earlier).ask(eve)
    const cancelling = await earlier.call(cancelWithdrawal, eve, { params: { id: own._id } })
    expect(cancelling).toMatchObject({ status: 409, reason: 'cancelling_paused' })
    const sweep = { body: { wallet: 'Ethereum (ETH)' } } as const
    expect(await earlier.call(newSweep, earlier.admin, sweep)).toMatchObject({ reason: 'restored' })
    expect(await resumePayouts(earlier.services, 'Ann compared the wallet')).toBe(1)
    expect((await acts.make([waiting!._id])).status).toBe(200)
  })

  test('[S-04, B-06] makes a repeated request of the lost time once, and pays it after resuming', async () => {
    await beat(world.services)
    const earlier = await restored()
    const { make } = payoutsIn(() => earlier)
    const { approve } = withdrawalsIn(() => earlier)
    const eve = await fundedInvestor(earlier)
    const body = { amount: 100, wallet: 'USDT ERC-20', walletAddress: freshAddress() } as const
    const key = { idempotencyKey: crypto.randomUUID() }
    const request = () => earlier.call(newWithdrawal, eve, { body }, key)
    const [first, again] = [await request(), await request()]
    expect(again.data._id).toBe(first.data._id)
    await approve(first.data._id)
    expect(await make([first.data._id])).toMatchObject({ reason: 'restored' })
    await beat(earlier.services)
    await resumePayouts(earlier.services, 'Ann compared the wallet')
    expect((await make([first.data._id])).status).toBe(200)
  })

  test('[S-04] is found although only a payout file was downloaded since', async () => {
    const { batchFor, download } = payoutsIn(() => world)
    await beat(world.services)
    const before = readFileSync(join(dataDir(), 'database-mark.json'), 'utf8')
    const batch = await batchFor(investor, [100])
    expect((await download(batch._id)).statusCode).toBe(200)
    const after = readFileSync(join(dataDir(), 'database-mark.json'), 'utf8')
    expect(JSON.parse(after).beat).toBe(JSON.parse(before).beat + 1)
    // The database as it was at the beat before the download.
    await world.owner(`UPDATE app.machines SET beat = ${JSON.parse(before).beat}`)
    expect(await isRestored(world.services)).toBe(true)
    expect(await download(batch._id)).toMatchObject({ statusCode: 409 })
    const acts = payoutsIn(() => world)
    expect(await acts.sign(batch._id, await signedOffline(batch._id))).toMatchObject({ reason: 'restored' })
  })

  test('[S-04] neither pays nor frees what it shows as signed or not downloaded', async () => {
    const acts = payoutsIn(() => world)
    const [signed, drafted] = [await acts.batchFor(investor, [100]), await acts.batchFor(investor, [50])]
    await acts.sign(signed._id, await acts.signedByWallet(signed._id))
    await beat(world.services)
    await world.owner('UPDATE app.machines SET beat = beat - 1')
    const node = scriptedBroadcasts()
    await broadcastSigned(world.services, 'ethereum', node)
    expect(node.given).toEqual([])
    expect(await acts.raiseFee(signed._id)).toMatchObject({ reason: 'restored' })
    // Somebody may have downloaded its file in the lost time: the network decides.
    expect((await acts.cancel(drafted._id)).data.status).toBe('drafted')
    await beat(world.services)
    const last = await acts.make([(await withdrawalsIn(() => world).approved(investor, 60))._id])
    expect(last).toMatchObject({ reason: 'restored' })
    await resumePayouts(world.services, 'Ann compared the wallet')
    await broadcastSigned(world.services, 'ethereum', node)
    expect(node.given).toHaveLength(1)
  })

  async function signedOffline(id: string): Promise<string> {
    // Signed from a file of before, which the download now refuses.
    const { rows } = await world.owner(`SELECT plan FROM app.payout_drafts WHERE batch_id = '${id}'`)
    const unsigned = `0x${(rows[0].plan as Buffer).toString('hex')}` as `0x02${string}`
    return ethereumWallet.signTransaction(parseTransaction(unsigned))
  }
})

describe('a database that nobody restored', () => {
  test('[S-04] is none: new, of another installation, or served by two processes', async () => {
    const other = await opened(dataDir(), '9f2504e0-4f89-41d3-9a0c-0305e82c3301')
    await beat(world.services)
    await beat(other.services)
    expect(await isRestored(other.services)).toBe(false)
    await Promise.all(Array.from({ length: 8 }, () => beat(world.services)))
    expect(readdirSync(dataDir())).toEqual(['database-mark.json'])
    await beat(world.services)
    expect(await restores(world)).toEqual([])
    expect(await isRestored(world.services)).toBe(false)
  })

  test('[S-04] begins a new mark where a full disk cut the last one short', async () => {
    await beat(world.services)
    writeFileSync(join(dataDir(), 'database-mark.json'), '{"installa')
    await beat(world.services)
    expect(await restores(world)).toEqual([])
    expect(JSON.parse(readFileSync(join(dataDir(), 'database-mark.json'), 'utf8'))).toMatchObject({
      installation,
    })
  })
})

test('[S-04] nobody resumes what is not paused', async () => {
  expect(await resumePayouts(world.services, 'Ann compared the wallet')).toBe(0)
  const { approved } = withdrawalsIn(() => world)
  const { _id } = await approved(investor, 100)
  expect((await payoutsIn(() => world).make([_id])).status).toBe(200)
})
