import { beforeAll, beforeEach, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { newId } from '#server/platform/id.ts'
import type { CallDefinition, Failure } from '#shared/contract/define.ts'
import { allCalls } from '#shared/contract/index.ts'
import { may, type Right, type Role, rightFor, rights, roles } from '#shared/roles.ts'
import { everything, investorWithEverything, type Owner, samples } from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/**
 * Every call of the contract, made by everyone who may not: signed-out visitors, other investors, investors on staff
 * calls, and staff without the right. Generated, so that new calls are included.
 */
let world: World
let owner: Owner
let other: Owner
let staff: Record<Role, Person>
/** Texts that identify the owner's data anywhere. */
let marks: string[]

beforeAll(async () => {
  world = await openWorld({ rateLimit: false, demoChain: 'anvil' })
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  owner = await investorWithEverything(world, 'Olivia Owner')
  other = await investorWithEverything(world, 'Oscar Other')
  marks = await marksOf(owner)
  const named = roles.map(async role => [role, await world.person(`Stan ${role}`, role)] as const)
  staff = Object.fromEntries(await Promise.all(named)) as Record<Role, Person>
})

// Some calls end their caller's sessions.
beforeEach(async () => {
  other = await world.signIn(other)
})

/** Name, address, ids and numbers of all the owner's records. */
async function marksOf({ id, name, email }: Owner): Promise<string[]> {
  const { rows } = await world.database.owner.query<{ mark: string }>(
    `SELECT unnest(ARRAY[id::text, referral_code]) AS mark FROM app.users WHERE id = $1
     UNION SELECT id::text FROM app.sessions WHERE user_id = $1
     UNION SELECT unnest(ARRAY[id::text, invoice_id]) FROM app.deposits WHERE user_id = $1
     UNION SELECT unnest(ARRAY[id::text, invoice_id]) FROM app.investments WHERE user_id = $1
     UNION SELECT unnest(ARRAY[id::text, invoice_id]) FROM app.withdrawals WHERE user_id = $1
     UNION SELECT id::text FROM app.passkeys WHERE user_id = $1
     UNION SELECT id::text FROM app.payout_addresses WHERE user_id = $1
     UNION SELECT id::text FROM app.notifications WHERE user_id = $1
     UNION SELECT id::text FROM app.contact_messages WHERE user_id = $1
     UNION SELECT id::text FROM app.contact_files WHERE uploaded_by = $1
     UNION SELECT id::text FROM app.identity_checks WHERE user_id = $1
     UNION SELECT id::text FROM app.identity_files WHERE user_id = $1
     UNION SELECT id::text FROM app.earnings WHERE user_id = $1`,
    [id],
  )
  return [name, email, ...rows.map(({ mark }) => mark)]
}

/** The owner's data in the database, as text. */
async function belongings(): Promise<string[]> {
  const lines = await everything(world)
  return lines.filter(line => !line.startsWith('app.audit_log') && marks.some(mark => line.includes(mark)))
}

async function send(call: CallDefinition, who: Person | null, id: string, about = owner) {
  const { params = {}, query = {}, body } = samples[id]!(about)
  const path = call.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  const response = await world.app.inject({
    method: call.method,
    url: `/api${path}`,
    query,
    headers: who === null ? {} : { authorization: `Token ${world.tokenOf(who)}` },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: response.statusCode, text: response.body }
}

function callsFor(...permissions: CallDefinition['permission'][]): [string, CallDefinition][] {
  return allCalls.filter(call => permissions.includes(call.permission)).map(call => [call.id, call])
}

async function unchanged(act: () => Promise<void>) {
  const before = await everything(world)
  await act()
  expect(await everything(world)).toEqual(before)
}

test.each(callsFor('account', ...rights))('[C-28] %s: nobody gets in without a token', (id, call) =>
  unchanged(async () => {
    const { status, text } = await send(call, null, id)
    expect(status).toBe(401)
    expect((JSON.parse(text) as Failure).code).toBe('token_missing')
  }),
)

test.each(callsFor(...rights))(
  '[R-07] %s: an investor is refused, also about their own records',
  (id, call) =>
    unchanged(async () => {
      for (const who of [other, owner]) await expectRefused(call, who, id)
    }),
)

/** The refusal reveals nothing of the record, not even that it exists. */
async function expectRefused(call: CallDefinition, who: Person, id: string) {
  const { status, text } = await send(call, who, id)
  expect(status, text).toBe(403)
  expect((JSON.parse(text) as Failure).code).toBe('forbidden')
  for (const mark of marks) expect(text).not.toContain(mark)
}

/** Calls that need a right, each with a role. */
function callsByRole(isGiven: boolean): [string, Role, CallDefinition][] {
  return callsFor(...rights).flatMap(([id, call]) =>
    roles
      .filter(role => may(role, rightFor(call)!) === isGiven)
      .map((role): [string, Role, CallDefinition] => [id, role, call]),
  )
}

test.each(callsByRole(false))(
  '[W-01, R-07, N-12] %s: %s, whose role gives no right to it, is refused like an investor',
  (id, role, call) => unchanged(() => expectRefused(call, staff[role], id)),
)

test.each(callsFor('account'))(
  "%s: another investor's call shows and changes nothing of the owner's",
  async (id, call) => {
    const before = await belongings()
    const { status, text } = await send(call, other, id)
    expect(status, text).toBeLessThan(500)
    for (const mark of marks) expect(text).not.toContain(mark)
    expect(await belongings()).toEqual(before)
  },
)

/** Calls that name one record by its id or address. */
const namedRecord = [
  'address.remove',
  'goal.remove',
  'notification.removeDevice',
  'address.rename',
  'auth.echo',
  'auth.endSession',
  'auth.removePasskey',
  'demo.pay',
  'deposit.cancel',
  'deposit.creditOwn',
  'deposit.getOne',
  'earning.getOne',
  'identity.cancel',
  'identity.removeFile',
  'investment.cancel',
  'investment.getOne',
  'investment.reinvest',
  'investment.letter',
  'ledger.allocation',
  'ledger.balances',
  'ledger.earnings',
  'ledger.statement',
  'ledger.statementCsv',
  'ledger.statementPdf',
  'ledger.summary',
  'message.file',
  'message.getOne',
  'message.new',
  'message.read',
  'message.write',
  'ledger.yearCsv',
  'ledger.yearPdf',
  'proof.receipt',
  'return.evidence',
  'withdrawal.cancel',
  'withdrawal.getOne',
  'notification.read',
  'notification.readAll',
]

test.each(callsFor('account').filter(([id]) => namedRecord.includes(id)))(
  "[C-16, C-27] %s: another's record is refused to an investor in the words of a missing one",
  async (id, call) => {
    const theirs = await send(call, other, id)
    expect(theirs.status).toBe(403)
    expect((JSON.parse(theirs.text) as Failure).code).toBe('forbidden')
    expect(await send(call, other, id, nobody())).toEqual(theirs)
  },
)

/** Calls by which staff may read an investor's records, with the right that each needs. Staff read nothing else. */
const readByStaff: Record<string, Right> = {
  'auth.echo': 'console',
  'deposit.getOne': 'console',
  'earning.getOne': 'console',
  'investment.getOne': 'console',
  'investment.letter': 'console',
  'return.evidence': 'console',
  'withdrawal.getOne': 'console',
  'message.file': 'care',
  'ledger.allocation': 'books',
  'ledger.balances': 'books',
  'ledger.earnings': 'books',
  'ledger.statement': 'books',
  'ledger.statementCsv': 'books',
  'ledger.statementPdf': 'books',
  'ledger.summary': 'books',
  'ledger.yearCsv': 'books',
  'ledger.yearPdf': 'books',
}

test.each(
  callsFor('account')
    .filter(([id]) => namedRecord.includes(id))
    .flatMap(([id, call]) => roles.map((role): [string, Role, CallDefinition] => [id, role, call])),
)(
  '[C-16, C-27] %s: %s reads what the role permits of an investor, and changes nothing',
  async (id, role, call) => {
    const right = readByStaff[id]
    if (right === undefined || !may(role, right)) {
      return unchanged(() => expectRefused(call, staff[role], id))
    }
    const before = await belongings()
    const { status, text } = await send(call, staff[role], id)
    expect(status, text).toBe(200)
    expect(await belongings()).toEqual(before)
  },
)

test.each(['deposit', 'earning', 'investment', 'withdrawal'])(
  '[C-16, C-27] %s: its postings are shown to staff with the right to the books only',
  async kind => {
    const call = allCalls.find(({ id }) => id === `${kind}.getOne`)!
    for (const role of roles) {
      const { text } = await send(call, staff[role], call.id)
      const { entries, history } = JSON.parse(text).data
      expect(history).not.toEqual([])
      if (!may(role, 'books')) expect(entries).toEqual([])
      else if (kind !== 'deposit') expect(entries).not.toEqual([])
    }
  },
)

/** An owner without any records. */
function nobody(): Owner {
  const absent = newId(new Date())
  const records = { deposit: absent, investment: absent, withdrawal: absent, session: absent, plan: absent }
  return {
    ...owner,
    ...records,
    earning: absent,
    invested: absent,
    address: absent,
    notification: absent,
    conversation: absent,
    file: absent,
    passkey: absent,
    proof: absent,
    entry: '999999999999',
    id: absent,
    email: 'nobody@probity.test',
  }
}

// A profile cannot be changed to a taken address, and says so, as sign-up does (SECURITY.md).
const takenAddress = ['auth.updateProfile']

test("every call that names an account's record is among those checked here", () => {
  const naming = callsFor('account').filter(([id, call]) => {
    const sample = JSON.stringify(samples[id]!(owner))
    return call.params !== undefined || marks.some(mark => sample.includes(mark))
  })
  expect(naming.map(([id]) => id).toSorted()).toEqual([...namedRecord, ...takenAddress].toSorted())
})

// The demonstration's mailbox is open to everyone: there is no other way to read a code in it (D2).
const openByDesign = ['demo.mailbox']

test.each(callsFor('public').filter(([id]) => !openByDesign.includes(id)))(
  '%s: shows nothing of an account to who is not signed in to it',
  async (id, call) => {
    // Only the right password opens an account.
    if (id === 'auth.login') return expectWrongPasswordRefused()
    const { status, text } = await send(call, null, id)
    expect(status, text).toBeLessThan(500)
    const given = JSON.stringify(samples[id]!(owner))
    for (const mark of marks.filter(mark => !given.includes(mark))) expect(text).not.toContain(mark)
  },
)

async function expectWrongPasswordRefused() {
  const response = await world.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: owner.email, password: 'not the password' },
  })
  expect(response.statusCode).toBe(401)
  for (const mark of marks) expect(response.body).not.toContain(mark)
}

// Last, because they have effects.
test.each(callsByRole(true))(
  '[W-01, R-07, N-12] %s: %s, whose role gives the right to it, is let in',
  async (id, role, call) => {
    const { status, text } = await send(call, staff[role], id)
    expect(status, text).not.toBe(401)
    expect(status, text).not.toBe(403)
    expect(status, text).toBeLessThan(500)
  },
)
