import type { Client } from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { openPool } from '#server/platform/database/pool.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { deposit, investorWith } from '#test/support/books.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until } from '#test/support/processes.ts'
import { tamper } from '#test/support/tampering.ts'
import { checkSeals } from './check-seals.ts'
import { earningPaid, returnRecorded, withdrawalRequested } from './events.ts'
import { checkBooks } from './invariants.ts'
import { rootOf, sha256 } from './merkle.ts'
import { post } from './post.ts'
import { addSeal, hasSeal, type SealOptions, sealBooks, unsealedSince } from './sealer.ts'
import { type Leaves, logsOf, nameOf, type SealRow, sealKeys, signed, withLeaves } from './seals.ts'

const SECRET = 'the secret of this installation, which seals'
const secrets: Secrets = { tokenSecret: SECRET, formerSecrets: [] }

let database: TestDatabase
let userId: string
let other: string
beforeEach(async () => {
  database = await testDatabase({ ledgerAlone: true })
  userId = await investorWith(database, 50_000n)
  other = await investorWith(database, 50_000n)
  await post(
    database.db,
    withdrawalRequested({ userId, actor: userId, withdrawalId: uuidv7(), amountCents: 10_000n }),
  )
  await post(database.db, returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 900n }))
  await post(database.db, earningPaid({ userId, actor: null, earningId: uuidv7(), amountCents: 300n }))
  await auditLine('login')
  await auditLine('withdrawal.requested')
})

type Line = { level: 'info' | 'error'; fields: Record<string, unknown>; message: string }

function logOf() {
  const lines: Line[] = []
  const note = (level: Line['level']) => (fields: unknown, message?: string) =>
    void lines.push({ level, fields: fields as Line['fields'], message: message ?? '' })
  return { lines, log: { info: note('info'), error: note('error') } as SealOptions['log'] }
}

async function auditLine(action: string): Promise<void> {
  await database.app.query(
    `INSERT INTO app.audit_log (actor_id, action, subject_kind, subject_id, reason, ip, request_id)
     VALUES ($1, $2, 'user', $1, 'because', '192.0.2.1', 'r1')`,
    [userId, action],
  )
}

/** Seals as the job does; returns the number of seals made, and the lines logged. */
async function seal(options: Partial<SealOptions> = {}) {
  const { log, lines } = logOf()
  const clock = { now: () => new Date() }
  const made = await sealBooks({ pool: database.app, config: secrets, clock, log, ...options })
  return { made, lines }
}

/** The violated invariants that concern seals, with their examples. */
async function found(config = secrets): Promise<Record<string, unknown[]>> {
  const { log } = logOf()
  const run = await checkBooks(database.app, log, async client => [await checkSeals(client, config)])
  const names = ['journal_as_sealed', 'audit_as_sealed', 'seals_signed']
  const broken = run.checks.filter(({ name, faults }) => faults > 0 && names.includes(name))
  return Object.fromEntries(broken.map(({ name, examples }) => [name, examples]))
}

const rows = async <Row>(text: string): Promise<Row[]> => (await database.owner.query(text)).rows
const seals = () => rows<SealRow>('SELECT * FROM ledger.seals ORDER BY number')
const transactionOf = async (event: string) =>
  (
    await rows<{ id: string }>(
      `SELECT id FROM ledger.transactions WHERE event = '${event}' ORDER BY id LIMIT 1`,
    )
  )[0]!.id

describe('sealing', () => {
  test('[B-03] seals every transaction and audit row once, in a chain that the check accepts', async () => {
    const { made, lines } = await seal()
    expect(made).toBe(1)
    expect(lines).toMatchObject([
      { level: 'info', fields: { seal: '1', transactions: 5, auditRows: 2 }, message: 'sealed' },
    ])
    expect((await seal()).made).toBe(0)
    await auditLine('logout')
    await post(database.db, deposit(other, 700n))
    expect((await seal()).made).toBe(1)
    const [first, second] = await seals()
    expect([second!.number, second!.journal_size, second!.audit_size]).toEqual([2n, 6n, 3n])
    expect(second!.previous_hash).toEqual(first!.hash)
    expect(await hasSeal(database.app, { number: 1n, hash: lines[0]!.fields.hash as string })).toBe(true)
    expect(await found()).toEqual({})
    expect(await unsealedSince(database.app)).toBeNull()
  })

  test('[B-03] what does not fit into one seal follows in the next ones', async () => {
    // A seal passes over twice as many entries as it may have leaves; a deposit has four.
    expect((await seal({ mostLeaves: 2 })).made).toBe(4)
    const sizes = (await seals()).map(({ journal_size, audit_size }) => [journal_size, audit_size])
    expect(sizes).toEqual([
      [1n, 2n],
      [2n, 2n],
      [4n, 2n],
      [5n, 2n],
    ])
    expect(await found()).toEqual({})
  })

  test('[B-03] a backlog is sealed once, in passes that begin where the last one ended', async () => {
    const late = await database.db.startTransaction().execute()
    for (let n = 0; n < 3; n++) await post(late, deposit(other, 100n))
    for (let n = 0; n < 12; n++) {
      await post(database.db, deposit(userId, 100n))
      await auditLine('login')
    }
    expect((await seal({ mostLeaves: 4 })).made).toBe(9)
    const passed = `SELECT upto = (SELECT last_value FROM ledger.entries_id_seq) AS all, upper(gaps) - lower(gaps) AS late
                      FROM ledger.seal_progress WHERE log = 'journal'`
    expect(await rows(passed)).toEqual([{ all: true, late: 12n }])
    await late.commit().execute()
    expect((await seal({ mostLeaves: 1 })).made).toBe(3)
    const [last] = (await seals()).slice(-1)
    expect([last!.journal_size, last!.audit_size]).toEqual([20n, 14n])
    const twice =
      'SELECT id FROM ledger.seal_batches, unnest(transactions) AS id GROUP BY id HAVING count(*) > 1'
    expect(await rows(twice)).toEqual([])
    expect(await found()).toEqual({})
  })

  test('[B-03] a transaction that commits late is sealed later, below newer ones', async () => {
    const late = await database.db.startTransaction().execute()
    await post(late, deposit(other, 100n))
    await post(database.db, deposit(userId, 200n))
    await seal()
    // Marks pass it by: however often we seal, nothing below it counts as settled.
    for (let pass = 0; pass < 4; pass++) {
      await post(database.db, deposit(userId, 300n))
      await seal()
    }
    await late.commit().execute()
    expect(await unsealedSince(database.app)).toEqual(expect.any(Date))
    const { made } = await seal()
    expect(made).toBe(1)
    expect((await seals()).at(-1)!.journal_size).toBe(11n)
    expect(await found()).toEqual({})
  })

  test('[B-03] every row is sealed once while others are written and undone', async () => {
    const write = async (owner: string, n: number) => {
      const tx = await database.db.startTransaction().execute()
      for (let line = 0; line <= n % 3; line++) await post(tx, deposit(owner, 100n))
      await auditLine('login')
      await (n % 4 === 0 ? tx.rollback() : tx.commit()).execute()
    }
    let isWriting = true
    const sealing = (async () => {
      for (let n = 1; isWriting; n++) await seal({ mostLeaves: 1 + (n % 5) })
    })()
    const writers = [userId, other, await investorWith(database, 100n)].map(async owner => {
      for (let n = 0; n < 20; n++) await write(owner, n)
    })
    await Promise.all(writers)
    isWriting = false
    await sealing
    await seal()
    const sizes = `SELECT (SELECT count(*) FROM ledger.transactions) AS journal_size,
                          (SELECT count(*) FROM app.audit_log) AS audit_size`
    expect((await seals()).at(-1)).toMatchObject((await rows<object>(sizes))[0]!)
    expect(await found()).toEqual({})
  })

  test('[B-03] numbers that were never used are not searched for ever', async () => {
    await expect(
      database.db.transaction().execute(async tx => {
        await post(tx, deposit(userId, 100n))
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    const gaps = () => rows('SELECT log FROM ledger.seal_progress WHERE NOT isempty(gaps)')
    await seal()
    expect(await gaps()).toEqual([{ log: 'journal' }])
    await until(async () => {
      await seal()
      return (await gaps()).length === 0
    })
    await post(database.db, deposit(userId, 300n))
    expect((await seal()).made).toBe(1)
    expect(await found()).toEqual({})
  })

  test("[B-03] leaves do not depend on the session's encoding", async () => {
    await auditLine('réservé')
    await collect("SET LOCAL client_encoding = 'LATIN1'")
    expect((await seal()).made).toBe(1)
    expect(await found()).toEqual({})
    const owner = await database.owner.connect()
    await owner.query("BEGIN; SET LOCAL client_encoding = 'LATIN1'")
    const { rows: checks } = await owner.query(
      'SELECT name FROM ledger.broken_seals(ledger.scope_since(NULL)) WHERE faults > 0',
    )
    await owner.query('ROLLBACK')
    owner.release()
    expect(checks).toEqual([])
  })

  test('[B-03] the check reads seals in pages of bounded size, whatever they seal', async () => {
    await seal({ mostLeaves: 1 })
    await seal()
    const answers: number[] = []
    const check = async (client: Client) => {
      const measured = Object.assign(Object.create(client) as Client, {
        query: async (...args: Parameters<Client['query']>) => {
          const [text, values] = args as unknown as [string, unknown[]]
          const answer = await client.query<Partial<Leaves>>(text, values)
          const sizes = answer.rows.map(({ journal, audit }) => (journal?.length ?? 0) + (audit?.length ?? 0))
          answers.push(sizes.reduce((sum, size) => sum + 1_000 + size, 0))
          return answer
        },
      })
      return [await checkSeals(measured, secrets, { pageBytes: 2_500 })]
    }
    const { checks } = await checkBooks(database.app, logOf().log, check)
    expect(checks.find(({ name }) => name === 'seals_signed')).toMatchObject({ examined: 6, faults: 0 })
    expect(Math.max(...answers)).toBeLessThan(2_500 + 1_000 + 64)
  })

  test('[B-03] two sealers at once make one chain', async () => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => seal({ mostLeaves: 1 })))
    expect(runs.reduce((sum, { made }) => sum + made!, 0)).toBe(6)
    expect((await seals()).map(({ number }) => number)).toEqual([1n, 2n, 3n, 4n, 5n, 6n])
    expect(await found()).toEqual({})
  })

  test('[B-03] leaves that were collected without a seal get theirs next time', async () => {
    await collect()
    await auditLine('logout')
    expect(await found()).toEqual({})
    expect((await seal()).made).toBe(2)
    expect(await found()).toEqual({})
  })

  test('[B-03] the application and the owner cannot write seals by hand', async () => {
    await seal()
    for (const table of ['seals', 'seal_batches', 'seal_progress']) {
      await expect(database.app.query(`DELETE FROM ledger.${table}`)).rejects.toMatchObject({ code: '42501' })
      await expect(
        database.app.query(`INSERT INTO ledger.${table} SELECT * FROM ledger.${table}`),
      ).rejects.toMatchObject({ code: '42501' })
      await expect(database.owner.query(`DELETE FROM ledger.${table}`)).rejects.toMatchObject({
        code: 'PB900',
      })
      await expect(database.owner.query(`TRUNCATE ledger.${table} CASCADE`)).rejects.toMatchObject({
        code: 'PB900',
      })
    }
    await expect(database.owner.query('UPDATE ledger.seals SET journal_size = 0')).rejects.toMatchObject({
      code: 'PB900',
    })
    await expect(database.app.query('SELECT ledger.add_seal(s) FROM ledger.seals s')).rejects.toMatchObject({
      code: 'PB202',
    })
  })
})

/** Collects the leaves of the next seal in a session with these settings, without a seal. */
async function collect(settings = ''): Promise<{ number: bigint } & Leaves> {
  const client = await database.app.connect()
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${settings}`)
    const { rows } = await client.query('SELECT * FROM ledger.collect_leaves(1000)')
    await client.query('COMMIT')
    return rows[0]
  } finally {
    client.release()
  }
}

describe('a bad newest seal', () => {
  const [thief] = sealKeys({ tokenSecret: 'a secret that the thief has made up', formerSecrets: [] })

  /** The next seal as it should be, but for its key. */
  async function forged(change: Partial<SealRow> = {}): Promise<SealRow> {
    const [first] = await seals()
    const { number, ...leaves } = await collect()
    const { journal, audit } = withLeaves(logsOf(first!)!, leaves)
    const sizes = { journal_size: BigInt(journal.size), audit_size: BigInt(audit.size) }
    const roots = { journal_root: rootOf(journal), audit_root: rootOf(audit) }
    const subtrees = { journal_subtrees: [...journal.subtrees], audit_subtrees: [...audit.subtrees] }
    const seal = {
      number,
      sealed_at: new Date(),
      ...sizes,
      ...roots,
      previous_hash: first!.hash,
      ...subtrees,
    }
    return signed({ ...seal, ...change }, thief)
  }

  beforeEach(async () => {
    await seal()
    await auditLine('logout')
  })

  const [other, short] = [Buffer.alloc(32, 1), Buffer.alloc(31, 1)]
  const rootOfShort = sha256(Buffer.concat([Buffer.of(1), other, short]))
  test.each<[string, (seal: SealRow) => SealRow | Promise<SealRow>]>([
    ['another hash', seal => ({ ...seal, hash: other })],
    ['another time', seal => ({ ...seal, sealed_at: new Date(0) })],
    ['another signature', seal => ({ ...seal, signature: Buffer.alloc(64) })],
    ['another root', () => forged({ audit_root: other })],
    ['another subtree', () => forged({ audit_subtrees: [other, other] })],
    ['a subtree too many', () => forged({ audit_subtrees: [other, other, other] })],
    ['a subtree too short', () => forged({ audit_subtrees: [other, short], audit_root: rootOfShort })],
    ['no subtrees', () => forged({ audit_subtrees: [] })],
    ['another size', () => forged({ audit_size: 5n })],
  ])('[B-03] is refused with %s', async (_, change) => {
    const bad = await change(await forged())
    await expect(addSeal(database.app, bad)).rejects.toMatchObject({ code: 'PB202' })
    expect((await seal()).made).toBe(1)
    expect(await found()).toEqual({})
  })

  test("[B-03] with a stranger's signature is continued once the operator vouches for it", async () => {
    const bad = await forged()
    await addSeal(database.app, bad)
    expect((await seal()).made).toBeNull()
    await auditLine('login')
    expect((await seal({ trusted: nameOf(bad) })).made).toBe(1)
    expect(await found()).toEqual({})
    await auditLine('login')
    expect((await seal()).made).toBe(1)
  })

  test.each([
    ['its hash', `hash = sha256('')`, ['was changed']],
    ['a size', 'audit_size = 1', ['was changed', 'does not fit its leaves']],
    [
      'its subtrees',
      `journal_size = 9, journal_subtrees = '{}', audit_subtrees = '{}'`,
      ['was changed', 'does not fit its leaves'],
    ],
  ])('[B-03] changed in %s is continued once the operator vouches for it', async (_, change, faults) => {
    await seal()
    await auditLine('login')
    await tamper(database, `UPDATE ledger.seals SET ${change} WHERE number = 2`)
    const [, bad] = await seals()
    const worker = openPool({ url: database.appUrl, as: 'app', name: 'probity test', max: 1 })
    atEnd(() => worker.end())
    expect((await seal({ pool: worker })).made).toBeNull()
    expect((await seal({ pool: worker, trusted: nameOf(bad!) })).made).toBe(1)
    expect(await found()).toEqual({ seals_signed: faults.map(fault => ({ seal: 2, fault })) })
    await auditLine('login')
    expect((await seal({ pool: worker })).made).toBe(1)
  })
})

describe('a change by the superuser is found', () => {
  beforeEach(async () => {
    await seal()
    await post(database.db, deposit(other, 700n))
    await auditLine('logout')
    await seal()
  })

  const balance = (cents: number) => `+ CASE WHEN amount > 0 THEN ${cents} ELSE -${cents} END`
  const inTransaction = (event: string) =>
    `transaction_id = (SELECT id FROM ledger.transactions WHERE event = '${event}')`
  const changes: [string, string, unknown, string[]][] = [
    [
      'an audit row changed',
      'audit_as_sealed',
      { audit_row: 1, seal: 1, fault: 'changed' },
      [`UPDATE app.audit_log SET reason = 'another' WHERE id = 1`],
    ],
    [
      'an audit row dated back',
      'audit_as_sealed',
      { audit_row: 2, seal: 1, fault: 'changed' },
      [`UPDATE app.audit_log SET at = at - interval '1 microsecond' WHERE id = 2`],
    ],
    [
      'an audit row deleted',
      'audit_as_sealed',
      { audit_row: 3, seal: 2, fault: 'deleted' },
      ['DELETE FROM app.audit_log WHERE id = 3'],
    ],
    [
      'a transaction dated back',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        `UPDATE ledger.transactions SET created_at = created_at - interval '1 microsecond' WHERE event = 'return.recorded'`,
      ],
    ],
    [
      'a transaction of another actor',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [`UPDATE ledger.transactions SET actor = gen_random_uuid() WHERE event = 'return.recorded'`],
    ],
    [
      'a memo moved into another field',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [`UPDATE ledger.transactions SET memo = '' WHERE event = 'return.recorded'`],
    ],
    [
      'the amounts of both entries changed alike',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        `UPDATE ledger.entries SET amount = amount ${balance(5)}, new_balance = new_balance ${balance(5)}
          WHERE ${inTransaction('return.recorded')}`,
      ],
    ],
    [
      'an entry added to a transaction',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        `INSERT INTO ledger.entries (transaction_id, line, account_id, amount)
         SELECT transaction_id, line + 2, account_id, amount FROM ledger.entries WHERE ${inTransaction('return.recorded')}`,
      ],
    ],
    [
      'two references swapped',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        `UPDATE ledger.transactions t SET reference_id = o.reference_id FROM ledger.transactions o
          WHERE t.event = 'deposit.settled' AND o.event = 'deposit.settled' AND o.id <> t.id
            AND t.created_at < (SELECT max(created_at) FROM ledger.transactions WHERE event = 'deposit.settled')`,
      ],
    ],
    [
      'two owners swapped',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        'ALTER TABLE ledger.accounts DROP CONSTRAINT accounts_owner_kind_asset_key',
        `UPDATE ledger.accounts a SET owner = o.owner FROM ledger.accounts o
          WHERE a.kind = 'available' AND o.kind = 'available' AND o.owner <> a.owner`,
      ],
    ],
    [
      'a transaction deleted with its entries',
      'journal_as_sealed',
      { seal: 1, fault: 'deleted' },
      [
        `DELETE FROM ledger.entries WHERE ${inTransaction('return.recorded')}`,
        `DELETE FROM ledger.transactions WHERE event = 'return.recorded'`,
      ],
    ],
    [
      'a deleted transaction written again',
      'journal_as_sealed',
      { seal: 1, fault: 'changed' },
      [
        `CREATE TABLE kept AS SELECT * FROM ledger.entries WHERE ${inTransaction('return.recorded')}`,
        `DELETE FROM ledger.entries WHERE ${inTransaction('return.recorded')}`,
        `INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
         SELECT transaction_id, line, account_id, amount, previous_balance, new_balance, version FROM kept ORDER BY line`,
      ],
    ],
    [
      'a seal changed',
      'seals_signed',
      { seal: 1, fault: 'was changed' },
      [`UPDATE ledger.seals SET sealed_at = sealed_at - interval '1 day' WHERE number = 1`],
    ],
    [
      'a signature changed',
      'seals_signed',
      { seal: 1, fault: 'was changed' },
      [
        `UPDATE ledger.seals SET signature = set_byte(signature, 0, get_byte(signature, 0) # 1) WHERE number = 1`,
      ],
    ],
    [
      'a seal deleted',
      'seals_signed',
      { seal: 1, fault: 'is missing' },
      ['DELETE FROM ledger.seals WHERE number = 1'],
    ],
    [
      'a seal deleted with its leaves',
      'seals_signed',
      { seal: 2, fault: 'does not follow the seal before it' },
      ['DELETE FROM ledger.seals WHERE number = 1', 'DELETE FROM ledger.seal_batches WHERE number = 1'],
    ],
    [
      'the leaves of a seal deleted',
      'seals_signed',
      { seal: 2, fault: 'does not fit its leaves' },
      ['DELETE FROM ledger.seal_batches WHERE number = 2'],
    ],
    [
      'a row changed together with its leaf',
      'seals_signed',
      { seal: 1, fault: 'does not fit its leaves' },
      [
        `UPDATE app.audit_log SET reason = 'another' WHERE id = 1`,
        `UPDATE ledger.seal_batches SET audit_hashes = overlay(audit_hashes PLACING (SELECT hashes FROM ledger.audit_leaves('{1}')) FROM 1)
          WHERE number = 1`,
      ],
    ],
    [
      'rows written behind the seals',
      'journal_as_sealed',
      { fault: 'added behind the seals' },
      [
        `INSERT INTO ledger.transactions SELECT gen_random_uuid(), event, reference_kind, gen_random_uuid(), NULL, NULL, NULL, created_at
           FROM ledger.transactions WHERE event = 'return.recorded'`,
        `INSERT INTO ledger.entries (id, transaction_id, line, account_id, amount) OVERRIDING SYSTEM VALUE
         SELECT -1, id, 1, 1, -5 FROM ledger.transactions WHERE id NOT IN (SELECT transaction_id FROM ledger.entries)`,
      ],
    ],
    [
      'sealing told that everything is sealed',
      'audit_as_sealed',
      { audit_row: 4, fault: 'added behind the seals' },
      [
        `INSERT INTO app.audit_log (action) VALUES ('login')`,
        "UPDATE ledger.seal_progress SET upto = 1000 WHERE log = 'audit'",
      ],
    ],
  ]
  test.each(changes)('[B-03] %s', async (_, name, example, statements) => {
    expect(await found()).toEqual({})
    await tamper(database, ...statements)
    await seal()
    const broken = await found()
    expect(Object.keys(broken)).toContain(name)
    expect(broken[name]).toContainEqual(expect.objectContaining(example))
  })

  test('[B-03] the changed transaction is named', async () => {
    const [id, other] = [await transactionOf('earning.paid'), await transactionOf('deposit.settled')]
    const changed = (transaction: string) => ({ transaction, seal: 1, fault: 'changed' })
    await tamper(database, `UPDATE ledger.transactions SET memo = 'another' WHERE id = '${id}'`)
    expect(await found()).toEqual({ journal_as_sealed: [changed(id)] })
    await tamper(database, `DELETE FROM ledger.entries WHERE transaction_id = '${other}'`)
    expect(await found()).toEqual({ journal_as_sealed: [changed(other), changed(id)] })
  })

  test('[B-03] everything computed anew, without the key', async () => {
    const [first, second] = await seals()
    const [thief] = sealKeys({ tokenSecret: 'a secret that the thief has made up', formerSecrets: [] })
    const forged = signed({ ...second!, sealed_at: new Date(0) }, thief)
    await tamper(
      database,
      `UPDATE ledger.seals SET sealed_at = '1970-01-01 00:00Z', public_key = '\\x${forged.public_key.toString('hex')}',
              signature = '\\x${forged.signature.toString('hex')}', hash = '\\x${forged.hash.toString('hex')}' WHERE number = 2`,
    )
    expect(await found()).toEqual({
      seals_signed: [{ seal: 2, fault: 'is not signed with TOKEN_SECRET or TOKEN_SECRETS_BEFORE' }],
    })
    // Nothing is built on it, not even under the key of this installation.
    await auditLine('login')
    const { made, lines } = await seal()
    expect(made).toBeNull()
    expect(lines).toMatchObject([{ level: 'error', fields: { alarm: 'ledger' } }])
    expect((await seals()).length).toBe(2)
    expect(first!.number).toBe(1n)
  })

  test('[B-03] the newest seals deleted, by the process that has seen them', async () => {
    const before = (await seals())[1]!
    await tamper(
      database,
      'DELETE FROM ledger.seals WHERE number = 2',
      'DELETE FROM ledger.seal_batches WHERE number = 2',
      'DELETE FROM app.audit_log WHERE id = 3',
    )
    const { made, lines } = await seal()
    expect(made).toBeNull()
    expect(lines.map(({ message }) => message).join()).toContain('seal 2, which this process has seen')
    expect(await hasSeal(database.app, { number: 2n, hash: before.hash.toString('hex') })).toBe(false)
  })
})

describe('another TOKEN_SECRET', () => {
  const NEXT = 'the secret that replaces the one before it'
  const rotated: Secrets = { tokenSecret: NEXT, formerSecrets: [SECRET] }
  const afterwards: Secrets = { tokenSecret: NEXT, formerSecrets: [] }

  test('[B-03] is used for new seals, and old ones stay verified without the former one', async () => {
    await seal()
    expect(await found(rotated)).toEqual({})
    await auditLine('login')
    expect((await seal({ config: rotated })).made).toBe(1)
    expect(await found(afterwards)).toEqual({})
    await tamper(database, `UPDATE app.audit_log SET reason = 'another' WHERE id = 1`)
    expect(Object.keys(await found(afterwards))).toEqual(['audit_as_sealed'])
  })

  test('[B-03] without the former one, only the operator can continue the chain', async () => {
    await seal()
    await auditLine('login')
    expect((await seal({ config: afterwards })).made).toBeNull()
    const [latest] = await seals()
    const trusted = { number: 1n, hash: latest!.hash.toString('hex') }
    expect((await seal({ config: afterwards, trusted: { ...trusted, hash: '00' } })).made).toBeNull()
    expect((await seal({ config: afterwards, trusted })).made).toBe(1)
    expect(await found(afterwards)).toEqual({})
  })
})
