import { beforeAll, describe, expect, test } from 'vitest'
import { me, usersCsv } from '#shared/contract/accounts.ts'
import * as call from '#shared/contract/api-keys.ts'
import { listPostings, listUserHistory } from '#shared/contract/console.ts'
import { listFilters } from '#shared/contract/filters.ts'
import { approveProposal, listProposals, rejectProposal } from '#shared/contract/proposals.ts'
import { listAudit } from '#shared/contract/site.ts'
import { changeRole } from '#shared/contract/staff.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { apiKeyDays } from '#shared/limits.ts'
import { apiKeyRights, may, rights } from '#shared/roles.ts'
import { apiKey, approvedKey, keyBody } from '#test/support/api-keys.ts'
import { testApp } from '#test/support/app.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { isWithin } from './key-caller.ts'

/** API keys of the firm, which read and do nothing (I-01). */
let world: World
beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
})

const read = (key: string, ip = '192.0.2.44') =>
  world.call(listWithdrawals, null, { query: { limit: 1 } }, { token: key, ip })
const keyOf = async (id: string) =>
  (await world.call(call.listApiKeys, world.admin, { query: { q: id } })).data[0]!
const lines = async (id: string) =>
  (await world.owner(`SELECT action, reason FROM app.audit_log WHERE subject_id = '${id}' ORDER BY id`)).rows
const refused = {
  status: 401,
  code: 'token_invalid',
  message: expect.stringMatching(/^This API key does not/),
}

describe('two admins decide a key', () => {
  test('[I-01, N-12] one proposes, another approves, the first creates it, once', async () => {
    const id = await approvedKey(world, { name: 'Accounting', rights: ['console'] })
    expect(await keyOf(id)).toMatchObject({ status: 'approved', beginning: null, createdAt: null })
    const create = (by = world.admin) => world.call(call.createApiKey, by, { params: { id } })
    expect(await create(world.secondAdmin)).toMatchObject({ status: 409, code: 'own_request' })
    const { data } = await create()
    expect(await keyOf(id)).toMatchObject({ status: 'active', beginning: data.key.slice(0, 12) })
    expect(await create()).toMatchObject({ status: 409, reason: 'key_created' })
    expect((await read(data.key)).status).toBe(200)
    expect(await lines(id)).toEqual([
      { action: 'api_key.approved', reason: 'For accounting' },
      { action: 'api_key.created', reason: null },
    ])
  })

  test('[I-01] nobody approves their own, and a rejected one never exists', async () => {
    const { data } = await world.call(call.proposeApiKey, world.admin, { body: keyBody(world) })
    const params = { id: data.proposal }
    expect(await world.call(approveProposal, world.admin, { params })).toMatchObject({
      code: 'same_approver',
    })
    await world.call(rejectProposal, world.secondAdmin, { params, body: { reason: 'Who asks?' } })
    const { rows } = await world.owner(`SELECT id FROM app.api_keys WHERE proposal_id = '${data.proposal}'`)
    expect(rows).toEqual([])
  })

  test('[I-01] one can be pending for each name', async () => {
    const body = keyBody(world, { name: 'Twice' })
    const propose = () => world.call(call.proposeApiKey, world.admin, { body })
    expect((await propose()).status).toBe(200)
    expect(await propose()).toMatchObject({ status: 409, reason: 'already_proposed' })
    const query = { kind: 'integrations', status: 'pending' } as const
    const { data } = await world.call(listProposals, world.admin, { query })
    expect(data[0]!.content).toMatchObject({ kind: 'api_key', name: 'Twice' })
  })

  test('[I-01] a last day in the past or beyond a year, and bad addresses, are refused', async () => {
    const propose = async (changes: object) => {
      const body = { ...keyBody(world), ...changes }
      return (await world.call(call.proposeApiKey, world.admin, { body })).fields
    }
    expect(await propose(keyBody(world, { days: -1 }))).toHaveProperty('until')
    expect(await propose(keyBody(world, { days: apiKeyDays + 1 }))).toHaveProperty('until')
    expect(await propose(keyBody(world, { days: apiKeyDays }))).toBeUndefined()
    for (const address of ['everywhere', '0.0.0.0/0', '10.0.0.0/8', '::/0', '203.0.113.256', '1.2.3.4/33']) {
      expect(await propose({ addresses: [address] }), address).toBeDefined()
    }
    expect(await propose({ addresses: ['10.1.0.0/16', '2001:db8::/32', '2001:db8::1'] })).toBeUndefined()
    expect(await propose({ rights: ['manage'] })).toBeDefined()
    expect(await propose({ rights: ['console', 'console'] })).toBeDefined()
  })

  test('[I-01] the other admins get an email of each step', async () => {
    const { id } = await apiKey(world, { name: 'Announced' })
    await world.call(call.revokeApiKey, world.admin, { params: { id }, body: { reason: 'Done' } })
    const { rows } = await world.owner(`
      SELECT payload ->> 'subject' AS subject, payload ->> 'to' AS to FROM graphile_worker._private_jobs
       WHERE payload::text LIKE '%Announced%' ORDER BY id`)
    const to = world.secondAdmin.email
    expect(rows).toEqual([
      { subject: 'The API key Announced was approved', to: world.admin.email },
      { subject: 'The API key Announced was created', to },
      { subject: 'The API key Announced was revoked', to },
    ])
  })
})

describe('a key', () => {
  test('[I-01] reads what its rights include, and nothing else', async () => {
    const { key } = await apiKey(world, { rights: ['log'] })
    const of = (definition: typeof me, input = {}) => world.call(definition, null, input, { token: key })
    expect((await world.call(listAudit, null, { query: { limit: 1 } }, { token: key })).status).toBe(200)
    expect(await read(key, '127.0.0.1')).toMatchObject({ status: 403, code: 'forbidden' })
    const params = { id: world.admin.id }
    expect((await world.call(listPostings, null, { params }, { token: key })).status).toBe(403)
    expect((await of(me)).status).toBe(403)
    const { key: console_ } = await apiKey(world, { rights: ['console'] })
    const filters = await world.call(listFilters, null, { query: { list: 'users' } }, { token: console_ })
    expect(filters).toMatchObject({ status: 403, message: 'This API key may not do this' })
  })

  test('[I-01, N-12] leaves the audit lines that a person would, under its own name', async () => {
    const { id, key } = await apiKey(world, { name: 'Warehouse', rights: ['console', 'log'] })
    const headers = { authorization: `Bearer ${key}` }
    const { statusCode } = await world.app.inject({
      url: `/api${usersCsv.path}`,
      headers,
      remoteAddress: '192.0.2.44',
    })
    expect(statusCode).toBe(200)
    const { data } = await world.call(listAudit, world.admin, { query: { q: 'Warehouse', limit: 1 } })
    const line = { action: 'list.exported', actor: id, actorName: 'Warehouse', byApiKey: true }
    expect(data[0]).toMatchObject({ ...line, ip: '192.0.2.44' })
    const query = { user: world.admin.id }
    expect((await world.call(listUserHistory, null, { query }, { token: key })).status).toBe(200)
  })

  test('[I-01] unknown, of another address, expired or revoked: one refusal for all', async () => {
    const { id, key } = await apiKey(world, { addresses: ['198.51.100.0/24', '2001:db8::/32'], days: 2 })
    for (const ip of ['198.51.100.7', '::ffff:198.51.100.7', '2001:db8::7']) {
      expect((await read(key, ip)).status).toBe(200)
    }
    expect(await keyOf(id)).toMatchObject({ lastUsedFrom: '198.51.100.7', lastRefusedAt: null })
    expect(await read(key, '198.51.101.7')).toMatchObject(refused)
    expect(await keyOf(id)).toMatchObject({ lastRefusedFrom: '198.51.101.7' })
    expect(await read(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toMatchObject(refused)
    expect(await read('probity_')).toMatchObject(refused)
    world.clock.pass({ days: 2 })
    expect((await read(key, '198.51.100.7')).status).toBe(200)
    world.clock.pass({ days: 1 })
    expect(await read(key, '198.51.100.7')).toMatchObject(refused)
    expect((await keyOf(id)).status).toBe('expired')
  })

  test('[I-01] is refused from the moment that one admin revokes it', async () => {
    const { id, key } = await apiKey(world)
    expect((await read(key)).status).toBe(200)
    const revoke = () =>
      world.call(call.revokeApiKey, world.secondAdmin, { params: { id }, body: { reason: 'Leaked' } })
    expect((await revoke()).data).toMatchObject({ status: 'revoked', revokedByName: world.secondAdmin.name })
    expect(await read(key)).toMatchObject(refused)
    expect(await revoke()).toMatchObject({ status: 409, reason: 'key_revoked' })
  })

  test('[I-01] a key is marked once its proposer is no longer an admin', async () => {
    const leaving = await world.person('Lea Leaving', 'admin')
    const { data } = await world.call(call.proposeApiKey, leaving, { body: keyBody(world, { name: 'Left' }) })
    await world.call(approveProposal, world.admin, { params: { id: data.proposal } })
    const find = async () =>
      (await world.call(call.listApiKeys, world.admin, { query: { q: 'Left' } })).data[0]!
    expect((await find()).proposerIsAdmin).toBe(true)
    const body = { role: 'support', reason: 'Moved' } as const
    await world.call(changeRole, world.admin, { params: { id: leaving.id }, body })
    expect((await find()).proposerIsAdmin).toBe(false)
  })
})

test('[I-01] an API key can have the rights of an auditor, whose role changes nothing', () => {
  expect(rights.filter(right => may('auditor', right))).toEqual([...apiKeyRights])
})

test('[I-01] ranges hold whole networks, and no garbage is within one', () => {
  expect(isWithin('10.1.255.255', ['10.1.0.0/16'])).toBe(true)
  expect(isWithin('10.2.0.0', ['10.1.0.0/16'])).toBe(false)
  expect(isWithin('2001:db8:ffff::1', ['2001:db8::/32'])).toBe(true)
  expect(isWithin('2001:db9::1', ['2001:db8::/32', '2001:db9::2'])).toBe(false)
  for (const ip of ['', 'unknown', '10.1.0.0, 10.1.0.1']) expect(isWithin(ip, ['10.1.0.0/16'])).toBe(false)
})

test('[I-01] behind a trusted proxy the client’s address counts, else nobody’s word', async () => {
  const { key } = await apiKey(world, { addresses: ['198.51.100.9'] })
  const ask = async (app: World['app']) => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '198.51.100.9' }
    const { statusCode } = await app.inject({
      url: '/api/withdrawal/get-all',
      headers,
      remoteAddress: '10.0.0.1',
    })
    return statusCode
  }
  expect(await ask(world.app)).toBe(401)
  const config = { ...world.services.config, trustedProxies: ['10.0.0.1'] }
  expect(await ask(await testApp({ ...world.services, config }))).toBe(200)
})

describe('guessing and stealing', () => {
  test('[I-01] many wrong keys from one address are refused unread', async () => {
    const strict = await openWorld({ rateLimit: true })
    const ask = () =>
      strict.call(listWithdrawals, null, { query: {} }, { token: 'probity_x', ip: '203.0.113.5' })
    const answers = []
    for (let at = 0; at < 61; at++) answers.push((await ask()).status)
    expect(answers.slice(0, 60)).toEqual(Array(60).fill(401))
    expect(answers[60]).toBe(429)
  })

  test('[I-01] the table has no key: a reader of the database cannot use one', async () => {
    const { id, key } = await apiKey(world)
    const { rows } = await world.database.app.query(
      `SELECT k::text AS line, encode(hash, 'hex') AS hash FROM app.api_keys k WHERE id = $1`,
      [id],
    )
    const [{ line, hash }] = rows as [{ line: string; hash: string }]
    expect(line).not.toContain(key.slice(12))
    for (const text of [hash, `probity_${hash}`, Buffer.from(hash, 'hex').toString('base64url')]) {
      expect((await read(text)).status).toBe(401)
    }
    const everywhere = await world.owner(`
      SELECT id FROM app.audit_log WHERE details::text LIKE '%${key}%'
      UNION ALL SELECT id FROM graphile_worker._private_jobs WHERE payload::text LIKE '%${key}%'`)
    expect(everywhere.rows).toEqual([])
  })

  test('[I-01, B-02] not even the application’s login widens, renews or makes a key alone', async () => {
    const { id } = await apiKey(world)
    const tries: [string, string][] = [
      [`UPDATE app.api_keys SET rights = '{console,books,log}'`, '42501'],
      [`UPDATE app.api_keys SET addresses = '{203.0.113.1}'`, '42501'],
      [`UPDATE app.api_keys SET expires_on = expires_on + 1`, '42501'],
      [`DELETE FROM app.api_keys`, '42501'],
      [`UPDATE app.api_keys SET hash = sha256('x') WHERE id = '${id}'`, 'PB920'],
      [`UPDATE app.api_keys SET revoked_at = NULL, revoked_by = NULL WHERE revoked_at IS NOT NULL`, 'PB920'],
      [
        `INSERT INTO app.api_keys (id, name, rights, addresses, expires_on, proposal_id, proposed_by, approved_at)
         SELECT gen_random_uuid(), name, '{console,books,log}', '{203.0.113.1}', expires_on, proposal_id, proposed_by, now()
           FROM app.api_keys WHERE id = '${id}'`,
        'PB920',
      ],
    ]
    for (const [statement, code] of tries) {
      await expect(world.database.app.query(statement), statement).rejects.toMatchObject({ code })
    }
  })
})
