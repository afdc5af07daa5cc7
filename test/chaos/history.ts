import { expect } from 'vitest'
import * as accounts from '#shared/contract/accounts.ts'
import type { Client, Fact, Investor } from './clients.ts'
import { emailsOf } from './emails.ts'
import type { Product } from './product.ts'

/** A job that failed is tried again after a pause that grows. */
const EMAILS_MS = 180_000
/** Kinds of postings for acts; the approval of a withdrawal moves nothing. */
const UNPOSTED = ['withdrawal.approved']
/** How the email about an act names it; a request for an investment gets none. */
const SAID: Record<string, string | undefined> = {
  'withdrawal.requested': 'requested',
  'withdrawal.approved': 'approved',
  'withdrawal.declined': 'declined',
  'withdrawal.paid': 'paid',
  'investment.approved': 'active',
  'investment.declined': 'declined',
  'investment.closed': 'closed',
}
/** The jobs that send emails. */
const MAIL_JOBS = ['send_mail', 'notify', 'notify_many', 'notify_security']

/** Every acknowledged act is there once, in the records, postings, audit lines and emails, and nothing else is. */
export async function expectEachOnce(
  product: Product,
  client: Client,
  investors: readonly Investor[],
): Promise<void> {
  for (const investor of investors) {
    const { balance, held, invested } = await client.make(accounts.me, {}, investor.token)
    const cents = (usd: number) => Math.round(usd * 100)
    expect({ balance: cents(balance), held: cents(held), invested: cents(invested) }).toEqual(investor.model)
  }
  const facts = investors.flatMap(investor => investor.facts)
  const owners = investors.map(({ id }) => id)
  const acts = facts.flatMap(({ kind, id, acts: done }) => done.map(act => `${kind}.${act} ${id}`))
  const posted = acts.filter(act => !UNPOSTED.includes(act.split(' ')[0]!))
  const records = facts.map(fact => `${fact.kind} ${fact.id} ${statusOf(fact)}`)
  const found = linesOf(product)
  expect(await found(RECORDS, owners)).toEqual(records.toSorted())
  expect(
    await found(
      POSTINGS,
      facts.map(({ id }) => id),
    ),
  ).toEqual(posted.toSorted())
  expect(
    await found(
      AUDIT,
      facts.map(({ id }) => id),
    ),
  ).toEqual(acts.toSorted())
  await expect.poll(() => found(JOBS, MAIL_JOBS), { timeout: EMAILS_MS }).toEqual([])
  const emails = facts.flatMap(({ kind, invoiceId, acts: done }) =>
    done.flatMap(act => SAID[`${kind}.${act}`] ?? []).map(said => `${kind} ${invoiceId} ${said}`),
  )
  const own = new Set(investors.map(({ email }) => email))
  const sent = emailsOf(product.mail.received)
    .filter(({ to }) => own.has(to))
    .flatMap(({ subject }) => SUBJECT.exec(subject)?.slice(1).join(' ') ?? [])
  expect(sent.toSorted()).toEqual(emails.toSorted())
}

function linesOf({ owner }: Product): (statement: string, of: string[]) => Promise<string[]> {
  return async (statement, of) => {
    const { rows } = await owner.query<{ line: string }>(statement, [of])
    return rows.map(({ line }) => line).toSorted()
  }
}

const RECORDS = `
  SELECT 'withdrawal ' || id || ' ' || status AS line FROM app.withdrawals WHERE user_id = ANY ($1::uuid[])
  UNION ALL SELECT 'investment ' || id || ' ' || status FROM app.investments WHERE user_id = ANY ($1::uuid[])`
const POSTINGS = `SELECT event || ' ' || reference_id AS line FROM ledger.transactions WHERE reference_id = ANY ($1::uuid[])`
const AUDIT = `SELECT action || ' ' || subject_id AS line FROM app.audit_log WHERE subject_id = ANY ($1::uuid[])`
const JOBS = `
  SELECT concat_ws(' ', task_identifier, 'try', attempts, 'at', run_at, locked_by, last_error) AS line
    FROM graphile_worker.jobs WHERE task_identifier = ANY ($1)`
const SUBJECT = /^Your (withdrawal|investment) (\S+) (?:was|has been|is) (\w+)/

/** As the database names it. */
function statusOf({ kind, acts }: Fact): string {
  const latest = acts.at(-1)!
  if (latest === 'requested') return 'pending'
  if (kind === 'withdrawal') return latest
  return { approved: 'active', closed: 'inactive', declined: 'declined' }[latest]!
}
