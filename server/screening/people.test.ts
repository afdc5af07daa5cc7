import { beforeEach, describe, expect, test } from 'vitest'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { updateProfile } from '#shared/contract/accounts.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { closeAccount, reopenUser } from '#shared/contract/closing.ts'
import { consoleSummary, getUser, unfreezeUser } from '#shared/contract/console.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { decideMatch, getMatch, listMatches, listSanctionsLists } from '#shared/contract/screening.ts'
import { approveWithdrawals, getWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { until } from '#test/support/processes.ts'
import { importSdn, importUn, type SdnEntry } from '#test/support/sanctions.ts'
import { transactionOf, withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { hitsOf } from './names/matcher.ts'
import { screenPeople } from './screen.ts'

/** People whose names are like those on sanctions lists. */
let world: World
let investor: Person
let support: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  investor = await world.person('Ali Khorashadizadeh')
  support = await world.person('Sue Support', 'support')
  await world.fund(investor, 100_000n)
})
const { ask, approve, approved, decline, declineUnpaid, pay } = withdrawalsIn(() => world)

const listed = {
  uid: 25308,
  first: 'Ali',
  last: 'KHORASHADIZADEH',
  aliases: [['strong', 'ANOTHER NAME']],
} satisfies SdnEntry
const other: SdnEntry = { uid: 306, last: 'BANCO NACIONAL DE CUBA' }
let days: number
beforeEach(() => {
  days = 0
})
/** Puts a newer list in force each time. */
const list = (...entries: SdnEntry[]) => {
  days += 1
  return importSdn(world, entries, { day: `11/${String(days).padStart(2, '0')}/2026`, compares: false })
}
const screen = (page?: number) => screenPeople(world.services, page === undefined ? {} : { page })
const matches = async (query: object = {}) =>
  (await world.call(listMatches, world.admin, { query: { sort: 'found', ...query } })).data
const decide = (id: string, decision: 'different' | 'same' = 'different', by = support) =>
  world.call(decideMatch, by, { params: { id }, body: { decision, reason: 'Born in another year' } })
const correct = (id: string, decision: 'different' | 'same') =>
  world.call(decideMatch, world.admin, {
    params: { id },
    body: { decision, reason: 'Born in another year', corrects: true },
  })
/** The list with the investor's name, compared. */
const found = async () => {
  await list(listed, other)
  await screen()
  const [match] = await matches()
  return match!
}
const close = async (who: Person) => {
  const password = 'correct horse battery'
  await world.services.db
    .updateTable('app.users')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', who.id)
    .execute()
  expect((await world.call(closeAccount, who, { body: { password } })).status).toBe(200)
}
const reopen = (who: Person) =>
  world.call(reopenUser, world.admin, { params: { id: who.id }, body: { reason: 'They asked' } })
const unfreeze = (who: Person) =>
  world.call(unfreezeUser, world.admin, { params: { id: who.id }, body: { reason: 'They asked' } })
/** Marks as paid what left before. */
const recordSent = (id: string) =>
  world.call(payWithdrawal, world.secondAdmin, {
    params: { id },
    body: { transactionId: `0x${transactionOf(id)}`, sent: true },
  })
/** As the owner of the database would. */
const approvedByOwner = (id: string) =>
  world.ownerPool.query(`
    INSERT INTO app.withdrawal_approvals (withdrawal_id, admin_id) VALUES ('${id}', '${world.admin.id}');
    UPDATE app.withdrawals SET status = 'approved', approved_at = now() WHERE id = '${id}'`)
const statuses = async () => (await matches()).map(({ status }) => status)

describe('names of people', () => {
  test('are compared with a list once it is imported, and once only', async () => {
    await list(listed, other)
    expect(await screen()).toEqual({ screened: 4, found: 1 })
    expect(await screen()).toEqual({ screened: 0, found: 0 })
    expect(await matches()).toMatchObject([
      {
        user: investor.id,
        userName: 'Ali Khorashadizadeh',
        list: 'ofac_sdn',
        publisher: 'OFAC (the US Office of Foreign Assets Control)',
        entry: '25308',
        kind: 'person',
        listedName: 'Ali KHORASHADIZADEH',
        score: 100,
        status: 'open',
        inForce: true,
        decidedBy: null,
      },
    ])
  })

  test('are compared with weak names and organisations, not with vessels or aircraft', async () => {
    await world.person('Marina Starfish')
    await list(
      { ...other, uid: 1, last: 'MARINA STARFISH', type: 'Vessel' },
      { ...other, uid: 2, last: 'MARINA STARFISH', type: 'Aircraft' },
      { ...other, uid: 3, last: 'MARINA STARFISH' },
      { ...other, uid: 4, aliases: [['weak', 'Marina Starfish']] },
    )
    await screen()
    expect((await matches({ sort: 'name' })).map(({ entry }) => entry).toSorted()).toEqual(['3', '4'])
  })

  test('are compared for those who register later, or change their name', async () => {
    await list(listed, other)
    await screen()
    const later = await world.person('Aly Khorashadizade')
    expect(await screen()).toEqual({ screened: 1, found: 1 })
    const renamed = await world.person('Nina New')
    expect(await screen()).toEqual({ screened: 1, found: 0 })
    await world.owner(`UPDATE app.users SET name = 'Ali Khorashadizadeh' WHERE id = '${renamed.id}'`)
    expect(await screen()).toEqual({ screened: 1, found: 1 })
    expect((await matches()).map(({ user }) => user)).toEqual([investor.id, later.id, renamed.id])
    // A change of something else is none of the name.
    await world.call(updateProfile, later, { body: { phone: '+61 491 570 156' } as never })
    expect(await screen()).toMatchObject({ screened: 0 })
  })

  test('are compared with each list, whatever the clock of its import says', async () => {
    await list(other)
    await screen()
    world.clock.pass({ minutes: -1 })
    await importUn(world, [{ reference: 'QDi.001', names: ['Ali', 'Khorashadizadeh'] }])
    expect(await screen()).toEqual({ screened: 4, found: 1 })
  })

  test('are found however many other words they have, and have no more than 20', async () => {
    await world.person(`Ali ${'張'.repeat(9)} ${'z '.repeat(9)} Khorashadizadeh`)
    await list(listed, other)
    expect(await screen()).toMatchObject({ found: 2 })
    const profile = {
      name: `Ali ${'張'.repeat(19)} Khorashadizadeh`,
      email: investor.email,
      country: 'Australia',
    }
    expect(
      await world.call(updateProfile, investor, { body: { ...profile, phone: '+61 491 570 156' } }),
    ).toMatchObject({ status: 400, message: 'Name can have at most 20 words' })
  })

  test('are compared page by page, the new ones first', async () => {
    await list(other)
    await screen()
    await list(listed, other)
    await world.owner(`UPDATE app.users SET name = 'Aly Khorashadizade' WHERE id = '${support.id}'`)
    expect(await screen(1)).toEqual({ screened: 4, found: 2 })
    expect(await screen(1)).toEqual({ screened: 0, found: 0 })
  })

  test('that change while they are compared are compared again', async () => {
    await list(listed, other)
    const renaming = await world.ownerPool.connect()
    await renaming.query('BEGIN')
    await renaming.query(`UPDATE app.users SET name = 'Ina Innocent' WHERE id = '${investor.id}'`)
    const screening = screen()
    await until(async () => {
      const { rows } = await world.owner(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      return rows.length > 0
    })
    await renaming.query('COMMIT')
    renaming.release()
    expect(await screening).toMatchObject({ found: 0 })
    expect(await screen()).toEqual({ screened: 1, found: 0 })
    expect(await matches()).toEqual([])
  })

  test('that cannot be compared stay due, are told after an hour, and stop no other', async () => {
    await list(listed, other)
    const failing: typeof hitsOf = async (key, names, load, kind) =>
      (await hitsOf(key, names, load, kind))!.map((hits, n) =>
        names[n] === support.name ? new Error('broken') : hits,
      )
    expect(await screenPeople(world.services, { search: failing })).toEqual({ screened: 3, found: 1 })
    const late = async () => {
      await tellStaff(world.services)
      const { data } = await world.call(listNotifications, support, {})
      return data.filter(({ kind }) => kind === 'screening.late')
    }
    world.clock.pass({ minutes: 59 })
    expect(await late()).toEqual([])
    world.clock.pass({ minutes: 2 })
    expect(await late()).toMatchObject([
      { text: 'Names wait for their comparison with the sanctions lists.' },
    ])
    expect(await screen()).toEqual({ screened: 1, found: 0 })
  })

  test('wait for the next run once another list is imported meanwhile', async () => {
    await list(other)
    const importing: typeof hitsOf = async (...asked) => {
      const hits = await hitsOf(...asked)
      await list(listed, other)
      return hits
    }
    expect(await screenPeople(world.services, { search: importing })).toEqual({ screened: 0, found: 0 })
    expect(await screen()).toEqual({ screened: 4, found: 1 })
  })

  test('wait for the next run once the worker has to stop', async () => {
    await list(listed, other)
    expect(await screenPeople(world.services, { signal: AbortSignal.abort() })).toMatchObject({ screened: 0 })
    expect(await screen()).toMatchObject({ found: 1 })
  })

  test('of closed accounts are not compared until they are reopened', async () => {
    const gone = await world.person('Ali Khorashadizadeh')
    await close(gone)
    await list(listed, other)
    expect(await screen()).toEqual({ screened: 4, found: 1 })
    await reopen(gone)
    expect(await screen()).toEqual({ screened: 1, found: 1 })
  })

  test('are matched once by two workers at the same time', async () => {
    await list(listed, other)
    await Promise.all([screen(), screen()])
    expect(await matches()).toHaveLength(1)
  })
})

describe('a match', () => {
  test('stays decided when the list is imported again with the same names', async () => {
    const { _id } = await found()
    expect((await decide(_id)).data).toMatchObject({ status: 'different', decidedBy: 'Sue Support' })
    await list(listed, other, { ...other, uid: 7, last: 'ANYBODY ELSE' })
    expect(await screen()).toEqual({ screened: 4, found: 0 })
    // The entry itself is another version, with the same names.
    await list({ ...listed, type: 'Entity' }, other)
    expect(await screen()).toMatchObject({ found: 0 })
    expect(await statuses()).toEqual(['different'])
  })

  test('comes anew if the entry has another name', async () => {
    const { _id } = await found()
    await decide(_id)
    await list({ ...listed, last: 'KHORASHADI ZADEH' }, other)
    expect(await screen()).toMatchObject({ found: 1 })
    expect(await matches()).toMatchObject([
      { status: 'different' },
      { status: 'open', listedName: 'Ali KHORASHADI ZADEH' },
    ])
  })

  test('comes anew with another name of the entry, also if that is less alike', async () => {
    const { _id } = await found()
    await decide(_id)
    await list({ ...listed, aliases: [...listed.aliases, ['strong', 'Ali Reza KHORASHADIZADEH']] }, other)
    expect(await screen()).toMatchObject({ found: 1 })
    expect(await matches({ status: 'open' })).toMatchObject([{ listedName: 'Ali Reza KHORASHADIZADEH' }])
    // Once.
    await list({ ...listed, aliases: [['strong', 'Ali Reza KHORASHADIZADEH']] }, other)
    expect(await screen()).toMatchObject({ found: 0 })
  })

  test('lapses when its entry leaves the list, and is open again when it returns', async () => {
    const { _id } = await found()
    await list({ ...other, uid: 9 }, other)
    await screen()
    expect(await matches()).toMatchObject([{ status: 'lapsed', inForce: false }])
    expect(await matches({ status: 'open' })).toEqual([])
    expect(await matches({ status: 'lapsed' })).toHaveLength(1)
    expect(await decide(_id)).toMatchObject({ status: 409, reason: 'match_lapsed' })
    await list(listed, other)
    await screen()
    expect(await matches({ status: 'open' })).toMatchObject([{ _id }])
  })

  test('shows the person, the entry and their other matches', async () => {
    const { _id } = await found()
    await list(listed, { ...listed, uid: 2, aliases: [...listed.aliases, ['weak', 'THE TALL ONE']] })
    await screen()
    const { data } = await world.call(getMatch, world.admin, { params: { id: _id } })
    expect(data).toMatchObject({
      person: { _id: investor.id, name: 'Ali Khorashadizadeh', email: investor.email, frozen: false },
      details: { names: ['Ali KHORASHADIZADEH', 'ANOTHER NAME'], weak: [], births: [] },
      others: [{ entry: '2' }],
    })
    const { data: theirs } = await world.call(getUser, world.admin, { params: { id: investor.id } })
    expect(theirs.matches).toEqual({ open: 2, same: 0 })
    const { data: lists } = await world.call(listSanctionsLists, world.admin)
    expect(lists.lists).toContainEqual(
      expect.objectContaining({
        list: 'ofac_sdn',
        inForce: expect.objectContaining({ publishedOn: '2026-11-02', entries: 2, wallets: 0 }),
      }),
    )
  })

  test('is told to staff until someone has decided it', async () => {
    const { _id } = await found()
    await tellStaff(world.services)
    const alerts = async () => (await world.call(listNotifications, support, {})).data
    expect(await alerts()).toMatchObject([
      {
        kind: 'match.waiting',
        text: 'Ali Khorashadizadeh may be “Ali KHORASHADIZADEH” on the sanctions list of OFAC (the US Office of Foreign Assets Control).',
      },
    ])
    const waiting = async () => (await world.call(consoleSummary, world.admin)).data.waiting.matches.count
    expect(await waiting()).toBe(1)
    await decide(_id)
    expect(await tellStaff(world.services)).toBe(0)
    expect(await waiting()).toBe(0)
  })

  test('is decided by someone else who cares for accounts, and once the same way', async () => {
    const { _id } = await found()
    const finance = await world.person('Finn Finance', 'finance')
    const before = await world.state()
    expect(await decide(_id, 'same', finance)).toMatchObject({ status: 403 })
    expect(await world.state()).toEqual(before)
    expect((await decide(_id)).status).toBe(200)
    const again = await decide(_id, 'different', world.admin)
    expect(again).toMatchObject({
      status: 409,
      reason: 'match_decided',
      message: 'Sue Support has decided this already.',
    })
  })

  test.each([
    ['alike', 'same'],
    ['differently', 'different'],
  ] as const)('decided by two at once, %s, is decided by one of them', async (_, second) => {
    const { _id } = await found()
    const answers = await Promise.all([decide(_id, 'same'), decide(_id, second, world.admin)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const won = answers.find(({ status }) => status === 200)!
    const lost = answers.find(({ status }) => status === 409)!
    expect(lost).toMatchObject({
      reason: 'match_decided',
      message: `${won.data.decidedBy} has decided this already.`,
    })
    const { data } = await world.call(getMatch, support, { params: { id: _id } })
    expect(data).toMatchObject({ status: won.data.status, decidedBy: won.data.decidedBy })
  })

  test('off the list is corrected to somebody else, but freezes nobody', async () => {
    const { _id } = await found()
    await decide(_id)
    await list({ ...other, uid: 9 }, other)
    expect(await correct(_id, 'same')).toMatchObject({ status: 409, reason: 'match_lapsed' })
    expect((await world.call(getMatch, support, { params: { id: _id } })).data.person.frozen).toBe(false)
  })

  test('is told again if the listed one returns to the list and is not frozen', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    await list({ ...other, uid: 9 }, other)
    expect((await unfreeze(investor)).status).toBe(200)
    await list(listed, other)
    await tellStaff(world.services)
    expect((await world.call(listNotifications, support, {})).data[0]).toMatchObject({
      kind: 'match.waiting',
      text: expect.stringContaining('again, but the account is not frozen'),
    })
  })

  test('is corrected by another person, and both decisions stay in the audit log', async () => {
    const { data: asked } = await ask(investor, 100)
    const { _id } = await found()
    await decide(_id, 'same')
    expect(await decide(_id, 'different')).toMatchObject({ status: 409, reason: 'own_decision' })
    // Their process has another clock.
    world.clock.pass({ minutes: -1 })
    expect((await correct(_id, 'different')).data).toMatchObject({
      status: 'different',
      decidedBy: 'Ada Admin',
      person: { frozen: true },
    })
    await world.call(unfreezeUser, world.admin, {
      params: { id: investor.id },
      body: { reason: 'Wrong one' },
    })
    expect((await approve(asked._id)).status).toBe(200)
    const { rows } = await world.owner(
      "SELECT details -> 'before' ->> 'status' AS before, details -> 'after' ->> 'status' AS after FROM app.audit_log WHERE action = 'screening.decided' ORDER BY id",
    )
    expect(rows).toEqual([
      { before: 'open', after: 'same' },
      { before: 'same', after: 'different' },
    ])
  })

  test('of a member of the team is decided by another admin, not by them', async () => {
    const namesake = await world.person('Ali Khorashadizadeh', 'admin')
    await list(listed, other)
    await screen()
    const own = (await matches()).find(({ user }) => user === namesake.id)!
    expect(await decide(own._id, 'different', namesake)).toMatchObject({ code: 'own_request' })
    expect(await decide(own._id, 'different', support)).toMatchObject({ status: 403 })
    const byOwner = (decider: Person) =>
      world.ownerPool.query(`
        UPDATE app.name_matches SET decision = 'different', reason = 'x', decided_at = now(), decided_by = '${decider.id}'
         WHERE id = '${own._id}'`)
    await expect(byOwner(support)).rejects.toMatchObject({ code: 'PB914' })
    await expect(byOwner(namesake)).rejects.toMatchObject({ code: 'PB914' })
    expect((await decide(own._id, 'different', world.admin)).status).toBe(200)
  })

  test('leaves an audit line with the reason, before and after', async () => {
    const { _id } = await found()
    await decide(_id)
    const { rows } = await world.owner(
      "SELECT subject_id, reason, details FROM app.audit_log WHERE action = 'screening.decided'",
    )
    expect(rows).toEqual([
      {
        subject_id: investor.id,
        reason: 'Born in another year',
        details: {
          before: { status: 'open' },
          after: { status: 'different' },
          match: _id,
          list: 'ofac_sdn',
          entry: '25308',
          name: 'Ali KHORASHADIZADEH',
        },
      },
    ])
  })

  test('decided as the same person freezes the account, once', async () => {
    await list(listed, { ...listed, uid: 2 })
    await screen()
    const [two, one] = (await matches()).toSorted((a, b) => Number(a.entry) - Number(b.entry))
    expect((await decide(one!._id, 'same')).data).toMatchObject({ status: 'same', person: { frozen: true } })
    const { data } = await world.call(getUser, world.admin, { params: { id: investor.id } })
    expect(data.freeze?.reason).toBe(
      'The owner is on the sanctions list of OFAC (the US Office of Foreign Assets Control), entry 25308 (Ali KHORASHADIZADEH).',
    )
    expect((await decide(two!._id, 'same')).status).toBe(200)
    expect(await statuses()).toEqual(['same', 'same'])
  })

  test('decided as the same person keeps the account frozen while the entry is listed', async () => {
    const { _id } = await found()
    await decide(_id, 'same')
    const before = await world.state()
    expect(await unfreeze(investor)).toMatchObject({
      status: 409,
      reason: 'owner_listed',
      message: expect.stringContaining('another person corrects the decision first'),
    })
    expect(await world.state()).toEqual(before)
    const ended = world.ownerPool.query(`
      UPDATE app.users SET frozen_at = NULL, frozen_by = NULL, freeze_reason = NULL WHERE id = '${investor.id}'`)
    await expect(ended).rejects.toMatchObject({ code: 'PB914' })
    await list({ ...other, uid: 9 }, other)
    expect((await unfreeze(investor)).status).toBe(200)
  })

  test('decided as the same person keeps a closed account closed', async () => {
    const gone = await world.person('Aly Khorashadizade')
    await list(listed, other)
    await screen()
    await close(gone)
    const [match] = await matches({ q: gone.id })
    expect(await decide(match!._id, 'same')).toMatchObject({
      message: 'Decided: the listed one',
      data: { person: { frozen: false, closed: true } },
    })
    expect(await reopen(gone)).toMatchObject({ status: 409, reason: 'owner_listed' })
    const reopened = world.ownerPool.query(`
      UPDATE app.users SET closed_at = NULL, frozen_at = NULL, frozen_by = NULL, freeze_reason = NULL WHERE id = '${gone.id}'`)
    await expect(reopened).rejects.toMatchObject({ code: 'PB914' })
  })
})

describe('a withdrawal of a person with a match', () => {
  const stopped = {
    code: 'wrong_state',
    reason: 'owner_matched',
    message:
      'Ali Khorashadizadeh may be on the sanctions list of OFAC (the US Office of Foreign Assets Control), entry 25308 (Ali KHORASHADIZADEH). Someone with the role Admin or Support must decide the match first.',
  }

  test('is requested, but not approved, alone or with others, until it is decided', async () => {
    const { _id } = await found()
    const { data: asked } = await ask(investor, 100)
    const stranger = await world.person('Ines Investor')
    await world.fund(stranger, 10_000n)
    const { data: fine } = await ask(stranger, 50)
    await screen()
    const before = await world.state()
    expect(await approve(asked._id)).toMatchObject({ status: 409, ...stopped })
    expect(await world.state()).toEqual(before)
    const { data: results } = await world.call(approveWithdrawals, world.admin, {
      body: { records: [{ id: asked._id }, { id: fine._id }] },
    })
    expect(results).toMatchObject([{ done: false, ...stopped }, { done: true }])
    const shown = async (who: Person) =>
      (await world.call(getWithdrawal, who, { params: { id: asked._id } })).data.matched
    expect(await shown(world.admin)).toBe(stopped.message)
    expect(await shown(investor)).toBeNull()
    await decide(_id)
    expect(await shown(world.admin)).toBeNull()
    expect((await approve(asked._id)).status).toBe(200)
  })

  test('is declined by staff or cancelled by its owner at any time', async () => {
    await found()
    const { data: first } = await ask(investor, 100)
    const { data: second } = await ask(investor, 200)
    expect((await decline(first._id)).status).toBe(200)
    expect((await world.call(cancelWithdrawal, investor, { params: { id: second._id } })).status).toBe(200)
    expect((await world.balances(investor)).available).toBe(100_000n)
  })

  test('is not approved either if they are the same and on the list again', async () => {
    const { data: asked } = await ask(investor, 100)
    const { _id } = await found()
    await decide(_id, 'same')
    await list({ ...other, uid: 9 }, other)
    await unfreeze(investor)
    await list(listed, other)
    expect(await approve(asked._id)).toMatchObject({
      reason: 'owner_listed',
      message: expect.stringContaining('as your team has decided'),
    })
    await list({ ...other, uid: 9 }, other)
    expect((await approve(asked._id)).status).toBe(200)
  })

  test('that is approved already is recorded as sent before, or declined', async () => {
    const [first, second, third] = [
      await approved(investor, 100),
      await approved(investor, 200),
      await approved(investor, 50),
    ]
    const { _id } = await found()
    const before = await world.state()
    expect(await pay(second._id)).toMatchObject({ status: 409, reason: 'owner_unless_sent' })
    expect(await declineUnpaid(first._id)).toMatchObject({ status: 409, reason: 'wrong_status' })
    expect(await world.state()).toEqual(before)
    expect(await recordSent(second._id)).toMatchObject({ status: 200, data: { status: 'paid' } })
    await decide(_id, 'same')
    expect(await recordSent(third._id)).toMatchObject({ status: 200, data: { status: 'paid' } })
    const { data } = await world.call(getWithdrawal, world.admin, { params: { id: first._id } })
    expect(data).toMatchObject({ ownerStop: 'same', unpayable: null })
    expect(await decline(first._id)).toMatchObject({ status: 409, reason: 'may_be_paid' })
    expect((await declineUnpaid(first._id)).status).toBe(200)
    expect((await world.balances(investor)).available).toBe(75_000n)
    const { rows } = await world.owner(`
      SELECT action, details ->> 'owner' AS owner FROM app.audit_log
       WHERE action IN ('withdrawal.declined', 'withdrawal.paid') ORDER BY id`)
    expect(rows).toEqual([
      { action: 'withdrawal.paid', owner: 'ofac_sdn 25308' },
      { action: 'withdrawal.paid', owner: 'ofac_sdn 25308' },
      { action: 'withdrawal.declined', owner: 'ofac_sdn 25308' },
    ])
  })

  test('that is approved already is not paid before their name was compared', async () => {
    const { _id } = await approved(investor, 100)
    await list(other)
    expect(await pay(_id)).toMatchObject({ status: 409, reason: 'owner_unless_sent' })
    await screen()
    expect((await pay(_id, world.secondAdmin, `0x${transactionOf(_id)}`)).status).toBe(200)
  })

  test('is not approved before their name was compared, once there is a list', async () => {
    const { data: asked } = await ask(investor, 100)
    await list(other)
    await expect(approvedByOwner(asked._id)).rejects.toMatchObject({ code: 'PB914' })
    const uncompared = {
      status: 409,
      reason: 'owner_uncompared',
      message:
        'Ali Khorashadizadeh has not been compared with the sanctions lists yet. That takes a minute, or longer after the first import; try again then. If it lasts, ask the person who runs the servers.',
    }
    expect(await approve(asked._id)).toMatchObject(uncompared)
    const { data: lists } = await world.call(listSanctionsLists, world.admin)
    expect(lists.toCompare).toEqual({ count: 4, isAtLeast: false })
    await screen()
    await world.owner(`UPDATE app.users SET name = 'Ina Innocent' WHERE id = '${investor.id}'`)
    expect(await approve(asked._id)).toMatchObject({ reason: 'owner_uncompared' })
    await screen()
    expect((await approve(asked._id)).status).toBe(200)
  })
})

describe('the database', () => {
  test('approves no withdrawal of a person with a match, even for its owner', async () => {
    const { data } = await ask(investor, 100)
    await found()
    await expect(approvedByOwner(data._id)).rejects.toMatchObject({
      code: 'PB914',
      message: expect.stringContaining('may be on a sanctions list'),
    })
  })

  test('keeps what was found, and lets each decision be another person’s', async () => {
    const { _id } = await found()
    const run = (statement: string) => expect(world.ownerPool.query(statement)).rejects
    const decided = (by: string, rest = '') => `
      UPDATE app.name_matches SET decision = 'different', reason = 'x', decided_at = now(), decided_by = '${by}' ${rest}`
    await run('DELETE FROM app.name_matches').toThrow()
    await run('TRUNCATE app.name_matches').toThrow()
    for (const change of ["user_name = 'x'", 'score = 1', "entry = '306'", "found_at = now() + '1 second'"]) {
      await run(`UPDATE app.name_matches SET ${change}`).toMatchObject({ code: 'PB912' })
    }
    await run(decided(investor.id)).toMatchObject({ code: 'PB914' })
    const finance = await world.person('Finn Finance', 'finance')
    await run(decided(finance.id)).toMatchObject({ code: 'PB914' })
    await run("UPDATE app.name_matches SET decision = 'same'").toThrow()
    await run(decided(support.id, ", score = '1'")).toMatchObject({ code: 'PB912' })
    await decide(_id)
    const same = (by: string) =>
      `UPDATE app.name_matches SET decision = 'same', reason = 'x', decided_at = now(), decided_by = '${by}'`
    await run(same(support.id)).toMatchObject({ code: 'PB914' })
    await run(decided(world.admin.id)).toMatchObject({ code: 'PB914' })
    await run(same(investor.id)).toMatchObject({ code: 'PB914' })
    await run(
      'UPDATE app.name_matches SET decision = NULL, reason = NULL, decided_at = NULL, decided_by = NULL',
    ).toMatchObject({
      code: 'PB912',
    })
    await run(`
      INSERT INTO app.name_matches (id, user_id, user_name, list, entry, listed_name, score, found_by, found_at)
      SELECT uuidv7(), user_id, user_name, list, entry, 'nobody', score, found_by, now() FROM app.name_matches`).toMatchObject(
      {
        code: 'PB912',
      },
    )
  })

  test('numbers imports itself, and takes none before the newest', async () => {
    await list(listed, other)
    const made = (id: number) => `
      INSERT INTO app.list_imports (id, list, published_on, sha256, entries, wallets, imported_at)
      OVERRIDING SYSTEM VALUE VALUES (${id}, 'un_sc', '2026-11-20', sha256(''), 1, 0, now())`
    await expect(world.database.app.query(made(9_999))).rejects.toMatchObject({ code: '42501' })
    await world.owner(made(9_999))
    await expect(world.owner(made(9_998))).rejects.toMatchObject({ code: 'PB920' })
  })

  test('changes entries with an import of their list alone', async () => {
    await list(listed, other)
    const app = (statement: string) => expect(world.database.app.query(statement)).rejects
    await app('UPDATE app.list_entries SET removed_by = added_by').toMatchObject({ code: 'PB920' })
    await app(`
      INSERT INTO app.list_entries (list, entry, kind, names, weak, births, countries, programmes, added_by)
      SELECT list, 'x', kind, names, weak, births, countries, programmes, added_by FROM app.list_entries LIMIT 1`).toMatchObject(
      {
        code: 'PB920',
      },
    )
    await app("UPDATE app.list_entries SET entry = 'x'").toMatchObject({ code: '42501' })
    await app('DELETE FROM app.list_entries').toMatchObject({ code: '42501' })
    await expect(world.owner('DELETE FROM app.list_entries')).rejects.toThrow()
    await expect(world.owner("UPDATE app.list_entries SET names = '{x}'")).rejects.toThrow()
  })
})

describe('importing a list', () => {
  test('adds, removes and changes entries, and counts them', async () => {
    expect((await list(listed, other)).entryChanges).toEqual({ added: 2, removed: 0, changed: 0 })
    const next = await list(
      { ...listed, aliases: [...listed.aliases, ['weak', 'THE TALL ONE']] },
      { ...other, uid: 9 },
    )
    expect(next.entryChanges).toEqual({ added: 1, removed: 1, changed: 1 })
    expect((await list(listed, other)).entryChanges).toEqual({ added: 1, removed: 1, changed: 1 })
    const { rows } = await world.owner(
      'SELECT entry, weak FROM app.list_entries WHERE removed_by IS NULL ORDER BY entry',
    )
    expect(rows).toEqual([
      { entry: '25308', weak: [] },
      { entry: '306', weak: [] },
    ])
  })

  test('is one of all its places in a file', async () => {
    await list({ ...listed, aliases: [] }, { ...listed, last: 'MERGED', aliases: [['weak', 'ONE MORE']] })
    const { rows } = await world.owner('SELECT entry, names, weak FROM app.list_entries')
    expect(rows).toEqual([
      { entry: '25308', names: ['Ali KHORASHADIZADEH', 'Ali MERGED'], weak: ['ONE MORE'] },
    ])
  })
})
