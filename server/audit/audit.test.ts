import { beforeAll, describe, expect, test } from 'vitest'
import { byteOrderMark } from '#server/platform/csv.ts'
import { updateProfile } from '#shared/contract/accounts.ts'
import { approveDeposit, declineDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { listAudit } from '#shared/contract/site.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { parseCsv } from '#test/support/csv.ts'
import { investorWithEverything } from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

test('[N-12] every act of an admin is in the log: who, what, to what, from where and why', async () => {
  const world = await openWorld()
  const { admin } = world
  const investor = await world.person('Ines Investor')
  const body = { reason: 'For a good reason' }
  const of = (id: string) => ({ params: { id } })
  const asked = async (call: typeof newDeposit | typeof newInvestment | typeof newWithdrawal, body: object) =>
    (await world.call(call, investor, { body: body as never })).data._id
  const deposit = () => asked(newDeposit, { method: 'usdt', amount: 1_000 })
  const invest = () => asked(newInvestment, { method: 'usdt', plan: 'Basic', amount: 500 })
  const withdraw = () =>
    asked(newWithdrawal, {
      amount: 10,
      wallet: 'Bitcoin (BTC)',
      walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    })

  const paid = await deposit()
  await world.call(approveDeposit, admin, of(paid))
  const bounced = await deposit()
  await world.call(declineDeposit, admin, { ...of(bounced), body })
  const active = await invest()
  await world.call(approveInvestment, admin, of(active))
  const recorded = await world.call(newReturn, admin, {
    body: { amount: 100, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' },
  })
  const added = await world.call(addEarning, admin, {
    params: { userId: investor.id },
    body: { amount: 5, note: 'March' },
  })
  await world.call(closeInvestment, admin, { ...of(active), body })
  const unwanted = await invest()
  await world.call(declineInvestment, admin, { ...of(unwanted), body })
  const sent = await withdraw()
  await world.call(approveWithdrawal, admin, of(sent))
  await world.call(payWithdrawal, world.secondAdmin, { ...of(sent), body: { transactionId: 'f'.repeat(64) } })
  const refused = await withdraw()
  await world.call(declineWithdrawal, admin, { ...of(refused), body }, { ip: '192.0.2.7' })

  const { data } = await world.call(listAudit, admin, { query: { limit: 200 } })
  const acts = data.filter(({ actor }) => actor === admin.id || actor === world.secondAdmin.id).toReversed()
  expect(acts.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
    ['deposit.approved', paid, null],
    ['deposit.declined', bounced, body.reason],
    ['investment.approved', active, null],
    ['return.recorded', recorded.data._id, 'Rent'],
    ['earning.added', added.data[0]?._id, 'March'],
    ['investment.closed', active, body.reason],
    ['investment.declined', unwanted, body.reason],
    ['withdrawal.approved', sent, null],
    ['withdrawal.paid', sent, null],
    ['withdrawal.declined', refused, body.reason],
  ])
  const number = expect.stringMatching(/^(DEP|INV|WDR)-\d{4}-\d{6}$/)
  expect(acts.map(({ subjectName }) => subjectName)).toEqual([
    number,
    number,
    number,
    'Rent',
    expect.stringMatching(/^Basic, INV-\d{4}-\d{6}$/),
    ...Array(5).fill(number),
  ])
  expect(acts.at(-1)).toMatchObject({ actorName: admin.name, ip: '192.0.2.7' })
  expect(acts.every(line => line.requestId !== null)).toBe(true)
  const moved = acts.filter(({ action }) => !/recorded|added/.test(action))
  const statuses = moved.map(({ details }) => [details.before, details.after])
  const status = (before: string, after: string) => [{ status: before }, { status: after }]
  expect(statuses).toEqual([
    status('pending', 'paid'),
    status('pending', 'declined'),
    status('pending', 'active'),
    status('active', 'inactive'),
    status('pending', 'declined'),
    status('pending', 'approved'),
    status('approved', 'paid'),
    status('pending', 'declined'),
  ])

  const declined = await world.call(listAudit, admin, { query: { status: 'deposit.declined' } })
  expect(declined.data.map(line => line.subject)).toEqual([bounced])
  expect(declined.page?.total).toBe(1)
})

test('[N-12] an entry says what people call its subject, of each kind that is kept', async () => {
  const world = await openWorld()
  const person = await investorWithEverything(world, 'Ines Investor')
  const { rows } = await world.owner(`
    INSERT INTO app.staff_invitations (id, token_hash, name, email, role, created_at, expires_at)
    VALUES (uuidv7(), 'x', 'Ivo Invited', 'ivo@probity.test', 'support', now(), now()) RETURNING id`)
  const { rows: batches } = await world.owner(`
    INSERT INTO app.payout_batches (id, number, rail, wallet, asset, network, sender, units, created_by, created_at)
    SELECT uuidv7(), 'PAY-1', 'ethereum', 'Ethereum (ETH)', 'ETH', 'Sepolia', '0x1', 1, id, now()
      FROM app.users WHERE id = '${person.id}' RETURNING id`)
  const called = {
    deposit: [person.deposit, /^DEP-/],
    investment: [person.investment, /^INV-/],
    withdrawal: [person.withdrawal, /^WDR-/],
    payout: [batches[0].id, /^PAY-1$/],
    earning: [person.earning, /^Basic, INV-/],
    return: [person.proof, /^Sale$/],
    plan: [person.plan, /^Beginner$/],
    statistic: [person.statistic, /./],
    message: [person.message, /^A question$/],
    user: [person.id, /^Ines Investor$/],
    invitation: [rows[0].id, /^Ivo Invited$/],
    session: [person.session, /^Ines Investor$/],
  } as const
  for (const [kind, [id]] of Object.entries(called)) {
    await world.owner(
      `INSERT INTO app.audit_log (action, reason, subject_kind, subject_id) VALUES ('logout', 'kinds', '${kind}', '${id}')`,
    )
  }
  const { data } = await world.call(listAudit, world.admin, { query: { q: 'kinds', limit: 50 } })
  const names = Object.fromEntries(data.map(({ subjectKind, subjectName }) => [subjectKind, subjectName]))
  expect(Object.keys(names).sort()).toEqual(Object.keys(called).sort())
  for (const [kind, [, name]] of Object.entries(called)) expect(names[kind], kind).toMatch(name)
})

test("[N-12] an entry names its person, and a record's number finds all its entries", async () => {
  const world = await openWorld()
  const investor = await world.person('Ines Investor')
  const deposits = []
  for (let n = 0; n < 2; n += 1) {
    const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
    await world.call(approveDeposit, world.admin, { params: { id: data._id } })
    deposits.push(data)
  }
  const search = async (q: string) => (await world.call(listAudit, world.admin, { query: { q } })).data
  for (const { invoiceId } of deposits) {
    const found = await search(` ${invoiceId.toLowerCase()} `)
    expect(found.map(({ action, subjectName }) => [action, subjectName])).toEqual([
      ['deposit.approved', invoiceId],
      ['deposit.requested', invoiceId],
    ])
  }
  expect(await search('DEP-2000-999999')).toEqual([])
  await world.call(updateProfile, investor, {
    body: {
      name: 'Ines Married',
      email: investor.email,
      phone: '+61 400 000 000',
      country: 'Australia',
    },
  })
  const [changed] = await search('profile.updated')
  expect(changed).toMatchObject({
    subjectKind: 'user',
    subjectName: 'Ines Married',
    actorName: 'Ines Married',
  })
})

test('[N-12] the log pages by cursor, newest first, without a gap', async () => {
  const world = await openWorld()
  const investor = await world.person('Ines Investor')
  for (let n = 0; n < 3; n += 1)
    await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
  const whole = await world.call(listAudit, world.admin, { query: { limit: 50 } })
  const first = await world.call(listAudit, world.admin, { query: { limit: 2 } })
  const rest = await world.call(listAudit, world.admin, {
    query: { limit: 2, cursor: first.page!.nextCursor! },
  })
  expect([...first.data, ...rest.data]).toEqual(whole.data)
  expect([first.page?.total, rest.page?.nextCursor]).toEqual([3, null])
})

describe('the log is searched and taken away', () => {
  let world: World
  let investor: Person
  beforeAll(async () => {
    world = await openWorld()
    investor = await world.person('Petra Prompt')
    for (const by of [world.admin, world.secondAdmin]) {
      const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount: 100 } })
      await world.call(approveDeposit, by, { params: { id: data._id } })
      world.clock.pass({ days: 10 })
    }
    await world.call(updateProfile, investor, {
      body: { name: '=Petra Prompt', email: investor.email, phone: '+61 400 000 000', country: 'Australia' },
    })
  })

  const read = async (query: object) =>
    (await world.call(listAudit, world.admin, { query: { limit: 200, ...query } })).data
  const actions = async (query: object) => (await read(query)).map(({ action }) => action)
  /** The day so many days from now, by the world's clock. */
  const day = (days: number) =>
    new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)

  test('[N-12] by who acted, and by the person that it is about', async () => {
    expect(await actions({ actor: world.secondAdmin.id })).toEqual(['deposit.approved'])
    expect(await actions({ q: 'grace' })).toEqual(['deposit.approved'])
    const about = await read({ q: 'petra', status: 'profile.updated' })
    expect(about).toMatchObject([{ subject: investor.id, subjectName: '=Petra Prompt' }])
    expect(await actions({ q: investor.email })).toContain('profile.updated')
  })

  test('[N-12] by a period of whole days, by the zone, and by an act', async () => {
    const all = await actions({})
    expect(await actions({ from: day(-30), to: day(1) })).toEqual(all)
    expect(await actions({ from: day(-1) })).toEqual(['profile.updated'])
    expect(await actions({ to: day(-5), status: 'deposit.approved' })).toHaveLength(2)
    expect(await actions({ to: day(-15), status: 'deposit.approved' })).toHaveLength(1)
    const refused = await world.call(listAudit, world.admin, { query: { from: day(0), to: day(-1) } })
    expect(refused).toMatchObject({ status: 400, fields: { to: expect.any(String) } })
    const unknown = await world.call(listAudit, world.admin, { query: { status: 'deposit.eaten' } })
    expect(unknown).toMatchObject({ status: 400, fields: { status: expect.any(String) } })
  })

  const download = (query = '', who = world.admin) =>
    world.app.inject({
      url: `/api/audit/get-all.csv${query}`,
      headers: { authorization: `Bearer ${world.tokenOf(who)}` },
    })

  test('[N-12, N-13] CSV export has every filtered entry, and no cell runs as a formula', async () => {
    await world.owner(
      'INSERT INTO app.audit_log (action, reason, details) SELECT \'logout\', \'bulk\', \'{"before": {"a": 1}, "after": {"a": 2}}\' FROM generate_series(1, 2300)',
    )
    const { statusCode, headers, body } = await download('?q=bulk')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toContain('text/csv')
    expect(headers['content-disposition']).toMatch(/filename="audit-log-\d{4}-\d\d-\d\d\.csv"/)
    const lines = parseCsv(body.replace(byteOrderMark, ''))
    expect(lines).toHaveLength(1 + 2300)
    expect(lines[0]).toEqual(expect.arrayContaining(['When', 'Who', 'Before', 'After']))
    expect(new Set(lines.slice(1).map(line => line.at(-1))).size).toBe(2300)
    expect(lines[1]).toEqual(expect.arrayContaining(['logout', 'bulk', '{"a":1}', '{"a":2}']))
    const [, line] = parseCsv((await download('?status=profile.updated')).body)
    expect(line?.[1]).toBe("'=Petra Prompt")
  })

  test('[N-12] logs an export with its filter; a refused export writes nothing', async () => {
    await download('?q=bulk&zone=Australia/Sydney')
    const [latest] = await read({ limit: 1 })
    expect(latest).toMatchObject({
      action: 'list.exported',
      actor: world.admin.id,
      details: { list: 'audit-log', q: 'bulk', zone: 'Australia/Sydney' },
    })
    expect((await download('?from=2026-02-01&to=2026-01-01')).statusCode).toBe(400)
    expect((await download('', await world.person('Sue Support', 'support'))).statusCode).toBe(403)
    expect((await read({ limit: 1 }))[0]).toEqual(latest)
  })

  test('[N-12] a search for a common name finds all entries about these people, in the CSV too', async () => {
    const MANY = 130
    await world.owner(`
      WITH people AS (
        INSERT INTO app.users (id, name, email, phone, country, password_hash, referral_code)
        SELECT uuidv7(), 'Crowd ' || n, 'crowd' || n || '@crowd.example', '1', 'AU', 'x', 'CROWD-' || n
          FROM generate_series(1, ${MANY}) n RETURNING id)
      INSERT INTO app.audit_log (action, subject_kind, subject_id) SELECT 'profile.updated', 'user', id FROM people`)
    for (const q of ['@crowd.example', 'crowd ']) {
      expect(await read({ q }), q).toHaveLength(MANY)
      const lines = parseCsv((await download(`?q=${encodeURIComponent(q)}&status=profile.updated`)).body)
      expect(lines, q).toHaveLength(1 + MANY)
    }
  })

  const forbidden = [
    "UPDATE app.audit_log SET reason = 'Other'",
    'UPDATE app.audit_log SET reason = reason WHERE false',
    'DELETE FROM app.audit_log',
    'DELETE FROM app.audit_log WHERE false',
    'TRUNCATE app.audit_log',
    'TRUNCATE app.audit_log CASCADE',
    'ALTER TABLE app.audit_log DISABLE TRIGGER ALL',
    'DROP TRIGGER audit_log_append_only ON app.audit_log',
    'DROP TABLE app.audit_log',
    "SET session_replication_role = 'replica'",
    `INSERT INTO app.audit_log (id, action) OVERRIDING SYSTEM VALUE
     SELECT id, 'logout' FROM app.audit_log LIMIT 1
     ON CONFLICT (id) DO UPDATE SET reason = 'Other'`,
  ]
  test.each(forbidden)('[N-12, B-01] the application can only add to it: %s', async statement => {
    const before = await read({ q: 'petra' })
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
    expect(await read({ q: 'petra' })).toEqual(before)
  })

  test.each([
    "UPDATE app.audit_log SET reason = 'Other'",
    'DELETE FROM app.audit_log',
    'TRUNCATE app.audit_log',
  ])('[N-12, B-01] nor does a slip of the owner of the tables change it: %s', async statement => {
    await expect(world.owner(statement)).rejects.toMatchObject({ code: 'PB900' })
  })
})
