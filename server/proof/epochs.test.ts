import { execFileSync } from 'node:child_process'
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { resealAll } from '#server/accounts/reseal.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { deposited } from '#test/support/books.ts'
import { publishedFiles } from '#test/support/published-files.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { visitOnce } from '#verifier/test/run-audit.ts'
import { type LogOptions, publishBooks, writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { secretsOf } from './secrets.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

/** What the worker does every minute. */
async function everyMinute(options: Partial<LogOptions> = {}, how = {}): Promise<number | null> {
  return await publishBooks({ ...world.services, ...options }, how)
}

/** What the verifier finds wrong in all that is published. */
async function failures() {
  const files = await publishedFiles(world.services.pool)
  return (await visitOnce(files, { now: world.clock.now() })).failures
}

/** Ends the open epoch, and those of the days after it, as their days end. */
async function daysLater(days = 1): Promise<number | null> {
  const { rows } = await world.owner('SELECT epoch_ends FROM ledger.log_progress')
  const until = rows[0].epoch_ends.getTime() - world.clock.now().getTime()
  world.clock.pass({ days: days - 1, minutes: until / 60_000 + 11 })
  await world.refreshPrices()
  return await everyMinute()
}

async function leaves(): Promise<string[]> {
  const { rows } = await world.owner('SELECT leaf FROM ledger.log ORDER BY index')
  return rows.map(({ leaf }) => leaf.toString())
}

async function published(path: string): Promise<Buffer> {
  const file = await proofFile(world.services.pool, path)
  if (file === undefined) throw new Error(`there is no ${path}`)
  return await file.read(0, file.bytes)
}

const sha256 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 6962, 2.1, as it is written there. */
function treeHash(entries: readonly (string | Buffer)[]): Buffer {
  if (entries.length === 0) return sha256('')
  if (entries.length === 1) return sha256(Buffer.of(0), entries[0]!)
  let k = 1
  while (2 * k < entries.length) k *= 2
  return sha256(Buffer.of(1), treeHash(entries.slice(0, k)), treeHash(entries.slice(k)))
}

async function secretOf(owner: string) {
  const client = await world.services.pool.connect()
  try {
    return (await secretsOf(client, world.services.config, [owner])).get(owner)!
  } finally {
    client.release()
  }
}

test('sealed transactions become leaves; with the day, their epoch ends', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  expect(await everyMinute()).toBe(0)
  const [first, ...others] = await leaves()
  expect(others).toEqual([])
  const day = world.clock.now().toISOString().slice(0, 10)
  expect(first).toMatch(
    new RegExp(
      [
        `^${day} \\* "deposit.settled"`,
        '  Assets:Custody  100.000000 USDT',
        '  Equity:Exchange  -100.000000 USDT',
        '  Equity:Exchange  100.00 USD',
        '  Liabilities:Investors:Available  -100.00 USD  ; leg:[A-Za-z0-9+/]{43}=\n\n$',
      ].join('\n'),
    ),
  )
  expect(await daysLater()).toBe(1)
  const ends = (await leaves()).at(-1)!
  expect(ends).toContain(`; probity-epoch/v1\n; epoch: 1\n; date: ${day}\n; leaves: 1\n`)
  expect(ends).toContain('; assert: Liabilities:Investors:Available -100.00 USD\n')
  const folder = join(import.meta.dirname, '../../verifier')
  const listing = execFileSync('sh', ['-c', 'LC_ALL=C sha256sum *.mjs'], { cwd: folder })
  expect(ends).toContain(`; verifier: sha256=${sha256(listing).toString('hex')}\n`)
  expect(ends).toContain('; pol: porl-1 investors-leaves=2 sum=10000 root=')
})

test('an epoch that is ended by hand just after its day is of that day', async () => {
  await world.fund(await world.person('Ann'), 100_00n)
  await everyMinute()
  const day = world.clock.now().toISOString().slice(0, 10)
  const { rows } = await world.owner('SELECT epoch_ends FROM ledger.log_progress')
  const until = rows[0].epoch_ends.getTime() - world.clock.now().getTime()
  world.clock.pass({ minutes: until / 60_000 + 5 })
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
  expect((await leaves()).at(-1)).toContain(`; epoch: 1\n; date: ${day}\n`)
  expect(await daysLater()).toBe(1)
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
  expect((await leaves()).at(-1)).toContain(`; epoch: 2\n; date: ${next}\n`)
})

test('the checkpoint is signed over all leaves, and its key is the published one', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  await daysLater()
  const note = (await published('checkpoint')).toString()
  const [text, signatures] = note.split('\n\n') as [string, string]
  const [origin, size, root] = text.split('\n')
  const [, name, line] = /^— (\S+) (\S+)\n$/.exec(signatures)!
  expect([origin, name, size]).toEqual(['127.0.0.1:3000/proof', '127.0.0.1:3000/proof', '2'])
  expect(root).toBe(treeHash(await leaves()).toString('base64'))
  const [, keyId, ...base64] = (await published('vkey')).toString().trim().split('+')
  const typed = Buffer.from(base64.join('+'), 'base64')
  const key = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), typed.subarray(1)])
  const signature = Buffer.from(line!, 'base64')
  expect(keyId).toBe(sha256(`${origin}\n`, typed).toString('hex', 0, 4))
  expect(signature.toString('hex', 0, 4)).toBe(keyId)
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' })
  expect(verify(null, Buffer.from(`${text}\n`), publicKey, signature.subarray(4))).toBe(true)
})

test("an investor's secret opens each of their lines, in a chain without a gap", async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 300_00n)
  await everyMinute()
  await daysLater()
  const body = { amount: 40, wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  await world.call(newWithdrawal, ann, { body })
  await everyMinute()
  const { secret } = await secretOf(ann.id)
  const tag = (epoch: number, kind: string, version: number, amount: number, balance: number) => {
    const key = createHmac('sha256', secret!).update(`probity-leg-key/v1\n${epoch}\n`).digest()
    const content = `probity-leg/v1\n${ann.id}\n${kind}\nUSD\n${version}\n${amount}\n${balance}\n`
    return createHmac('sha256', key).update(content).digest('base64')
  }
  const tags = (await leaves()).join('').match(/(?<=; leg:)\S+/g)
  expect(tags).toEqual([
    tag(1, 'available', 1, 30_000, 30_000),
    tag(2, 'available', 2, -4_000, 26_000),
    tag(2, 'held', 1, 4_000, 4_000),
  ])
})

test('a leaf has no id, no time of day, no name and no memo', async () => {
  const ann = await world.person('Ann Investor')
  await world.fund(ann, 500_00n)
  const body = { amount: 40, wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  await world.call(newWithdrawal, ann, { body })
  await everyMinute()
  // Tags are hashes in base64: some spell a name by chance.
  const text = (await leaves()).join('').replaceAll(/(?<=; leg:)[A-Za-z0-9+/]{43}=$/gm, '')
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|\d\d:\d\d|Ann|@|\+|=/)
})

test('every day has an epoch, also one without transactions', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  expect(await daysLater(3)).toBe(3)
  const ends = (await leaves()).filter(leaf => leaf.startsWith(';'))
  expect(ends.map(leaf => /; leaves: (\d+)/.exec(leaf)![1])).toEqual(['1', '0', '0'])
  const dates = ends.map(leaf => Date.parse(/; date: (\S+)/.exec(leaf)![1]!))
  expect(dates.map(date => (date - dates[0]!) / 86_400_000)).toEqual([0, 1, 2])
})

test('an operator ends an epoch at any time; the next one ends with the day', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  expect(await everyMinute({}, { closeNow: true })).toBe(1)
  await world.fund(ann, 100_00n)
  expect(await everyMinute()).toBe(0)
  expect(await daysLater()).toBe(1)
  const { rows } = await world.owner('SELECT number, transactions FROM ledger.epochs ORDER BY number')
  expect(rows).toMatchObject([{ transactions: 1n }, { transactions: 1n }])
})

test('nothing of the open epoch is published', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  await expect(published('tile/entries/000.p/1')).rejects.toThrow('there is no')
  await expect(published('checkpoint')).rejects.toThrow('there is no')
  await daysLater()
  expect(await published('tile/entries/000.p/2')).toHaveLength((await leaves()).join('').length + 4)
  await world.refreshPrices()
  await world.fund(ann, 100_00n)
  await everyMinute()
  await expect(published('tile/entries/000.p/3')).rejects.toThrow('there is no')
})

test('several writers at once write each transaction once', async () => {
  const ann = await world.person('Ann')
  for (let deposit = 0; deposit < 5; deposit++) await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  const writers = Array.from({ length: 4 }, () => writeLog({ ...world.services, mostTransactions: 1 }))
  expect((await Promise.all(writers)).filter(ended => ended !== null)).not.toEqual([])
  expect(await everyMinute()).toBe(0)
  expect(await leaves()).toHaveLength(5)
})

test('a database behind what was published signs nothing, and raises an alarm', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  await daysLater()
  const errors: string[] = []
  const error = (_fields: unknown, text: string) => void errors.push(text)
  const log = { info: () => {}, error } as unknown as LogOptions['log']
  const mark = join(world.services.config.dataDir, 'published-checkpoint')
  const [origin, , root] = (await published('checkpoint')).toString().split('\n')
  const vkey = (await published('vkey')).toString()
  writeFileSync(mark, `${vkey}${origin}\n9\n${root}\n\n`)
  world.clock.pass({ days: 2 })
  expect(await everyMinute({ log })).toBeNull()
  writeFileSync(mark, `${vkey}${origin}\n2\n${sha256('another history').toString('base64')}\n\n`)
  expect(await everyMinute({ log })).toBeNull()
  expect(errors).toEqual([
    'no epoch is signed: a log of 9 leaves was published, and the database has 2 (docs/operate.md, Public proof)',
    "no epoch is signed: the log's first 2 leaves are not those that were published (docs/operate.md, Public proof)",
  ])
  const { rows } = await world.owner('SELECT count(*) AS epochs FROM ledger.epochs')
  expect(rows[0].epochs).toBe(1n)
})

test('after TOKEN_SECRET is replaced and its predecessor removed, the log goes on', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  const { services } = world
  const { secret } = await secretOf(ann.id)
  const { tokenSecret } = services.config
  const next = 'n'.repeat(40)
  const both = { ...services.config, tokenSecret: next, formerSecrets: [tokenSecret] }
  expect(await resealAll({ ...services, config: both })).toBe(1)
  await world.fund(ann, 100_00n)
  Object.assign(services.config, both)
  await everyMinute()
  Object.assign(services.config, { formerSecrets: [] })
  expect((await secretOf(ann.id)).secret).toEqual(secret)
  expect(await daysLater()).toBe(1)
  const vkey = await published('vkey')
  const third = { ...services.config, tokenSecret: 't'.repeat(40), formerSecrets: [next] }
  expect(await resealAll({ ...services, config: third })).toBe(3)
  expect(await published('vkey')).toEqual(vkey)
})

test("the application's role cannot change, shorten or fork the log", async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  await daysLater()
  const { pool } = world.services
  for (const statement of [
    "UPDATE ledger.log SET leaf = 'x'",
    'DELETE FROM ledger.log',
    'DELETE FROM ledger.epochs',
    'UPDATE ledger.log_progress SET size = 0',
    "INSERT INTO ledger.log (index, leaf) VALUES (2, 'x')",
    "SELECT ledger.add_to_log(2, '{NULL}', '{x}')",
  ]) {
    await expect(pool.query(statement), statement).rejects.toThrow(/permission denied/)
  }
})

test('tiles of a long log are complete, and their hashes lead to the root', async () => {
  const { rows } = await world.owner(`
    SELECT ledger.add_to_log(0, array_agg(NULL::uuid), array_agg(convert_to('leaf ' || i, 'UTF8')))
      FROM generate_series(1, 70000) AS i`)
  expect(rows).toHaveLength(1)
  const entries = Array.from({ length: 70_000 }, (_, index) => `leaf ${index + 1}`)
  await world.owner(`
    INSERT INTO ledger.epochs SELECT 1, 70000, sha256(''), now(), now(), 0, 0, 0, 'none';
    UPDATE ledger.log_progress SET size = 70000`)
  expect(
    (await published('tile/0/000')).equals(
      Buffer.concat(entries.slice(0, 256).map(leaf => treeHash([leaf]))),
    ),
  ).toBe(true)
  const ofLevel1 = await published('tile/1/000')
  expect(ofLevel1.subarray(32 * 100, 32 * 101).equals(treeHash(entries.slice(25_600, 25_856)))).toBe(true)
  expect((await published('tile/2/000.p/1')).equals(treeHash(entries.slice(0, 65_536)))).toBe(true)
  expect(await published('tile/0/273.p/112')).toHaveLength(32 * 112)
  for (const path of [
    'tile/0/273',
    'tile/0/273.p/113',
    'tile/1/001.p/18',
    'tile/0/x000/001',
    'tile/3/000.p/1',
  ]) {
    await expect(published(path), path).rejects.toThrow('there is no')
  }
})

test('an epoch that has ended gains no file and no parts', async () => {
  await world.fund(await world.person('Ann'), 100_00n)
  const bob = await world.person('Bob')
  await everyMinute({}, { closeNow: true })
  for (const statement of [
    `SELECT ledger.add_epoch_file(1, 'reserves.csv', 'a file that no leaf has a hash of')`,
    `SELECT ledger.keep_parts(1, '{${bob.id}}', '{"{0}"}', '{"{1}"}')`,
  ])
    await expect(world.services.pool.query(statement), statement).rejects.toMatchObject({ code: 'PB202' })
})

test("the application's role deletes no parts of the last eight epochs", async () => {
  await world.fund(await world.person('Ann'), 100_00n)
  for (let epoch = 0; epoch < 10; epoch++) expect(await everyMinute({}, { closeNow: true })).toBe(1)
  await world.services.pool.query('SELECT ledger.drop_parts()')
  const { rows } = await world.owner('SELECT epoch FROM ledger.epoch_parts ORDER BY epoch')
  expect(rows.map(({ epoch }) => Number(epoch))).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
})

test('a broken chain of seals ends no epoch, and the log goes on once it is repaired', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await everyMinute()
  const changeKey = async (to: string) => {
    await world.owner(`ALTER TABLE ledger.seals DISABLE TRIGGER USER;
      UPDATE ledger.seals SET public_key = ${to} WHERE number = (SELECT max(number) FROM ledger.seals);
      ALTER TABLE ledger.seals ENABLE TRIGGER USER`)
  }
  await changeKey("public_key || '\\x00'")
  const log = { ...world.services.log, error: () => {} } as typeof world.services.log
  await world.fund(ann, 200_00n)
  world.clock.pass({ days: 2 })
  expect(await everyMinute({ log })).toBeNull()
  expect(await leaves()).toHaveLength(1)
  await changeKey('substr(public_key, 1, 32)')
  expect(await everyMinute({}, { closeNow: true })).toBeGreaterThan(1)
  expect(await failures()).toEqual([])
})

test("what is sealed after its day's epoch has ended is dated with the next", async () => {
  await world.fund(await world.person('Ann'), 100_00n)
  await everyMinute()
  await world.fund(await world.person('Bob'), 200_00n)
  const { rows } = await world.owner('SELECT epoch_ends FROM ledger.log_progress')
  const until = rows[0].epoch_ends.getTime() - world.clock.now().getTime()
  world.clock.pass({ days: 1, minutes: until / 60_000 + 11 })
  expect(await writeLog(world.services)).toBe(2)
  await everyMinute({}, { closeNow: true })
  expect(await failures()).toEqual([])
  expect((await leaves()).filter(leaf => leaf.includes('-200.00 USD  ; leg:'))).toHaveLength(1)
})

test.each([
  ['fewer cents than parts', 3, 4],
  ['as many cents as parts', 4, 4],
  ['one cent in all', 1, 1],
])('a tree of %s holds', async (_kind, investors, parts) => {
  for (let number = 0; number < investors; number++) {
    await deposited(world.database.db, (await world.person(`Investor ${number}`)).id, 1n)
  }
  expect(await everyMinute({}, { closeNow: true })).toBe(1)
  expect((await leaves()).at(-1)).toContain(`investors-leaves=${parts} sum=${investors} `)
  expect(await failures()).toEqual([])
})
