import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Pool } from 'pg'
import { type Address, type Hex, size, slice } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { publishTo } from '#server/proof/folder.ts'
import { mostListedEpochs, proofOverview } from '#shared/contract/proof.ts'
import * as call from '#shared/contract/reserves.ts'
import { openAnvil, payer, withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openSafe } from '#test/support/safe.ts'
import { derivedRails } from '#test/support/watched.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeMessage } from './prepare.ts'

/** From the firm's addresses to the file that strangers check, on a chain of our own. */

/** Answers every call with zeros, and reverts none. */
const ZEROS_CODE: Hex = '0x60206000f3'
const zeros: Address = `0x${'12'.repeat(20)}`
const empty: Address = `0x${'34'.repeat(20)}`

/** Runs `meanwhile` before the query that closes an epoch. */
function delayed(pool: Pool, meanwhile: () => Promise<void>): Pool {
  const connect = async () => {
    const client = await pool.connect()
    const query = async (text: string, values?: unknown[]) => {
      if (text.includes('ledger.close_epoch')) await meanwhile()
      return await client.query(text, values)
    }
    return { query, release: client.release.bind(client) }
  }
  return { connect, query: pool.query.bind(pool) } as unknown as Pool
}

describe.skipIf(withoutAnvil)('proofs of reserves', () => {
  let world: World
  let safe: Awaited<ReturnType<typeof openSafe>>
  let olderSafe: typeof safe
  beforeAll(async () => {
    const network = await openAnvil()
    safe = await openSafe(network, '1.4.1')
    olderSafe = await openSafe(network, '1.3.0')
    await network.client.setCode({ address: zeros, bytecode: ZEROS_CODE })
    await network.client.setBalance({ address: zeros, value: 10n ** 18n })
    const rails = derivedRails()
    const settings = { rpcUrl: network.url, chainId: 31_337, contracts: {}, confirmations: 2 }
    const ethereum = { ...rails.ethereum, ...settings, payoutAddress: payer(1).address }
    world = await openWorld({ rails: { ...rails, ethereum }, rateLimit: false })
  })

  const ask = async (addresses: readonly string[]) => {
    const body = { addresses: addresses.map(address => ({ rail: 'ethereum' as const, address })) }
    return world.call(call.prepareReserves, world.admin, { body })
  }
  const prepare = async (addresses: readonly string[]) => {
    const { id } = (await ask(addresses)).data
    await writeMessage(world.services, id)
    return id
  }
  const list = async () => (await world.call(call.listReserves, world.admin, {})).data
  const newest = async () => (await list()).proofs[0]!
  const sign = (id: string, address: string, signature: string) =>
    world.call(call.signReserves, world.admin, { params: { id }, body: { address, signature } })
  const publish = (id: string) => world.call(call.publishReserves, world.admin, { params: { id } })
  const signedBy = async (index: number) => {
    const id = await prepare([payer(index).address])
    const { message } = await newest()
    const signature = await payer(index).signMessage({ message: message! })
    expect((await sign(id, payer(index).address, signature)).status).toBe(200)
    return id
  }
  /** `meanwhile`: after the epoch has read what it seals, and before it has ended. */
  const endEpoch = async (meanwhile?: () => Promise<void>) => {
    await sealBooks(world.services)
    const closing = {
      ...world.services,
      pool: meanwhile ? delayed(world.services.pool, meanwhile) : world.services.pool,
    }
    expect(await writeLog(closing, { closeNow: true })).toBe(1)
  }
  const verified = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reserves-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    await publishTo(world.services.pool, join(folder, 'proof'))
    const verifier = join(import.meta.dirname, '../../../verifier/verify.mjs')
    const args = [verifier, join(folder, 'proof'), '--json', '--state', join(folder, 'state')]
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
  }

  test('cannot begin before an epoch has ended', async () => {
    expect(await ask([payer(1).address])).toMatchObject({ reason: 'nothing_sealed' })
  })

  test('are signed, published by the next epoch, and hold for the verifier', async () => {
    await world.fund(await world.person('Ines Vestor'), 100_000n)
    await endEpoch()
    const [one, two] = [payer(1), payer(2)]
    const id = await prepare([one.address, two.address, safe.address, olderSafe.address, zeros, empty])
    const { message, addresses, status } = await newest()
    expect(status).toBe('open')
    expect(message).toMatch(
      /^Probity reserves v1 origin=\S+ epoch=1 size=\d+ root=\S+ eth=\d+:0x[0-9a-f]{64}$/,
    )
    expect(addresses.find(({ address }) => address === safe.address)).toMatchObject({
      holdings: [{ coin: 'ETH', amount: '100.000000000' }],
      isContract: true,
    })
    expect(await publish(id)).toMatchObject({ reason: 'unsigned' })

    const signature = await one.signMessage({ message: message! })
    expect(await sign(id, two.address, signature)).toMatchObject({ reason: 'invalid' })
    const other = await one.signMessage({ message: 'I am an address of the firm' })
    expect(await sign(id, one.address, other)).toMatchObject({ reason: 'invalid' })
    expect(await sign(id, empty, signature)).toMatchObject({ reason: 'not_asked' })
    const signed = await safe.signMessage(message!)
    const alone = slice(signed, 0, size(signed) / 2)
    for (const refused of [alone, await olderSafe.signMessage(message!), signature, '0x'])
      expect(await sign(id, safe.address, refused)).toMatchObject({ reason: 'contract_refused' })
    expect(await sign(id, one.address, signature)).toMatchObject({ data: { signed: [one.address] } })
    expect(await sign(id, one.address, signature)).toMatchObject({ reason: 'signed' })
    expect(await sign(id, zeros, signed)).toMatchObject({ reason: 'contract_refused' })
    expect((await sign(id, safe.address, signed)).status).toBe(200)
    expect((await sign(id, olderSafe.address, await olderSafe.signMessage(message!))).status).toBe(200)

    expect((await publish(id)).status).toBe(200)
    expect(await sign(id, two.address, signature)).toMatchObject({ reason: 'not_open' })
    await endEpoch()
    expect(await newest()).toMatchObject({ status: 'sealed', sealedEpoch: 2 })
    const { holds, failures, reserves } = await verified()
    expect({ holds, failures }).toEqual({ holds: true, failures: [] })
    expect(reserves.proven).toMatchObject({
      epoch: 2,
      signedFor: 1,
      addresses: 3,
      unchecked: expect.arrayContaining([safe.address, olderSafe.address]),
      coins: [{ coin: 'ETH', network: 'ETH test', amount: '10000.000000000' }],
      uncheckedCoins: [{ coin: 'ETH', network: 'ETH test', amount: '200.000000000' }],
    })
    expect(reserves.proven.usd).toBe((await newest()).value!.toFixed(2))
  })

  test('are on the page of the public proof, beside what is owed', async () => {
    await endEpoch()
    const { data } = await world.call(proofOverview, null, {})
    const { value } = await newest()
    expect(data.proven).toMatchObject({ epoch: 2, addresses: 1, isTest: true, value })
    expect(data.listed.map(({ proven }) => proven)).toEqual([null, value, null])
    expect(data.stated).toBeNull()
  })

  test('are too old once eight epochs have ended', async () => {
    const id = await prepare([payer(2).address])
    const { message } = await newest()
    for (let epoch = 0; epoch < 8; epoch += 1) await endEpoch()
    const signature = await payer(2).signMessage({ message: message! })
    expect(await sign(id, payer(2).address, signature)).toMatchObject({ reason: 'expired' })
  })

  test('two equal ones that are published do not stop the log: one is sealed', async () => {
    const ids = [await signedBy(2), await signedBy(2)]
    for (const id of ids) expect((await publish(id)).status).toBe(200)
    await endEpoch()
    const equal = (await list()).proofs.filter(({ _id }) => ids.includes(_id))
    expect(equal[0]!.message).toBe(equal[1]!.message)
    expect(equal.map(({ status }) => status).toSorted()).toEqual(['published', 'sealed'])
    expect((await verified()).holds).toBe(true)
  })

  test('one that is published too late for its last epoch is never sealed', async () => {
    const id = await signedBy(2)
    for (let epoch = 0; epoch < 7; epoch += 1) await endEpoch()
    await endEpoch(async () => expect((await publish(id)).status).toBe(200))
    expect(await newest()).toMatchObject({ _id: id, status: 'expired' })
    await endEpoch()
    expect(await newest()).toMatchObject({ _id: id, status: 'expired', sealedEpoch: null })
    expect((await verified()).holds).toBe(true)
  })

  test('are not published if the verifier would refuse them', async () => {
    const id = await prepare([payer(2).address])
    const { message } = await newest()
    const wrong = await payer(1).signMessage({ message: message! })
    await world.owner(
      `INSERT INTO app.reserve_signatures SELECT id, '${payer(2).address}', '${wrong}', asked_by, asked_at
         FROM app.reserve_proofs WHERE id = '${id}'`,
    )
    const refused = await publish(id)
    expect(refused).toMatchObject({ status: 409, reason: 'not_verified' })
    expect(refused.message).toContain(payer(2).address)
    expect(await newest()).toMatchObject({ _id: id, status: 'open' })
  })

  test('say so if no address holds a coin, and refuse what is no address', async () => {
    await prepare([empty])
    expect(await newest()).toMatchObject({
      status: 'failed',
      failure: 'None of these addresses holds a coin.',
    })
    expect(await ask(['0x1234567890123456789012345678'])).toMatchObject({ reason: 'wrong_address' })
  })

  test('other assets are published once a second person confirms them', async () => {
    const sha256 = createHash('sha256').update('deed').digest('hex')
    const body = {
      title: 'Office, 2nd floor',
      amount: 1500,
      asOf: '2026-01-31',
      sha256,
      source: 'Land register',
    }
    const stated = await world.call(call.stateAsset, world.admin, { body })
    const { id } = stated.data
    const twice = await world.call(call.stateAsset, world.admin, { body })
    expect(twice).toMatchObject({ reason: 'document_twice' })
    await endEpoch()
    expect((await verified()).reserves.stated).toEqual([])
    const own = await world.call(call.confirmAsset, world.admin, { params: { id } })
    expect(own).toMatchObject({ code: 'same_approver' })
    const second = world.secondAdmin
    await world.call(call.confirmAsset, second, { params: { id } })
    await endEpoch()
    const { holds, reserves } = await verified()
    expect(holds).toBe(true)
    expect(reserves.stated).toEqual([
      { title: 'Office, 2nd floor', asOf: '2026-01-31', sha256, source: 'Land register', usd: '1500.00' },
    ])
    const { data } = await world.call(proofOverview, null, {})
    expect(data.stated).toMatchObject({ value: 1500, documents: 1 })
    await world.call(call.withdrawAsset, second, { params: { id } })
    await endEpoch()
    expect((await verified()).reserves.stated).toEqual([])
  })

  test('their epochs stay in the list of the overview, however many follow', async () => {
    const overview = async () => (await world.call(proofOverview, null, {})).data
    // The first was sealed by epoch 2, and of so many epochs each second is listed, back from the newest.
    for (let count = (await overview()).log!.epochs; count <= mostListedEpochs + 1; count++) await endEpoch()
    if ((await overview()).log!.epochs % 2 === 0) await endEpoch()
    const { listed } = await overview()
    expect(listed.slice(0, 4).map(({ epoch }) => epoch)).toEqual([1, 2, 3, 5])
    expect(listed[1]!.proven).toBeGreaterThan(0)
  })

  test('what was written about them cannot be changed', async () => {
    const changes = [
      "UPDATE app.reserve_proofs SET message = 'other' WHERE message IS NOT NULL",
      'DELETE FROM app.reserve_proofs',
      "UPDATE app.reserve_signatures SET signature = 'x'",
      'UPDATE app.reserve_documents SET amount_cents = 1',
    ]
    for (const change of changes) await expect(world.owner(change)).rejects.toThrow(/refused|stays/)
  })
})
