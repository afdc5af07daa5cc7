import { beforeEach, describe, expect, test } from 'vitest'
import {
  cancelIdentitySession,
  getCheck,
  ownIdentity,
  startIdentitySession,
} from '#shared/contract/identity.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { proofsIn } from '#test/support/identity.ts'
import { approvedPassport, veriffServer } from '#test/support/veriff.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { prepare, readDecisions } from './sessions.ts'

/** Proof of identity with a provider that compares a document with a face; its server is one of ours. */
let veriff: Awaited<ReturnType<typeof veriffServer>>
let world: World
let investor: Person
beforeEach(async () => {
  veriff = await veriffServer()
  atEnd(veriff.close)
  world = await openWorld({ rateLimit: false, identityProvider: veriff.provider })
  investor = await world.person('Ines Investor')
})
const { send, open, decideOpened } = proofsIn(() => world)

const start = (who = investor) => world.call(startIdentitySession, who)
const provider = async () => (await world.call(ownIdentity, investor)).data.provider!
/** What the queued job does. */
const prepared = async () => {
  expect((await start()).status).toBe(200)
  const { rows } = await world.owner('SELECT id FROM app.identity_sessions WHERE ended_at IS NULL')
  await prepare(world.services, rows[0].id)
}
const read = () => readDecisions(world.services)

describe('a session', () => {
  test('is prepared by a job, with nothing of the person, and kept sealed', async () => {
    await start()
    expect(await provider()).toMatchObject({ name: 'Veriff', session: { url: null }, last: null })
    const { rows: jobs } = await world.owner(
      "SELECT task_identifier FROM graphile_worker.jobs WHERE task_identifier = 'prepare_identity_session'",
    )
    expect(jobs).toHaveLength(1)
    const { rows } = await world.owner('SELECT id FROM app.identity_sessions')
    await prepare(world.services, rows[0].id)
    expect(veriff.sessions).toEqual([
      {
        id: expect.any(String),
        vendorData: rows[0].id,
        callback: `${world.services.config.publicUrl}/dashboard/identity`,
        verification: null,
      },
    ])
    const { url } = (await provider()).session!
    expect(url).toBe(`${veriff.provider.url}/v/${veriff.sessions[0]!.id}`)
    const { rows: stored } = await world.owner('SELECT sealed_url FROM app.identity_sessions')
    expect(stored[0].sealed_url.includes('/v/')).toBe(false)
    // The job may run twice.
    await prepare(world.services, rows[0].id)
    expect(veriff.sessions).toHaveLength(1)
  })

  test('that was approved becomes a check, which staff open and decide', async () => {
    await prepared()
    expect(await read()).toBe(0)
    veriff.decides(approvedPassport)
    expect(await read()).toBe(1)
    expect(await provider()).toMatchObject({ session: null, last: 'approved' })
    const { data } = await world.call(ownIdentity, investor)
    expect(data).toMatchObject({ level: 'none', checks: [{ kind: 'identity', status: 'waiting' }] })
    const { _id } = data.checks[0]!
    const detail = (await world.call(getCheck, world.admin, { params: { id: _id } })).data
    expect(detail).toMatchObject({ provider: 'Veriff', files: [] })
    expect((await open(_id, world.admin)).data.identity).toEqual({
      name: 'INES INVESTOR',
      birth: '1990-02-28',
      nationality: 'Australia',
      address: null,
      document: 'passport',
      number: 'PA1234567',
      issuer: 'Australia',
      ends: '2099-12-31',
    })
    await decideOpened(_id, 'verified')
    expect((await world.call(ownIdentity, investor)).data.level).toBe('identity')
  })

  test.each([
    ['declined', 'declined'],
    ['resubmission_requested', 'resubmit'],
    ['expired', 'expired'],
    ['abandoned', 'expired'],
  ])('that ended as %s can begin again', async (status, outcome) => {
    await prepared()
    veriff.decides({ status, reason: 'Document not legible' })
    expect(await read()).toBe(1)
    expect(await provider()).toMatchObject({ session: null, last: outcome })
    expect((await world.call(ownIdentity, investor)).data.checks).toEqual([])
    expect((await start()).status).toBe(200)
  })

  test.each([
    [
      'without the last day of the document',
      { document: { ...approvedPassport.document, validUntil: null } },
    ],
    ['without a date of birth', { person: { ...approvedPassport.person, dateOfBirth: null } }],
    ['of an unknown document', { document: { ...approvedPassport.document, type: 'constructor' } }],
  ])('approved %s is of no use', async (_what, changes) => {
    await prepared()
    veriff.decides({ ...approvedPassport, ...changes })
    expect(await read()).toBe(1)
    expect(await provider()).toMatchObject({ last: 'unusable' })
    expect((await world.call(ownIdentity, investor)).data.checks).toEqual([])
  })

  test('that Veriff itself still reviews stays open', async () => {
    await prepared()
    veriff.decides({ status: 'review' })
    expect(await read()).toBe(0)
    expect((await provider()).session).not.toBeNull()
  })
})

describe('an answer', () => {
  test('that is not signed with the shared secret changes nothing', async () => {
    await prepared()
    veriff.decides(approvedPassport)
    veriff.state.signs = 'another secret'
    expect(await read()).toBe(0)
    expect((await provider()).session).not.toBeNull()
    veriff.state.signs = veriff.provider.secret
    expect(await read()).toBe(1)
  })

  test('about another session changes nothing', async () => {
    await prepared()
    veriff.decides(approvedPassport)
    veriff.state.answersAbout = crypto.randomUUID()
    expect(await read()).toBe(0)
    expect((await provider()).session).not.toBeNull()
  })

  test('that does not come is asked for again', async () => {
    await start()
    veriff.state.down = true
    const { rows } = await world.owner('SELECT id FROM app.identity_sessions')
    await expect(prepare(world.services, rows[0].id)).rejects.toThrow('Veriff answered 503')
    veriff.state.down = false
    await prepare(world.services, rows[0].id)
    veriff.decides(approvedPassport)
    veriff.state.down = true
    expect(await read()).toBe(0)
    veriff.state.down = false
    expect(await read()).toBe(1)
  })

  test('is asked for in turns, those first that wait longest', async () => {
    await prepared()
    await read()
    const other = await world.person('Olga Other')
    await start(other)
    const { rows } = await world.owner('SELECT id FROM app.identity_sessions ORDER BY id DESC LIMIT 1')
    await prepare(world.services, rows[0].id)
    veriff.decides(approvedPassport)
    // The first was asked about before, so that a run of one begins with the other.
    expect(await readDecisions(world.services, 1)).toBe(1)
  })

  test('of one session never stops the others', async () => {
    await prepared()
    const other = await world.person('Olga Other')
    await start(other)
    const { rows } = await world.owner('SELECT id FROM app.identity_sessions ORDER BY id DESC LIMIT 1')
    await prepare(world.services, rows[0].id)
    veriff.decides(approvedPassport)
    // Veriff no longer knows the first.
    veriff.sessions.shift()
    expect(await read()).toBe(1)
  })
})

describe('one at a time', () => {
  test('neither a second session nor the form while one is open', async () => {
    await start()
    expect(await start()).toMatchObject({ status: 409, reason: 'session_open' })
    expect(await send(investor)).toMatchObject({ status: 409, reason: 'session_open' })
    expect((await world.call(cancelIdentitySession, investor)).status).toBe(200)
    expect(await world.call(cancelIdentitySession, investor)).toMatchObject({ reason: 'no_session' })
    expect((await send(investor)).status).toBe(200)
    expect(await start()).toMatchObject({ status: 409, reason: 'check_waiting' })
  })

  test('what is approved after a cancelling is not read', async () => {
    await prepared()
    await world.call(cancelIdentitySession, investor)
    veriff.decides(approvedPassport)
    expect(await read()).toBe(0)
    expect((await world.call(ownIdentity, investor)).data.checks).toEqual([])
  })

  test('a provider that is no longer configured keeps nobody from the form', async () => {
    await prepared()
    Object.assign(world.services.config, { identityProvider: null })
    expect(await read()).toBe(1)
    expect((await send(investor)).status).toBe(200)
  })

  test('without a provider there is none', async () => {
    Object.assign(world.services.config, { identityProvider: null })
    expect(await start()).toMatchObject({ status: 409, reason: 'no_provider' })
    expect((await world.call(ownIdentity, investor)).data.provider).toBeNull()
  })
})
