import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { type Config, loadConfig } from '#server/config.ts'
import type { Caller, Services } from '#server/context.ts'
import { loadPlans } from '#server/demo/catalogue.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import { newId } from '#server/platform/id.ts'
import { storeReadings } from '#server/prices/feeds.ts'
import { sampleFeed } from '#server/prices/sample.ts'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning } from '#shared/contract/earnings.ts'
import { usdToJson } from '#shared/money.ts'
import type { Role } from '#shared/roles.ts'
import { type Answer, type CallOptions, httpCaller, testApp, tokenOf } from './app.ts'
import { atEnd } from './clean-up.ts'
import { type TestDatabase, testDatabase } from './database.ts'

export type Person = { id: string; name: string; email: string; caller: Caller }
export type World = Awaited<ReturnType<typeof openWorld>>

/** A migrated database with the sample's firm, plans and prices, two admins, and a clock that the test moves. */
export async function openWorld(changes: Partial<Config> = {}) {
  const database = await testDatabase()
  const clock = adjustableClock()
  const dataDir = changes.dataDir ?? temporaryDataDir()
  const config = { ...loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }), ...changes, dataDir }
  const log = pino({ level: 'error' })
  const services: Services = { config, pool: database.app, db: database.db, clock, log }
  await database.db.transaction().execute(tx => loadPlans(tx, clock.now()))
  // Emails need its name; tests load the rest of the sample firm when they need it.
  await database.db
    .insertInto('app.firm_profiles')
    .values({ mode: config.mode, version: 1, profile: config.firm ?? sampleFirm })
    .execute()
  await storeReadings(services, [sampleFeed])
  const app = await testApp(services)
  const world = {
    database,
    services,
    clock,
    /** An investor, or staff of a role. */
    person: (name: string, as: 'investor' | Role = 'investor') => createPerson(services, name, as),
    /** The same person in a new session. */
    signIn: async <P extends Person>(who: P): Promise<P> => {
      return { ...who, caller: { ...who.caller, sessionId: await openSession(services, who.id) } }
    },
    app,
    tokenOf: (person: Person) => tokenOf(services, person.caller),
    call: callerOf(httpCaller(app, services)),
    balances: (person: Person) => investorBalances(database.db, person.id),
    /** Runs a statement as the database's owner, for what no call does. */
    owner: (statement: string) => database.owner.query(statement),
    ownerPool: database.owner,
    refreshPrices: () => storeReadings(services, [sampleFeed]),
    /** Everything that a refused act must not change: the books, the records, the audit log and the queue. */
    state: () => stateOf(database),
  }
  const [admin, secondAdmin] = [
    await world.person('Ada Admin', 'admin'),
    await world.person('Grace Admin', 'admin'),
  ]
  /** Gives an investor money, as anyone gets it: by an approved deposit of at least $100. */
  const fund = async (person: Person, cents: bigint, by: Person = admin) => {
    const body = { method: 'usdt', amount: usdToJson(cents) } as const
    const { data } = await world.call(newDeposit, person, { body })
    await world.call(approveDeposit, by, { params: { id: data._id } })
  }
  /** Pays an investor an earning from recorded returns; a second admin approves one beyond what has accrued. */
  const earn = async (person: Person, cents: bigint, of: { investmentId?: string; note?: string } = {}) => {
    const body = { amount: usdToJson(cents), ...of }
    const { data } = await world.call(addEarning, admin, { params: { userId: person.id }, body })
    const params = { id: data[0]!._id }
    if (data[0]!.status === 'pending') await world.call(approveEarning, secondAdmin, { params })
    return params.id
  }
  return { ...world, admin, secondAdmin, fund, earn }
}

/** Where this machine marks the addresses that it has shown. */
function temporaryDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'probity-data-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  return folder
}

function adjustableClock() {
  // Whole milliseconds, later than any timestamp of the database so far.
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    pass: ({ days = 0, minutes = 0 }: { days?: number; minutes?: number }) => {
      ahead += days * 86_400_000 + minutes * 60_000
    },
  }
}

async function createPerson(services: Services, name: string, as: 'investor' | Role): Promise<Person> {
  const [type, role] = as === 'investor' ? (['investor', null] as const) : (['admin', as] as const)
  const id = newId(services.clock.now())
  const email = `${name.toLowerCase().replaceAll(' ', '.')}.${id.slice(-12)}@probity.test`
  await services.db
    .insertInto('app.users')
    .values({
      id,
      type,
      role,
      name,
      email,
      phone: '+61 400 000 000',
      country: 'Australia',
      password_hash: 'not used',
      email_verified_at: new Date(),
      referral_code: id.slice(-12),
      created_at: services.clock.now(),
    })
    .execute()
  return { id, name, email, caller: { userId: id, role, sessionId: await openSession(services, id) } }
}

/** A session that stays reauthenticated, however far a test moves its clock. */
async function openSession({ db, clock }: Services, userId: string): Promise<string> {
  const id = newId(clock.now())
  const never = new Date('2999-01-01')
  await db
    .insertInto('app.sessions')
    .values({
      id,
      user_id: userId,
      refresh_hash: Buffer.from(id),
      expires_at: never,
      reauthenticated_at: never,
    })
    .execute()
  return id
}

function callerOf(call: ReturnType<typeof httpCaller>) {
  return <C extends CallDefinition>(
    definition: C,
    who: Person | null,
    input?: Partial<CallInput<C>>,
    options?: CallOptions,
  ): Promise<Answer<CallData<C>>> => call(definition, who?.caller ?? null, input, options)
}

const watched = [
  'ledger.transactions',
  'ledger.entries',
  'ledger.holds',
  // An account that was opened for a refused posting exists, and is empty.
  '(SELECT * FROM ledger.accounts WHERE version IS DISTINCT FROM 0)',
  'app.deposits',
  'app.investments',
  'app.withdrawals',
  'app.withdrawal_approvals',
  'app.payout_addresses',
  'app.earnings',
  'app.earning_sources',
  'app.returns',
  'app.notifications',
  'app.plan_versions',
  'app.setting_versions',
  'app.proposals',
  'app.staff_invitations',
  'app.audit_log',
  'graphile_worker._private_jobs',
]

async function stateOf({ owner }: TestDatabase): Promise<string> {
  const hash = createHash('sha256')
  for (const table of watched) {
    const { rows } = await owner.query(`SELECT t::text FROM ${table} t ORDER BY 1`)
    hash.update(JSON.stringify([table, rows]))
  }
  return hash.digest('hex')
}
