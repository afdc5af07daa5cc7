import type { PoolClient } from 'pg'
import { expect } from 'vitest'
import type { InvariantRun } from '#server/ledger/invariants.ts'
import { me } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import * as deposits from '#shared/contract/deposits.ts'
import * as earnings from '#shared/contract/earnings.ts'
import * as investments from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import * as returns from '#shared/contract/returns.ts'
import * as withdrawals from '#shared/contract/withdrawals.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import type { Person, World } from '#test/support/world.ts'
import { accrued, earned } from './model/earnings.ts'
import { leftOf, unspent } from './model/returns.ts'
import type { Request, State } from './model/state.ts'

/** A running script: the model's state, and the people in the product. */
export type Run = {
  world: World
  /** One connection, which keeps the plans of the long check queries. */
  books: PoolClient
  state: State
  people: Person[]
  /** Requests sent so far with a key. */
  sent: Request[]
  /** Expected lines of the audit log; null if they must be read again. */
  logged: number | null
  /** Everyone's state at the last comparison, and whose turn is next even without a change. */
  compared: { people: string[]; turn: number }
}

/** After each step: the books are in order, and everyone sees what the model says, the log included. */
export async function compare(run: Run): Promise<void> {
  await Promise.all([proveBooks(run), comparePeople(run).then(() => compareReturns(run))])
  // The first withdrawal to an address also enters it in its owner's book.
  const { rows } = await run.world.owner(
    "SELECT count(*) AS lines FROM app.audit_log WHERE action <> 'address.added'",
  )
  const lines = Number(rows[0].lines)
  expect(lines).toBe(run.logged ?? lines)
  run.logged = lines
}

/** Every invariant of the books holds in one snapshot; the run of the check is not stored. */
async function proveBooks({ books }: Run): Promise<void> {
  await books.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const { rows } = await books.query<InvariantRun>('SELECT * FROM ledger.check_books()')
  await books.query('ROLLBACK')
  expect(rows[0]!.checks.filter(check => check.faults > 0)).toEqual([])
}

/** Those whose state should have changed, and one more in turn, whose state should not have. */
async function comparePeople({ world, state, people, compared }: Run): Promise<void> {
  compared.turn = (compared.turn + 1) % people.length
  for (const [n, person] of people.entries()) {
    const now = Object.values(state.people[n]!).join(' ')
    if (now === compared.people[n] && n !== compared.turn) continue
    compared.people[n] = now
    await comparePerson(world, state, person, n)
  }
}

async function comparePerson(world: World, state: State, person: Person, n: number): Promise<void> {
  const { id, available, held, invested, paid } = state.people[n]!
  const { data: shown } = await world.call(me, person)
  const amounts = { balance: usdToJson(available), held: usdToJson(held), invested: usdToJson(invested) }
  expect(shown).toMatchObject(amounts)
  const { data: lines, page } = await world.call(statement, person, { query: { limit: 200 } })
  expect(page).toEqual({ total: lines.length, nextCursor: null })
  for (const [account, cents] of Object.entries({ available, held, invested })) {
    expect(addsUp(lines.filter(one => one.account === account))).toBe(cents)
  }
  const of = (event: string) =>
    lines.reduce((sum, line) => (line.event === event ? sum + usdFromJson(line.amount)! : sum), 0n)
  expect([of('earning.paid'), -of('withdrawal.paid')]).toEqual([earnedBy(state, id), paid])
}

/** The balance from an account's lines; undefined if a line's own balance differs. */
function addsUp(newestFirst: CallData<typeof statement>): bigint | undefined {
  let balance = 0n
  for (const line of newestFirst.toReversed()) {
    balance += usdFromJson(line.amount)!
    if (usdFromJson(line.balance) !== balance) return undefined
  }
  return balance
}

function earnedBy(state: State, id: string): bigint {
  const paid = [...state.earnings.values()].filter(({ owner, status }) => owner === id && status === 'paid')
  return paid.reduce((sum, { cents }) => sum + cents, 0n)
}

/** The rest of each return, and that every cent of every earning came from one. */
async function compareReturns({ world, state, people }: Run): Promise<void> {
  const { data } = await world.call(returns.returnSummary, people[0]!)
  const [left, voidProposed] = [leftOf(state), unspent(state, 'void_proposed')]
  const spent = [...state.returns.values()].reduce((sum, one) => sum + one.spent, 0n)
  expect(data).toMatchObject({
    recorded: usdToJson(spent + left + voidProposed),
    paidOut: usdToJson(spent),
    left: usdToJson(left),
    voidProposed: usdToJson(voidProposed),
  })
  const { rows } = await world.owner(`
    SELECT (SELECT coalesce(sum(amount_cents), 0) FROM app.earnings WHERE status = 'paid') AS earned,
           (SELECT coalesce(sum(amount_cents), 0) FROM app.earning_sources) AS sourced,
           (SELECT coalesce(sum(spent_cents), 0) FROM app.returns) AS spent,
           coalesce(-sum(e.amount) FILTER (WHERE a.kind = 'recorded_returns'), 0) AS taken,
           count(*) FILTER (WHERE e.amount < 0 AND a.kind <> 'recorded_returns') AS taken_elsewhere
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id
     WHERE t.event = 'earning.paid'`)
  const paidOut = `${spent}`
  expect(rows.map(row => Object.values(row).map(String))).toEqual([[paidOut, paidOut, paidOut, paidOut, '0']])
}

/** At the end of a run: every record has the model's state. */
export async function compareRecords({ world, state, people }: Run): Promise<void> {
  const query = { limit: 200 }
  for (const [n, person] of people.entries()) {
    await comparePerson(world, state, person, n)
    const [asked, invested, withdrawn, gained] = await Promise.all([
      world.call(deposits.listOwnDeposits, person, { query }),
      world.call(investments.listOwnInvestments, person, { query }),
      world.call(withdrawals.listOwnWithdrawals, person, { query }),
      world.call(earnings.listOwnEarnings, person, { query }),
    ])
    const own = <T extends { owner: string }>(records: Map<string, T>) =>
      [...records].filter(([, { owner }]) => owner === person.id)
    expect(standing(asked.data)).toEqual(statuses(own(state.deposits)))
    expect(standing(withdrawn.data)).toEqual(statuses(own(state.withdrawals)))
    expect(standing(gained.data)).toEqual(statuses(own(state.earnings)))
    expect(standing(invested.data)).toEqual(statuses(own(state.investments)))
    for (const { _id, ...shown } of invested.data) {
      expect([shown.earned, shown.accrued].map(usd => usdFromJson(usd))).toEqual([
        earned(state, _id, 'paid'),
        accrued(state, _id),
      ])
    }
  }
  // The index by which a plan's earnings find the investments to pay.
  const { rows: kept } = await world.owner(
    "SELECT id, covered_until FROM app.investments WHERE status = 'active'",
  )
  const coveredUntil = new Map(kept.map(row => [row.id, row.covered_until]))
  for (const [id, { status }] of state.investments) {
    if (status !== 'active') continue
    expect(coveredUntil.get(id) <= world.clock.now(), `accrues: ${id}`).toBe(accrued(state, id) > 0n)
  }
  const { rows } = await world.owner('SELECT id, status, spent_cents FROM app.returns')
  expect(new Map(rows.map(row => [row.id, [row.status, BigInt(row.spent_cents)]]))).toEqual(
    new Map([...state.returns].map(([id, { status, spent }]) => [id, [status, spent]])),
  )
}

function standing(listed: { _id: string; status: string }[]): Map<string, string> {
  return new Map(listed.map(({ _id, status }) => [_id, status]))
}

function statuses(records: [string, { status: string }][]): Map<string, string> {
  return new Map(records.map(([id, { status }]) => [id, status]))
}
