import { beforeEach, expect, test } from 'vitest'
import { openApiDocument } from '#server/http/openapi.ts'
import { createLogger } from '#server/platform/logger.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { failedJobDays, idempotencyKeyDays } from '#shared/limits.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { cleanUp } from './clean-up.ts'

let world: World
let investor: Person
let lines: Record<string, unknown>[]
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
  lines = []
})

function run() {
  const log = createLogger('info', { write: line => void lines.push(JSON.parse(line)) })
  return cleanUp({ ...world.services, log })
}
const errors = () => lines.filter(({ level }) => level === 50)
const labels = async (query: string) => (await world.owner(query)).rows.map(({ label }) => label)

test('removes expired data, and nothing earlier', async () => {
  const [early, late] = [await world.person('Early'), await world.person('Late')]
  await world.owner(`
    INSERT INTO app.sessions (id, user_id, refresh_hash, expires_at, revoked_at, user_agent)
    SELECT uuidv7(), '${investor.id}', '', now() + make_interval(days => expires),
           now() + make_interval(days => revoked), label
      FROM (VALUES (-91, NULL, 'expired long ago'), (10, -91, 'ended long ago'), (-89, NULL, 'expired'), (10, -89, 'ended'),
                   (10, NULL, 'open')) AS v (expires, revoked, label);
    INSERT INTO app.email_codes (user_id, email, code_hash, sent_at, expires_at)
    SELECT id::uuid, label, '', now(), now() + make_interval(days => expires)
      FROM (VALUES ('${early.id}', 'old', -8), ('${late.id}', 'young', -6)) AS v (id, label, expires);
    INSERT INTO app.password_resets (token_hash, user_id, expires_at, used_at)
    SELECT label::bytea, '${investor.id}', now() + make_interval(days => expires), now()
      FROM (VALUES ('old', -8), ('young', -6)) AS v (label, expires);
    INSERT INTO app.passkey_challenges (challenge_hash, purpose, expires_at)
    SELECT label::bytea, 'login', now() + make_interval(mins => expires)
      FROM (VALUES ('old', -1), ('young', 1)) AS v (label, expires);
    INSERT INTO app.rate_limits (key, points, expire)
    SELECT label, 1, extract(epoch FROM now()) * 1000 + milliseconds
      FROM (VALUES ('old', -1000), ('young', 60000)) AS v (label, milliseconds);
    INSERT INTO app.mailbox (id, recipient, subject, text, html, created_at)
    SELECT uuidv7(), '', label, '', '', now() + make_interval(days => created)
      FROM (VALUES ('old', -91), ('young', -89)) AS v (label, created);
    INSERT INTO app.notifications (id, user_id, kind, subject_id, created_at, read_at)
    SELECT uuidv7(), '${investor.id}', kind, uuidv7(), now() - interval '2 years',
           now() + make_interval(days => read)
      FROM (VALUES ('deposit.approved', -366), ('deposit.declined', -364), ('deposit.unpaid', NULL),
                   ('investment.matured', -366)) AS v (kind, read)`)
  await run()
  const sessions = 'SELECT user_agent AS label FROM app.sessions WHERE user_agent IS NOT NULL ORDER BY 1'
  expect(await labels(sessions)).toEqual(['ended', 'expired', 'open'])
  expect(await labels('SELECT email AS label FROM app.email_codes')).toEqual(['young'])
  expect(await labels("SELECT encode(token_hash, 'escape') AS label FROM app.password_resets")).toEqual([
    'young',
  ])
  const challenges = "SELECT encode(challenge_hash, 'escape') AS label FROM app.passkey_challenges"
  expect(await labels(challenges)).toEqual(['young'])
  expect(await labels('SELECT key AS label FROM app.rate_limits')).toContain('young')
  expect(await labels('SELECT key AS label FROM app.rate_limits')).not.toContain('old')
  expect(await labels('SELECT subject AS label FROM app.mailbox')).toEqual(['young'])
  expect(await labels('SELECT kind AS label FROM app.notifications ORDER BY 1')).toEqual([
    'deposit.declined',
    'deposit.unpaid',
    'investment.matured',
  ])
})

test('[L-10] removes devices whose browser is logged out, by whatever end', async () => {
  await world.owner(`
    INSERT INTO app.sessions (id, user_id, refresh_hash, expires_at, user_agent, device_hash)
    SELECT uuidv7(), '${investor.id}', '', now() + interval '10 days', label, device::bytea
      FROM (VALUES ('open', NULL), ('ended', NULL), ('expired', 'phone'), ('gone', NULL), ('before', 'laptop'),
                   ('after', 'laptop')) AS v (label, device);
    INSERT INTO app.push_devices (id, user_id, session_id, device_hash, user_agent, endpoint_hash, sealed, created_at)
    SELECT uuidv7(), user_id, id, device_hash, user_agent, sha256(user_agent::bytea), '', now()
      FROM app.sessions WHERE user_agent <> 'after';
    UPDATE app.sessions SET revoked_at = now() WHERE user_agent IN ('ended', 'before');
    UPDATE app.sessions SET expires_at = now() - interval '1 second' WHERE user_agent = 'expired';
    DELETE FROM app.sessions WHERE user_agent = 'gone'`)
  await run()
  // The browser of 'before' has logged in again, as 'after'.
  const devices = 'SELECT user_agent AS label FROM app.push_devices ORDER BY 1'
  expect(await labels(devices)).toEqual(['before', 'open'])
})

test('also more than one statement removes', async () => {
  await world.owner("INSERT INTO app.rate_limits SELECT 'old ' || n, 1, 0 FROM generate_series(1, 2500) n")
  await run()
  expect(await labels("SELECT key AS label FROM app.rate_limits WHERE key LIKE 'old %'")).toEqual([])
  expect(lines).toContainEqual(expect.objectContaining({ what: 'counters that ran out', removed: 2500 }))
})

test('logs what it cannot remove, and removes the rest', async () => {
  await world.owner(`
    REVOKE DELETE ON app.sessions FROM probity_app;
    INSERT INTO app.email_codes VALUES ('${investor.id}', 'old', '', now(), now() - interval '8 days')`)
  await run()
  expect(await labels('SELECT email AS label FROM app.email_codes')).toEqual([])
  expect(errors()).toMatchObject([{ what: 'ended sessions', msg: 'could not be cleaned up' }])
})

/** Makes the existing keys older than their guard permits. */
const ageKeys = (days: number) =>
  world.owner(`
    ALTER TABLE ledger.idempotency_keys DISABLE TRIGGER USER;
    UPDATE ledger.idempotency_keys SET created_at = now() - interval '${days} days';
    ALTER TABLE ledger.idempotency_keys ENABLE TRIGGER USER`)

/** Two requests with an effect and two that are refused, each with a key; returns a function that repeats them. */
async function keyedRequests() {
  await world.fund(investor, 20_000n)
  const deposit = { body: { method: 'usdt', amount: 150 } } as const
  const { data: declined } = await world.call(newDeposit, investor, deposit)
  await world.call(approveDeposit, world.admin, { params: { id: declined._id } })
  const wallet = 'Bitcoin (BTC)'
  const address = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  const withdraw = (amount: number, idempotencyKey: string) =>
    world.call(newWithdrawal, investor, { body: { amount, wallet, address } }, { idempotencyKey })
  const done = () =>
    Promise.all([
      world.call(newDeposit, investor, deposit, { idempotencyKey: 'a-deposit' }),
      withdraw(20, 'a-withdrawal'),
    ])
  const refused = () =>
    Promise.all([
      world.call(
        approveDeposit,
        world.admin,
        { params: { id: declined._id } },
        { idempotencyKey: 'too-late' },
      ),
      withdraw(400, 'too-much'),
    ])
  return { done, refused, first: { done: await done(), refused: await refused() } }
}
const bodies = (answers: { headers: unknown }[]) => answers.map(({ headers: _, ...body }) => body)

test('[B-06] a key gives its first answer for 30 days', async () => {
  const { done, refused, first } = await keyedRequests()
  expect(first.refused.map(({ code }) => code)).toEqual(['wrong_state', 'insufficient_funds'])
  await ageKeys(idempotencyKeyDays - 1)
  await run()
  const before = await world.state()
  expect(bodies(await done())).toEqual(bodies(first.done))
  expect(bodies(await refused())).toEqual(bodies(first.refused))
  expect(await world.state()).toBe(before)
})

test('[B-06] after that no key has a second effect, and one that had none can have its first', async () => {
  const { done, refused } = await keyedRequests()
  await ageKeys(idempotencyKeyDays + 1)
  await run()
  const before = await world.state()
  for (const answer of await done())
    expect(answer).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
      message: expect.stringContaining('more than 30 days ago'),
    })
  expect(await world.state()).toBe(before)
  await world.fund(investor, 50_000n)
  expect((await refused()).map(({ status }) => status)).toEqual([409, 200])
})

test('[B-06] removes answers of used keys and keys of refused requests once', async () => {
  await keyedRequests()
  await ageKeys(idempotencyKeyDays + 1)
  await run()
  const kept = 'SELECT key AS label FROM ledger.idempotency_keys ORDER BY 1'
  expect(await labels(kept)).toEqual(['a-deposit', 'a-withdrawal'])
  expect(await labels('SELECT DISTINCT answer AS label FROM ledger.idempotency_keys')).toEqual([null])
  lines = []
  await run()
  expect(lines).toEqual([])
})

test("[B-06] the database's own life of a key is the one that the API's description tells", async () => {
  const [life] = await labels('SELECT extract(epoch FROM ledger.key_life())::int / 86400 AS label')
  expect(life).toBe(idempotencyKeyDays)
  expect(JSON.stringify(openApiDocument())).toContain(
    `A repetition with the same key gets the first answer again, for ${life} days.`,
  )
})

test('a failed job is logged at every run, kept for 30 days, and logged when removed', async () => {
  const { app } = world.database
  await app.query(
    `
    SELECT graphile_worker.add_job('note', json_build_object('age', age)) FROM unnest(ARRAY[0, $1, $2]) AS age`,
    [failedJobDays - 1, failedJobDays + 1],
  )
  await app.query(`
    UPDATE graphile_worker._private_jobs
       SET attempts = max_attempts, last_error = 'note: ECONNREFUSED',
           updated_at = now() - make_interval(days => (payload ->> 'age')::int)
     WHERE (payload ->> 'age')::int > 0`)
  await run()
  const left = await app.query(
    "SELECT payload ->> 'age' AS age FROM graphile_worker._private_jobs ORDER BY id",
  )
  expect(left.rows).toEqual([{ age: '0' }, { age: `${failedJobDays - 1}` }])
  expect(errors()).toMatchObject([
    { task: 'note', reason: 'note: ECONNREFUSED', msg: 'failed job removed, never done' },
    { task: 'note', jobs: 1, msg: 'jobs have failed for good' },
  ])
})
