import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sealProof } from '#server/identity/sealed.ts'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { newId } from '#server/platform/id.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { consoleSummary, getUser } from '#shared/contract/console.ts'
import { getCheck, ownIdentity } from '#shared/contract/identity.ts'
import { approveInvestment, getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import {
  compareBirths,
  decideMatch,
  getMatch,
  listMatches,
  listSanctionsLists,
} from '#shared/contract/screening.ts'
import { returnedExposureDays, screeningSeconds } from '#shared/limits.ts'
import { importPeps, importSdn, inPieces, type PepEntry, pepCsv } from '#test/support/sanctions.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { verdictOf } from './births.ts'
import { importList, retirePeps } from './import.ts'
import { hitsOf } from './names/matcher.ts'
import { screenPeople } from './screen.ts'

/** Politically exposed persons (decision 181). */
let world: World
let investor: Person
let support: Person
let compliance: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  investor = await world.person('Mira Minister')
  support = await world.person('Sue Support', 'support')
  compliance = await world.person('Cora Compliance', 'compliance')
  await world.fund(investor, 1_000_000n)
})
const { ask, approve } = withdrawalsIn(() => world)

const minister: PepEntry = { id: 'Q100', name: 'Mira Minister', birth: '1970-03-15', countries: 'de;suhh' }
const other: PepEntry = { id: 'Q200', name: 'Somebody Different' }
let day: number
beforeEach(() => {
  day = 10
})
const list = (...entries: PepEntry[]) => {
  day += 1
  return importPeps(world, entries, { day: `2026-11-${day}` })
}
const matches = async () => (await world.call(listMatches, world.admin, { query: { sort: 'found' } })).data
const found = async () => {
  await list(minister, other)
  return (await matches())[0]!
}
const decide = (id: string, decision: 'different' | 'same', by = support) =>
  world.call(decideMatch, by, { params: { id }, body: { decision, reason: 'They told us so' } })
const clear = (id: string) =>
  world.call(decideMatch, world.admin, {
    params: { id },
    body: { decision: 'different', reason: 'They told us so', corrects: true },
  })
const invest = async () => {
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  return (await world.call(newInvestment, investor, { body })).data._id
}
const approveIt = (id: string) => world.call(approveInvestment, world.admin, { params: { id }, body: {} })
/** As if staff had verified it. */
const prove = async (kind: 'identity' | 'funds', birth = '1970-03-15') => {
  const id = newId(world.clock.now())
  const sealed = sealProof(world.services, id, Buffer.from(JSON.stringify({ birth })))
  await world.owner('ALTER TABLE app.identity_checks DISABLE TRIGGER USER')
  await world.ownerPool.query(
    `INSERT INTO app.identity_checks (id, user_id, kind, user_name, sealed_answers, submitted_at, decided_at, decided_by, decision, expires_on)
     VALUES ($1, $2, $3, $4, $5, now(), now(), $6, 'verified', current_date + 300)`,
    [id, investor.id, kind, investor.name, sealed, compliance.id],
  )
  await world.owner('ALTER TABLE app.identity_checks ENABLE TRIGGER USER')
  return id
}
const notices = async () =>
  (await world.call(listNotifications, investor, {})).data
    .map(({ kind }) => kind)
    .filter(kind => kind.startsWith('match.'))

describe('a match with a politically exposed person', () => {
  test('is a question to staff, with what the list says', async () => {
    const { _id, ...match } = await found()
    expect(match).toMatchObject({ list: 'pep', entry: 'Q100', kind: 'person', status: 'open', score: 100 })
    const { data } = await world.call(getMatch, support, { params: { id: _id } })
    expect(data.details).toMatchObject({
      births: ['1970-03-15'],
      countries: ['Germany', 'suhh'],
      programmes: ['World Leaders'],
    })
    await tellStaff(world.services)
    expect((await world.call(listNotifications, support, {})).data).toMatchObject([
      { kind: 'pep.waiting', text: 'Mira Minister may be “Mira Minister”, a politically exposed person.' },
    ])
    expect((await world.call(consoleSummary, world.admin)).data.waiting.matches.count).toBe(1)
    const { data: user } = await world.call(getUser, world.admin, { params: { id: investor.id } })
    expect(user).toMatchObject({ matches: { open: 0, same: 0 }, exposed: { open: 1, same: 0 } })
  })

  test('whose comparison fails does not stop that with sanctions lists', async () => {
    const listed = { uid: 7, first: 'Mira', last: 'MINISTER' }
    await importSdn(world, [listed], { day: '11/10/2026', compares: false })
    await importPeps(world, [minister, other], { day: '2026-11-10', compares: false })
    const failing: typeof hitsOf = (key, names, load, kind) => {
      if (kind === 'pep') throw new Error('no memory is left')
      return hitsOf(key, names, load, kind)
    }
    await expect(screenPeople(world.services, { search: failing })).rejects.toThrow('no memory is left')
    expect((await matches()).map(({ list }) => list)).toEqual(['ofac_sdn'])
    const { rows } = await world.ownerPool.query('SELECT FROM app.uncompared_names')
    expect(rows).toEqual([])
    await screenPeople(world.services)
    expect((await matches()).map(({ list }) => list).toSorted()).toEqual(['ofac_sdn', 'pep'])
  })

  test('is found also if comparing with sanctions lists fails', async () => {
    await importSdn(world, [{ uid: 7, first: 'Mira', last: 'MINISTER' }], { compares: false })
    await importPeps(world, [minister, other], { day: '2026-11-10', compares: false })
    const failing: typeof hitsOf = (key, names, load, kind) => {
      if (kind === 'sanctions') throw new Error('no memory is left')
      return hitsOf(key, names, load, kind)
    }
    await expect(screenPeople(world.services, { search: failing })).rejects.toThrow('no memory is left')
    expect((await matches()).map(({ list }) => list)).toEqual(['pep'])
  })

  test('waits for no comparison with sanctions lists', async () => {
    await importSdn(world, [{ uid: 7, first: 'Mira', last: 'MINISTER' }], { compares: false })
    await importPeps(world, [minister, other], { day: '2026-11-10', compares: false })
    const asked = Promise.withResolvers<void>()
    const slow: typeof hitsOf = async (key, names, load, kind) => {
      if (kind === 'pep') asked.resolve()
      else await asked.promise
      return hitsOf(key, names, load, kind)
    }
    expect(await screenPeople(world.services, { search: slow })).toMatchObject({ found: 2 })
  })

  test('holds nothing back while it is open', async () => {
    await found()
    const { data: asked } = await ask(investor, 100)
    expect((await approve(asked._id)).status).toBe(200)
    expect((await approveIt(await invest())).status).toBe(200)
  })

  test('holds no withdrawal back and freezes nothing once it is the person', async () => {
    const { _id } = await found()
    expect(await decide(_id, 'same')).toMatchObject({
      status: 200,
      message: 'Decided: a politically exposed person',
      data: { status: 'same', person: { frozen: false } },
    })
    const { data: first } = await ask(investor, 100)
    expect((await approve(first._id)).status).toBe(200)
    const { data: second } = await ask(investor, 100)
    expect((await world.call(cancelWithdrawal, investor, { params: { id: second._id } })).status).toBe(200)
  })

  test('asks for identity and the source of funds before any new investment', async () => {
    const { _id } = await found()
    const before = await invest()
    await approveIt(before)
    await decide(_id, 'same')
    const id = await invest()
    const waiting = async () => (await world.call(getInvestment, investor, { params: { id } })).data.waitsFor
    expect(await waiting()).toBe('identity')
    const state = await world.state()
    expect(await approveIt(id)).toMatchObject({
      status: 409,
      reason: 'investment_waits',
      message: expect.stringContaining('its owner is a politically exposed person'),
    })
    expect(await world.state()).toEqual(state)
    const byOwner = world.ownerPool.query(
      `UPDATE app.investments SET status = 'active', approved_at = now(), ending_at = now() + interval '30 days' WHERE id = '${id}'`,
    )
    await expect(byOwner).rejects.toMatchObject({ code: 'PB914' })
    await prove('identity')
    expect(await waiting()).toBe('funds')
    expect((await approveIt(id)).status).toBe(409)
    await prove('funds')
    expect(await waiting()).toBeNull()
    expect((await approveIt(id)).status).toBe(200)
  })

  test('tells the investor why and what to do, once, and of a correction', async () => {
    await list(minister, { ...minister, id: 'Q101' })
    const [one, two] = await matches()
    await decide(one!._id, 'same')
    await decide(two!._id, 'same')
    expect(await notices()).toEqual(['match.exposed'])
    const mail = await noticeWriter(world.services)({ notice: 'match.exposed', id: one!._id })
    expect(mail?.text).toContain(`/dashboard/identity?match=${one!._id}`)
    expect(mail?.text).toContain('It cannot be turned off.')
    const { data } = await world.call(ownIdentity, investor)
    expect(data).toMatchObject({ exposed: true, waiting: { investments: 0 } })
    await clear(one!._id)
    await clear(two!._id)
    expect(await notices()).toEqual(['match.cleared', 'match.exposed'])
    expect((await world.call(ownIdentity, investor)).data.exposed).toBe(false)
  })

  test('is emailed to the investor, with the way to their identity', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    const mail = await noticeWriter(world.services)({ notice: 'match.exposed', id: _id })
    expect(mail!.subject).toContain('where your money comes from')
    expect(mail!.text).toContain('/dashboard/identity')
  })

  test('tells the investor once if two people decide two matches at once', async () => {
    await list(minister, { ...minister, id: 'Q101' })
    const [one, two] = await matches()
    await Promise.all([decide(one!._id, 'same'), decide(two!._id, 'same', world.admin)])
    expect(await notices()).toEqual(['match.exposed'])
  })

  test('tells staff for 30 days if a decided one returns to the list', async () => {
    const told = async () => {
      await tellStaff(world.services)
      const { rows } = await world.owner(
        "SELECT FROM app.staff_alerts WHERE kind = 'pep.waiting' AND closed_at IS NULL",
      )
      return rows.length
    }
    const { _id } = await found()
    await decide(_id, 'same')
    expect(await told()).toBe(0)
    world.clock.pass({ minutes: 1 })
    await list(other, { ...other, id: 'Q300' })
    expect(await told()).toBe(0)
    await list(minister, other)
    expect(await told()).toBe(1)
    expect((await world.call(listNotifications, support, {})).data[0]).toMatchObject({
      kind: 'pep.waiting',
      text: 'Mira Minister is “Mira Minister”, a politically exposed person, on the list again.',
    })
    // Another version of an entry on the list is no return.
    await list({ ...minister, countries: 'fr' }, other)
    expect(await told()).toBe(1)
    world.clock.pass({ days: returnedExposureDays })
    expect(await told()).toBe(0)
  })

  test('asks for nothing more once the entry has left the list', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    const id = await invest()
    await list(other, { ...other, id: 'Q300' })
    expect((await approveIt(id)).status).toBe(200)
  })

  test('is shown on the account and in the review of a proof', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    const { data: user } = await world.call(getUser, world.admin, { params: { id: investor.id } })
    expect(user.exposed).toEqual({ open: 0, same: 1 })
    const id = await prove('identity')
    const { data } = await world.call(getCheck, compliance, { params: { id } })
    expect(data.person.exposed).toBe(true)
  })
})

describe('dates of birth', () => {
  test.each([
    ['1970-03-15', ['1970-03-15'], 'agrees'],
    ['1970-03-15', ['1971', '1970'], 'agrees'],
    ['1970-03-15', ['1970-04'], 'contradicts'],
    ['1970-03-15', ['1965-01-01', '1966'], 'contradicts'],
    ['1970-03-15', ['1965-01-01', 'circa 1966'], 'unclear'],
    ['1970-03-15', [], 'unclear'],
  ])('of %s, compared with %j: %s', (birth, listed, verdict) => {
    expect(verdictOf(birth, listed)).toBe(verdict)
  })

  test('are compared for who may open proofs, who leaves a line in the audit log', async () => {
    const { _id } = await found()
    const compare = (by: Person) => world.call(compareBirths, by, { params: { id: _id } })
    expect((await compare(compliance)).data).toEqual({ verdict: 'unknown' })
    const check = await prove('identity', '1980-01-01')
    const { data } = await compare(compliance)
    expect(data).toEqual({ verdict: 'contradicts' })
    expect(await compare(support)).toMatchObject({ status: 403 })
    expect((await world.call(getMatch, support, { params: { id: _id } })).data.status).toBe('open')
    const { rows } = await world.owner(
      "SELECT actor_id, details FROM app.audit_log WHERE action = 'screening.births_compared' ORDER BY id",
    )
    expect(rows).toEqual([
      { actor_id: compliance.id, details: { match: _id, check: null } },
      { actor_id: compliance.id, details: { match: _id, check } },
    ])
  })
})

describe('lists of politically exposed persons and of sanctions', () => {
  test('stop nobody before their name was compared with the former alone', async () => {
    await importPeps(world, [minister, other], { compares: false })
    const { data: asked } = await ask(investor, 100)
    expect((await approve(asked._id)).status).toBe(200)
  })

  test('stop withdrawals until names were compared with the first of the latter', async () => {
    await list(minister, other)
    const { data: asked } = await ask(investor, 100)
    await importSdn(world, [{ uid: 1, last: 'NOBODY AT ALL' }], { compares: false })
    expect(await approve(asked._id)).toMatchObject({ status: 409, reason: 'owner_uncompared' })
    await screenPeople(world.services)
    expect((await approve(asked._id)).status).toBe(200)
  })

  test('are compared each by themselves, so that neither hides the other', async () => {
    await importSdn(world, [{ uid: 1, first: 'Mira', last: 'MINISTER' }], { compares: false })
    await list(minister, other)
    expect((await matches()).map(one => one.list).toSorted()).toEqual(['ofac_sdn', 'pep'])
  })

  test('name people alone of the former, and no wallets, in the database either', async () => {
    await list(minister)
    const imported = (rest: string) =>
      expect(
        world.owner(`
          WITH i AS (INSERT INTO app.list_imports (list, published_on, sha256, entries, wallets, imported_at)
                     VALUES ('pep', '2026-11-20', sha256('x'), 1, 0, now()) RETURNING id)
          ${rest}`),
      ).rejects
    await imported(`
      INSERT INTO app.list_entries (list, entry, kind, names, weak, births, countries, programmes, added_by)
      SELECT 'pep', 'x', 'organisation', '{x}', '{}', '{}', '{}', '{}', id FROM i`).toMatchObject({
      code: '23514',
      constraint: 'list_entries_check1',
    })
    const wallets = world.owner(`
      INSERT INTO app.list_imports (list, published_on, sha256, entries, wallets, imported_at)
      VALUES ('pep', '2026-11-20', sha256('x'), 1, 1, now())`)
    await expect(wallets).rejects.toMatchObject({ code: '23514', constraint: 'list_imports_check1' })
  })
})

describe('the list of politically exposed persons', () => {
  const many = Array.from({ length: 10 }, (_, n) => ({ id: `Q${n}`, name: `Person ${n}` }))
  const exchange = (entries: PepEntry[], day: string, exchanges: boolean) =>
    importList(world.services, 'pep', inPieces(pepCsv(entries, { day })), { exchanges })

  test('is exchanged for a smaller, older one if a person says so, and not else', async () => {
    await list(...many)
    await expect(exchange([minister], '2026-11-12', false)).rejects.toThrow('less than half of the 10')
    await expect(exchange(many, '2026-11-01', false)).rejects.toThrow('the one in force is newer')
    expect(await exchange([minister], '2026-11-01', true)).toMatchObject({
      entries: 1,
      entryChanges: { added: 1, removed: 10 },
    })
    await screenPeople(world.services)
    expect(await matches()).toHaveLength(1)
  })

  test('is no longer in use once it is retired, until it is imported again', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    expect(await retirePeps(world.services)).toBe(2)
    expect((await world.call(ownIdentity, investor)).data.exposed).toBe(false)
    await screenPeople(world.services)
    const lists = async () => (await world.call(listSanctionsLists, support)).data
    expect(await lists()).toMatchObject({
      toCompare: { count: 0 },
      lists: expect.arrayContaining([
        expect.objectContaining({ list: 'pep', inForce: null, checkedAt: null, failing: null }),
      ]),
    })
    expect(await retirePeps(world.services)).toBe(0)
    world.clock.pass({ days: 10 })
    await tellStaff(world.services)
    const { rows } = await world.owner("SELECT FROM app.staff_alerts WHERE kind = 'list.stale'")
    expect(rows).toEqual([])
    await list(minister)
    expect((await world.call(ownIdentity, investor)).data.exposed).toBe(true)
  })

  test('alone can be emptied, in the database too', async () => {
    await importSdn(world, [{ uid: 1, last: 'NOBODY' }], { compares: false })
    const emptied = world.owner(`
      INSERT INTO app.list_imports (list, published_on, sha256, entries, wallets, imported_at)
      VALUES ('ofac_sdn', '2026-11-20', sha256('x'), 0, 0, now())`)
    await expect(emptied).rejects.toMatchObject({ code: 'PB920' })
  })
})

test('a comparison ends after some seconds, and the next one goes on', async () => {
  await world.person('Otto Other')
  await importPeps(world, [minister, other], { day: '2026-11-10', compares: false })
  const left = async () => (await world.call(listSanctionsLists, support)).data.toCompare.count
  const all = await left()
  let now = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => time.mockRestore())
  const slow: typeof hitsOf = (...of) => {
    now += (screeningSeconds / 2) * 1_000
    return hitsOf(...of)
  }
  expect(await screenPeople(world.services, { page: 1, search: slow })).toMatchObject({ screened: 2 })
  expect(await left()).toBe(all - 2)
  await screenPeople(world.services, { page: 1 })
  expect(await left()).toBe(0)
})
