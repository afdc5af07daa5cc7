import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { Cosigner } from '#test/support/cosigner.ts'
import { POLICY, TimeAuthority } from '#test/support/time-authority.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { storeCosignature } from './cosignatures.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'
import { outsideChecks } from './outside-checks.ts'
import { stampLag, stampNewest } from './stamps.ts'

/** Time stamps by OpenSSL's authority behind a real server. */

describe.skipIf(missingNode(testNodes.openssl))('an authority dates checkpoints', () => {
  let world: World
  let authority: TimeAuthority
  beforeEach(async () => {
    world = await openWorld()
    authority = newAuthority()
    await trust(authority)
    await world.fund(await world.person('Ann'), 100_00n)
    await endEpoch()
  })

  function newAuthority(made = {}): TimeAuthority {
    const made_ = new TimeAuthority(made)
    atEnd(() => made_.close())
    return made_
  }

  async function trust({ root }: TimeAuthority, policy: string | null = null): Promise<void> {
    const url = await authority.listen()
    const timeAuthority = { url, name: '127.0.0.1', certificates: root, policy }
    Object.assign(world.services.config, { timeAuthority })
  }

  async function endEpoch(): Promise<void> {
    await sealBooks(world.services)
    expect(await writeLog(world.services, { closeNow: true })).toBe(1)
  }

  async function published(path: string): Promise<Buffer> {
    const file = await proofFile(world.services.pool, path)
    if (file === undefined) throw new Error(`there is no ${path}`)
    return await file.read(0, file.bytes)
  }

  test('each epoch once, over its checkpoint as the log signed it', async () => {
    await stampNewest(world.services)
    await stampNewest(world.services)
    expect(authority.asked.map(query => query.toString('hex'))).toEqual([
      `30390201013031300d060960864801650304020105000420${createHash('sha256')
        .update(await published('epochs/1/checkpoint'))
        .digest('hex')}0101ff`,
    ])
    const stamp = await published('epochs/1/stamps/127.0.0.1.tsr')
    expect(authority.verify(stamp, await published('epochs/1/checkpoint'))).toContain('Verification: OK')
    expect(() => authority.verify(stamp, 'another content')).toThrow()
    expect((await published('stamps')).toString()).toBe('1 127.0.0.1\n')
    const { log } = (await world.call(proofOverview, null, {})).data
    expect(log?.stamp).toMatchObject({ epoch: 1, authority: '127.0.0.1' })
  })

  test('all epochs that waited for its answer, cosigned in between or not', async () => {
    await stampNewest(world.services)
    authority.answer = () => ({ status: 503, type: 'text/plain', body: Buffer.from('later') })
    await endEpoch()
    await endEpoch()
    await expect(stampNewest(world.services)).rejects.toThrow('the time authority answered 503')
    const checkpoint = await published('epochs/2/checkpoint')
    const witness = new Cosigner('witness.example')
    const now = world.clock.now()
    await storeCosignature(
      world.services.pool,
      {
        epoch: 2n,
        kind: 'witness',
        vkey: witness.vkey,
        line: witness.line(checkpoint.toString(), now),
        cosignedAt: now,
      },
      now,
    )
    authority.answer = undefined
    await stampNewest(world.services)
    expect((await published('stamps')).toString()).toBe('1 127.0.0.1\n2 127.0.0.1\n3 127.0.0.1\n')
    expect(authority.verify(await published('epochs/2/stamps/127.0.0.1.tsr'), checkpoint)).toContain('OK')
  })

  const wrong: [name: string, says: string, answer: (query: Buffer) => Buffer][] = [
    [
      'of another content',
      'it is over another content',
      query => authority.stamp(Buffer.concat([query.subarray(0, 24), Buffer.alloc(32), query.subarray(56)])),
    ],
    ['of a stranger', 'is none that you trust', query => newAuthority().stamp(query)],
    [
      'with a refusal',
      'the authority has refused it, with status 2',
      () => Buffer.from('30053003020102', 'hex'),
    ],
    ['with something else', 'it is cut off, or not DER', () => Buffer.from('hello')],
    ['without end', 'too long', () => Buffer.alloc(200_000)],
  ]
  test.each(wrong)('an answer %s is not kept', async (_name, says, answer) => {
    authority.answer = query => ({ status: 200, type: 'application/timestamp-reply', body: answer(query) })
    await expect(stampNewest(world.services)).rejects.toThrow(says)
    await expect(published('stamps')).rejects.toThrow('there is no')
  })

  test('an authority that refuses an epoch is asked for the next', async () => {
    await stampNewest(world.services)
    await endEpoch()
    await endEpoch()
    const answers = [Buffer.from('30053003020102', 'hex')]
    authority.answer = query => ({
      status: 200,
      type: 'application/timestamp-reply',
      body: answers.pop() ?? authority.stamp(query),
    })
    await expect(stampNewest(world.services)).rejects.toThrow('the authority has refused it')
    expect((await published('stamps')).toString()).toBe('1 127.0.0.1\n3 127.0.0.1\n')
    await stampNewest(world.services)
    expect(authority.asked).toHaveLength(3)
  })

  test('a forged stamp does not count, and the check of the books names it', async () => {
    await stampNewest(world.services)
    await endEpoch()
    await endEpoch()
    const { pool, config, log } = world.services
    const junk = "'\\x30'::bytea || sha256(convert_to(checkpoint, 'UTF8'))"
    await pool.query(
      `SELECT ledger.add_stamp(3, '127.0.0.1', ${junk}, now(), now()) FROM ledger.epochs WHERE number = 3`,
    )
    await expect(stampNewest(world.services)).rejects.toThrow(
      'what is stored as the stamp of epoch 3 is none',
    )
    expect((await world.call(proofOverview, null, {})).data.log?.stamp).toMatchObject({ epoch: 2 })
    const violated = async () =>
      (await checkBooks(pool, log, outsideChecks(config))).checks.filter(check => check.faults > 0)
    expect(await violated()).toMatchObject([
      { name: 'stamps_verified', examples: [{ epoch: 3, authority: '127.0.0.1' }] },
    ])
    await world.owner(`ALTER TABLE ledger.stamps DISABLE TRIGGER USER; DELETE FROM ledger.stamps WHERE epoch = 3;
      ALTER TABLE ledger.stamps ENABLE TRIGGER USER`)
    await stampNewest(world.services)
    expect((await published('stamps')).toString()).toBe('1 127.0.0.1\n2 127.0.0.1\n3 127.0.0.1\n')
    expect(await violated()).toEqual([])
  })

  test('a stamp from before its epoch is refused, and not kept', async () => {
    world.clock.pass({ days: 3 })
    await sealBooks(world.services)
    expect(await writeLog(world.services)).toBeGreaterThan(0)
    await expect(stampNewest(world.services)).rejects.toThrow(/clock says .*, before .*, the epoch's day/)
    await expect(published('stamps')).rejects.toThrow('there is no')
  })

  test('under the policy that is asked for only', async () => {
    const { timeAuthority } = world.services.config
    Object.assign(timeAuthority!, { policy: '1.2.3' })
    await expect(stampNewest(world.services)).rejects.toThrow(`states the policy ${POLICY}`)
    Object.assign(timeAuthority!, { policy: POLICY })
    await stampNewest(world.services)
  })

  test('an epoch that stays without a stamp for hours raises an alarm', async () => {
    const errors: [object, string][] = []
    const error = (fields: object, text: string) => void errors.push([fields, text])
    const services = { ...world.services, log: { ...world.services.log, error } as typeof world.services.log }
    authority.answer = () => ({ status: 500, type: 'text/plain', body: Buffer.from('') })
    await expect(stampNewest(services)).rejects.toThrow('answered 500')
    expect(errors).toEqual([])
    world.clock.pass({ minutes: 7 * 60 })
    await expect(stampNewest(services)).rejects.toThrow('answered 500')
    const text = 'epoch 1 is not dated: the time authority answered 500'
    expect(errors).toEqual([[{ alarm: 'ledger', check: 'time stamps' }, text]])
    expect(await stampLag(services)).toBeGreaterThan(6 * 3_600_000)
    authority.answer = undefined
    await stampNewest(services)
    expect(await stampLag(services)).toBe(0)
  })

  test('no stamp of something else is kept, nor more than a firm has authorities', async () => {
    await stampNewest(world.services)
    const stamp = await published('epochs/1/stamps/127.0.0.1.tsr')
    await endEpoch()
    const add = (epoch: number, authority: string, response: Buffer) =>
      world.services.pool.query('SELECT ledger.add_stamp($1, $2, $3, now(), now())', [
        epoch,
        authority,
        response,
      ])
    await expect(add(1, 'a.example', Buffer.from('junk'))).rejects.toThrow(
      'this is not a time stamp of epoch 1',
    )
    await expect(add(2, 'a.example', stamp)).rejects.toThrow('this is not a time stamp of epoch 2')
    for (let n = 1; n < 5; n++) await add(1, `a${n}.example`, stamp)
    await expect(add(1, 'a5.example', stamp)).rejects.toThrow('refused: epoch 1 has 5 time stamps')
  })

  test('a copy of the proof has the stamps; the application cannot change them', async () => {
    await stampNewest(world.services)
    const folder = mkdtempSync(join(tmpdir(), 'probity-stamps-'))
    atEnd(() => rmSync(folder, { recursive: true }))
    await publishTo(world.services.pool, folder)
    expect(readFileSync(join(folder, 'stamps'), 'utf8')).toBe('1 127.0.0.1\n')
    expect(readdirSync(join(folder, 'epochs/1/stamps'))).toEqual(['127.0.0.1.tsr'])
    for (const statement of ['DELETE FROM ledger.stamps', "UPDATE ledger.stamps SET response = 'x'"])
      await expect(world.services.pool.query(statement)).rejects.toThrow(/permission denied/)
  })
})
