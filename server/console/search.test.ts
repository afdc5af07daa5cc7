import type { RawBuilder } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { newDeposit } from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { search, searchKinds } from '#shared/contract/search.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { longestSearch, searchResults } from '#shared/limits.ts'
import type { Role } from '#shared/roles.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { freshTransaction, openPayingWorld, payoutsIn } from '#test/support/payouts.ts'
import { investorWithEverything } from '#test/support/whole-api.ts'
import { freshAddress, withdrawalsIn } from '#test/support/withdrawals.ts'
import type { Person, World } from '#test/support/world.ts'
import { searchStatement } from './search.ts'

let world: World
let ada: Person
/** Never used before: rows that earlier tests left in its files would change how it reads tables. */
let unused: TestDatabase
beforeAll(async () => {
  unused = await testDatabase({ own: true })
  world = await openPayingWorld()
  ada = await world.person("Ada O'Lovelace")
  await world.fund(ada, 5_000_000n)
})

async function find(q: string, by: Person = world.admin) {
  const { status, message, data } = await world.call(search, by, { query: { q } })
  expect(status, message).toBe(200)
  return data
}

/** What is found, as `kind: title`. */
async function titlesOf(q: string, by?: Person): Promise<string[]> {
  const groups = await find(q, by)
  return groups.flatMap(({ kind, results }) => results.map(({ title }) => `${kind}: ${title}`))
}

/** What is found, as `kind: id`. */
async function idsOf(q: string, by?: Person): Promise<string[]> {
  const groups = await find(q, by)
  return groups.flatMap(({ kind, results }) => results.map(({ _id }) => `${kind}: ${_id}`))
}

const deposit = async (who: Person, amount = 150) =>
  (await world.call(newDeposit, who, { body: { method: 'usdt', amount } })).data
const withdraw = async (who: Person, walletAddress: string) =>
  (await world.call(newWithdrawal, who, { body: { amount: 20, wallet: 'USDT ERC-20', walletAddress } })).data

describe('people', () => {
  test('[N-02] are found by the beginnings of their words, in any order and case', async () => {
    for (const q of ['Ada', 'lovelace ad', "O'LOVE", ada.email, ada.email.slice(0, -3), 'probity ada'])
      expect(await titlesOf(q), q).toContain(`user: ${ada.name}`)
    for (const q of ['ovelace', 'ada grace', 'adaz'])
      expect(await titlesOf(q), q).not.toContain(`user: ${ada.name}`)
  })

  test('[N-02] an exact name comes before longer and newer ones', async () => {
    const exact = await world.person('Jo Short')
    await world.person('Jo Shorter')
    const [group] = await find('jo short')
    expect(group!.results.map(({ _id, by }) => [_id, by])[0]).toEqual([exact.id, 'name'])
    expect(group!.results).toHaveLength(2)
  })

  test('[N-02] are found by letters of any script, and by their referral code', async () => {
    const zoe = await world.person('Zoë Ångström-Иванова')
    await world.owner(`UPDATE app.users SET referral_code = 'ZOE12345' WHERE id = '${zoe.id}'`)
    for (const q of ['zoë', 'ÅNG', 'ива', 'zoe12345']) expect(await idsOf(q), q).toEqual([`user: ${zoe.id}`])
    expect((await find('zoe12345'))[0]!.results[0]).toMatchObject({ by: 'code', detail: zoe.email })
  })

  test('[N-02, B-09] wildcards and operators in the text are no more than separators', async () => {
    for (const q of ['%%', '__', '\\\\', "''", '&!', ':*', '--', '( )', "'); DROP TABLE app.users --"])
      expect(await find(q), q).toEqual([])
    for (const q of ['ada%', 'ada:* & !', "ada'\\", '(ada | ', 'ada_lovelace'.replace('ada_', 'ada_o_')])
      expect(await titlesOf(q), q).toContain(`user: ${ada.name}`)
  })

  test('[N-02] of many, the newest are shown, and that there are more', async () => {
    const many: Person[] = []
    // The emails of tests end in hexadecimal digits, with which no word here begins.
    for (const last of ['Quill', 'Rook', 'Swan', 'Tern', 'Urial', 'Vole'])
      many.push(await world.person(`Manifold Max ${last}`))
    expect(many.length).toBe(searchResults + 1)
    const newest = many.toReversed().slice(0, searchResults)
    expect(await find('manifold')).toMatchObject([
      { kind: 'user', hasMore: true, results: newest.map(({ id }) => ({ _id: id })) },
    ])
    const [exactly] = await find('manifold max vole')
    expect(exactly).toMatchObject({ hasMore: false, results: [{ _id: many.at(-1)!.id }] })
  })
})

describe('records', () => {
  test('[N-03, N-04, N-06] are found by their numbers, whole or without prefix and year', async () => {
    const { _id, invoiceId } = await deposit(ada)
    const [, year, digits] = invoiceId.split('-')
    const number = String(Number(digits))
    for (const q of [invoiceId, invoiceId.toLowerCase(), `${year}-${digits}`, `dep ${number}`, `#${number}`])
      expect(await idsOf(q), q).toContain(`deposit: ${_id}`)
    expect((await find(invoiceId))[0]!.results).toEqual([
      { _id, title: invoiceId, detail: ada.name, amount: 150, by: 'number' },
    ])
    expect(await find(`WDR-${year}-${digits}`)).toEqual([])
    expect(await find(`DEP-${Number(year) - 1}-${digits}`)).toEqual([])
    const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
    const investment = (await world.call(newInvestment, ada, { body })).data
    expect(await titlesOf(investment.invoiceId)).toEqual([`investment: ${investment.invoiceId}`])
    const withdrawal = await withdraw(ada, freshAddress())
    expect(await titlesOf(withdrawal.invoiceId)).toEqual([`withdrawal: ${withdrawal.invoiceId}`])
  })

  test('[N-05, N-11] of every kind are found by their ids', async () => {
    const owner = await investorWithEverything(world, 'Olivia Owner')
    const batch = await payoutsIn(() => world).batchFor(ada, [25])
    const ids = {
      ...{
        user: owner.id,
        deposit: owner.deposit,
        withdrawal: owner.withdrawal,
        investment: owner.investment,
      },
      ...{ earning: owner.earning, payout: batch._id, return: owner.proof, message: owner.message },
    }
    expect(Object.keys(ids)).toEqual(searchKinds)
    for (const [kind, id] of Object.entries(ids)) expect(await idsOf(id)).toEqual([`${kind}: ${id}`])
    expect(await find(crypto.randomUUID())).toEqual([])
  })

  test('[N-03, N-06, N-11] are found by their transaction, however its hash is written', async () => {
    const hash = 'a1'.repeat(32)
    const paid = await deposit(ada)
    await world.owner(`
      INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at)
      SELECT 'usdt', '${hash}', 0, app.address_key(address), 'USDT', 1, '{}', now() FROM app.deposits WHERE id = '${paid._id}'`)
    const body = { amount: 70, realisedAt: '2026-01-31', source: 'Rent', evidence: hash.toUpperCase() }
    const proof = await world.call(newReturn, world.admin, { body })
    expect(proof.status, proof.message).toBe(200)
    const expected = [`deposit: ${paid._id}`, `return: ${proof.data._id}`]
    for (const q of [hash, hash.toUpperCase(), `0x${hash}`])
      expect(
        (await idsOf(q)).filter(id => expected.includes(id)),
        q,
      ).toEqual(expected)
    expect(await find('cd'.repeat(32))).toEqual([])
  })

  test('[N-03] a payout is found by its number and by the transaction on the network', async () => {
    const payouts = payoutsIn(() => world)
    const batch = await payouts.batchFor(ada, [30])
    expect(await titlesOf(batch.number)).toEqual([`payout: ${batch.number}`])
    const seen = freshTransaction()
    await payouts.uses(batch.payments[0]!.slots[0]!.slot, { transactionId: seen })
    expect(await idsOf(seen)).toEqual([`payout: ${batch._id}`])
    const { data: signed } = await payouts.sign(batch._id, await payouts.signedByWallet(batch._id))
    const own = signed.payments[0]!.signed.at(-1)!.transactionId!
    expect(await idsOf(own.toUpperCase().replace('0X', ''))).toEqual([`payout: ${batch._id}`])
    const [withdrawal] = batch.withdrawals
    const { pay, approved } = withdrawalsIn(() => world)
    const other = await approved(ada, 40)
    const manual = freshTransaction()
    await pay(other._id, world.secondAdmin, manual)
    expect(await idsOf(manual.toUpperCase().replace('0X', '0x'))).toEqual([`withdrawal: ${other._id}`])
    expect(await idsOf(withdrawal!.invoiceId)).toEqual([`withdrawal: ${withdrawal!._id}`])
  })

  test('[N-02, N-03, N-06] and their owners are found by their addresses, in any case', async () => {
    const wendy = await world.person('Wendy Wallet')
    await world.fund(wendy, 100_000n)
    const address = freshAddress()
    const withdrawal = await withdraw(wendy, address)
    const expected = [`user: ${wendy.id}`, `withdrawal: ${withdrawal._id}`]
    for (const q of [address, `0x${address.slice(2).toUpperCase()}`])
      expect(await idsOf(q), q).toEqual(expected)
    expect((await find(address))[0]!.results[0]).toMatchObject({ by: 'address' })
    const { payment } = await deposit(wendy)
    for (let count = 0; count < searchResults; count += 1) await deposit(wendy)
    const [deposits] = await find(payment.address)
    expect(deposits).toMatchObject({ kind: 'deposit', hasMore: true })
    expect(deposits!.results).toHaveLength(searchResults)
    expect(deposits!.results[0]).toMatchObject({ detail: wendy.name, by: 'address' })
    expect(await find(`${payment.address.slice(0, -1)}x`)).toEqual([])
  })
})

test('[W-01, R-07, N-14] nobody finds what they may not list', async () => {
  const body = { name: 'Mona Messenger', email: 'mona@example.com', subject: 'Hello', message: 'Good day' }
  await world.call(newContactMessage, null, { body })
  const { invoiceId } = await deposit(ada)
  const staff = async (role: Role) => world.person(`Stan ${role}`, role)
  for (const role of ['admin', 'support'] as const)
    expect(await titlesOf('mona', await staff(role)), role).toEqual(['message: Mona Messenger'])
  for (const role of ['finance', 'auditor'] as const) {
    const person = await staff(role)
    expect(await find('mona', person), role).toEqual([])
    expect(await titlesOf(invoiceId, person), role).toEqual([`deposit: ${invoiceId}`])
  }
  expect(await world.call(search, ada, { query: { q: 'mona' } })).toMatchObject({ status: 403 })
  expect(await world.call(search, null, { query: { q: 'mona' } })).toMatchObject({ status: 401 })
})

test('[D8] a text that is too short, too long or has control characters is refused', async () => {
  for (const q of ['a', ' a ', '', 'x'.repeat(longestSearch + 1), 'a\u0007b']) {
    const answer = await world.call(search, world.admin, { query: { q } })
    expect(answer, q).toMatchObject({ status: 400, code: 'invalid_input', fields: { q: expect.any(String) } })
  }
  expect(await find('x'.repeat(longestSearch))).toEqual([])
})

type Node = { 'Node Type': string; 'Index Cond'?: string; 'Relation Name'?: string; Plans?: Node[] }

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** How the database finds rows where reading a whole table costs too much. */
async function planOf(statement: RawBuilder<unknown>): Promise<Node[]> {
  const { sql, parameters } = statement.compile(unused.db)
  const session = await unused.app.connect()
  try {
    await session.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows } = await session.query(`EXPLAIN (FORMAT JSON) ${sql}`, [...parameters])
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await session.query('ROLLBACK')
    session.release()
  }
}

test.each([
  ['words', 'ada lovelace'],
  ['a number', 'DEP-2026-000123'],
  ['a number alone', '123'],
  ['an id', '019312ab-0000-7000-8000-000000000000'],
  ['a transaction', 'ab'.repeat(32)],
  ['an address', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
])('[N-13] the search by %s reads no table as a whole', async (_, q) => {
  const nodes = await planOf(searchStatement({ role: 'admin' }, q, new Date())!)
  expect(nodes.length).toBeGreaterThan(5)
  const whole = nodes.filter(
    node => node['Node Type'] === 'Seq Scan' || (/Index/.test(node['Node Type']) && !node['Index Cond']),
  )
  expect(whole.map(node => `${node['Node Type']} ${node['Relation Name']}`)).toEqual([])
})
