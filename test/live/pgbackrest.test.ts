import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { login } from '#shared/contract/accounts.ts'
import { approveDeposit, getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { request } from '#test/support/cluster.ts'
import { type BackedUpPostgres, backedUpPostgres, withoutPgbackrest } from '#test/support/pgbackrest.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { MAIN } from '#tools/product-build.ts'

/** The backups of deploy/pgbackrest, as docs/operate.md says, with the product's real processes. */
const ROOT = join(import.meta.dirname, '../..')
const BACKUP = 'probity-backup@.service'
const CHECK = 'probity-restore-check.service'
const FINGERPRINT = `
  SELECT (SELECT md5(string_agg(e::text, '' ORDER BY e::text)) FROM ledger.entries e) AS books,
         (SELECT md5(string_agg(d::text, '' ORDER BY d::text)) FROM app.deposits d) AS deposits`

describe.skipIf(withoutPgbackrest !== undefined)('pgBackRest', () => {
  let site: BackedUpPostgres
  let environment: NodeJS.ProcessEnv
  let dataDir: string

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'probity-pgbackrest-'))
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    dataDir = join(folder, 'data')
    site = await backedUpPostgres()
    await expectDone(site.pgbackrest('repository', 'stanza-create'))
    const { appUrl, ownerUrl } = await site.postgres.newDatabase('probity')
    environment = {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      METRICS_PORT: '0',
      RATE_LIMIT: 'off',
      TOKEN_SECRET: 'x'.repeat(32),
      DATABASE_URL: appUrl,
    }
    const migration = start([MAIN, 'migrate'], { DATABASE_OWNER_URL: ownerUrl })
    if ((await migration.ended()) !== 0) throw new Error(migration.output())
  }, 180_000)

  function start(args: string[], more: NodeJS.ProcessEnv = {}): Watched {
    const watched = watch(process.execPath, args, { cwd: ROOT, env: { ...environment, ...more } })
    atEnd(() => stop(watched))
    return watched
  }

  async function stop(watched: Watched): Promise<void> {
    watched.child.kill('SIGKILL')
    await watched.ended()
  }

  async function expectDone(running: Promise<{ code: number | string; output: string }>): Promise<string> {
    const { code, output } = await running
    expect(code, output).toBe(0)
    return output
  }

  const runTool = (name: string) => {
    const tool = start(['tools/run.mjs', '--as-is', `tools/${name}.ts`])
    return tool.ended().then(code => ({ code, output: tool.output() }))
  }

  /** A web process, and two people who are logged in. */
  async function openWeb() {
    const web = start([MAIN, 'web'])
    const [, origin = ''] = await web.said(/Listening on (http:[^"]+)/)
    const tokenOf = async (email: string, password: string) =>
      (await request(origin, login, { body: { email, password } })).data.token.accessToken
    const investor = await tokenOf('investor@probity.test', 'demo-investor')
    const admin = await tokenOf('admin@probity.test', 'demo-admin')
    return {
      ...web,
      /** Pays in, and has it credited. @returns the deposit's id */
      async pay(amount: number): Promise<string> {
        const options = { token: investor, key: randomUUID() }
        const asked = await request(origin, newDeposit, { body: { method: 'usdt', amount } }, options)
        const params = { id: asked.data._id }
        const approved = await request(
          origin,
          approveDeposit,
          { params },
          { token: admin, key: randomUUID() },
        )
        expect(approved.status).toBe(200)
        return params.id
      },
      statusOf: async (id: string) =>
        (await request(origin, getDeposit, { params: { id } }, { token: admin })).status,
    }
  }

  const beat = () => JSON.parse(readFileSync(join(dataDir, 'database-mark.json'), 'utf8')).beat as number
  const successes = () =>
    Object.fromEntries(
      readdirSync(site.textfiles).map(name => {
        const text = readFileSync(join(site.textfiles, name), 'utf8')
        return /^database_backup_success_timestamp_seconds\{kind="(\w+)"\} (\d+)$/m.exec(text)!.slice(1)
      }),
    )

  test('[V-06] restores the moment before a mistake, with exactly the acts until then', async () => {
    const web = await openWeb()
    const first = await web.pay(1_000)
    await expectDone(site.runUnit(BACKUP, 'full'))
    const second = await web.pay(2_000)
    await expectDone(site.runUnit(BACKUP, 'diff'))
    const third = await web.pay(3_000)
    const metrics = await (await fetch((await web.said(/Metrics on (http:[^"]+)/))[1]!)).text()
    expect(metrics).toMatch(/^probity_wal_archived_age_seconds \d/m)

    const before = await site.postgres.administer(FINGERPRINT, 'probity')
    const [{ moment }] = (await site.postgres.administer(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') AS moment`,
    )) as [{ moment: string }]
    const lost = await web.pay(4_000)
    const marked = beat()
    await until(() => beat() > marked)
    await site.postgres.administer('DROP SCHEMA ledger CASCADE', 'probity')
    await stop(web)
    await site.postgres.stop()

    const target = ['--delta', '--type=time', `--target=${moment}`, '--target-action=promote']
    await expectDone(site.pgbackrest('database', ...target, 'restore'))
    await site.postgres.start()
    expect(await site.postgres.administer(FINGERPRINT, 'probity')).toEqual(before)
    expect(await expectDone(runTool('ledger-check'))).toContain('The books are in order')

    const refused = start([MAIN, 'web'])
    expect(await refused.ended()).toBe(78)
    expect(refused.output()).toContain('npm run restore:finish')
    await expectDone(runTool('restore-finish'))
    const restored = await openWeb()
    for (const id of [first, second, third]) expect(await restored.statusOf(id)).toBe(200)
    expect(await restored.statusOf(lost)).toBe(404)
    await stop(restored)
  }, 180_000)

  test('[V-06] after a restore backups go on, and a check restores and reports them', async () => {
    for (const machine of ['repository', 'database'] as const)
      await expectDone(site.pgbackrest(machine, 'check'))
    await expectDone(site.runUnit(BACKUP, 'diff'))
    expect(await expectDone(site.runUnit(CHECK))).toMatch(/Restored up to 20.*; the books are in order/)
    expect(Object.keys(successes()).toSorted()).toEqual(['diff', 'full', 'restore'])
  }, 180_000)

  test('[V-06] a check fails if the log is late, the books are changed, or a file is damaged', async () => {
    rmSync(join(site.textfiles, 'probity-backup-restore.prom'))
    const late = await site.runUnit(CHECK, '', { NEWEST_WITHIN: '0 seconds' })
    expect(late).toMatchObject({
      code: 1,
      output: expect.stringContaining('they end at 20'),
    })

    await site.postgres.administer(
      `SET session_replication_role = replica;
       UPDATE ledger.accounts SET balance = balance + 1 WHERE id =
         (SELECT id FROM ledger.accounts WHERE balance > 0 ORDER BY id LIMIT 1)`,
      'probity',
    )
    await expectDone(site.pgbackrest('database', 'check'))
    const changed = await site.runUnit(CHECK)
    expect(changed).toMatchObject({ code: 1, output: expect.stringMatching(/"faults": 1/) })

    const file = filesOfBackups().find(name => name.endsWith('.zst') && name.includes('F/'))!
    const content = readFileSync(file)
    content[content.length - 20]! ^= 1
    writeFileSync(file, content)
    const damaged = await site.runUnit(CHECK)
    expect(damaged).toMatchObject({ code: 1, output: expect.stringContaining('checksum invalid: 1') })
    expect(Object.keys(successes()).toSorted()).toEqual(['diff', 'full'])
  }, 180_000)

  const filesOfBackups = () =>
    readdirSync(site.backups, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))

  test('[V-06] everything in the repository is encrypted', () => {
    const beginnings = filesOfBackups().map(name => readFileSync(name).subarray(0, 8).toString('latin1'))
    expect(beginnings.length).toBeGreaterThan(100)
    // What OpenSSL begins an encrypted file with.
    expect(new Set(beginnings)).toEqual(new Set(['Salted__']))
  })
})
