import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/notifications/template.ts'
import { proposalKinds } from '#server/staff/proposal-kinds.ts'
import { type AlertKind, alertType } from '#shared/alerts.ts'
import type { ProposalContent } from '#shared/contract/proposals.ts'
import { type CheckKind, checkWords } from '#shared/identity.ts'
import { staleListDays } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { type MonitoringRule, ruleLabels } from '#shared/monitoring.ts'
import { listWords, type NameList } from '#shared/sanctions.ts'

type Words = { text: string; details: string[] }
type Row = {
  id: string
  what: string
  name: string
  cents: bigint | null
  step: string | null
  listed?: string
}

const said = (text: string, ...details: string[]): Words => ({ text, details })
const of = ({ cents, name }: Row) => `${formatUsd(cents!)} by ${name}`

/** An investor's request with its number, amount and name. */
const request = (table: string, step: RawBuilder<unknown> = sql`NULL`) => sql`
  SELECT r.id, r.invoice_id AS what, u.name, r.amount_cents AS cents, ${step}::text AS step
    FROM ${sql.table(table)} r JOIN app.users u ON u.id = r.user_id`

/** An approved one may still be told for a moment. */
const isApprovedOnce = sql`CASE WHEN r.status = 'pending' AND EXISTS (SELECT FROM app.withdrawal_approvals a WHERE a.withdrawal_id = r.id) THEN 'second' END`

/** Why its file cannot be read or is refused stands in place of a name. */
const aboutList = sql`
  SELECT r.id, r.list AS what, coalesce(r.failure, '') AS name, NULL::bigint AS cents, NULL AS step FROM app.list_fetches r`

/** How the records of each kind are read and told to staff, who see them in the console; none of it is emailed. */
const kinds: Partial<Record<AlertKind, { rows: RawBuilder<unknown>; words: (row: Row) => Words }>> = {
  'deposit.waiting': {
    rows: request('app.deposits'),
    words: row => said(`Deposit ${row.what} of ${of(row)} waits for approval.`),
  },
  'deposit.differing': {
    rows: request('app.deposits'),
    words: row => said(`The payment of deposit ${row.what} of ${of(row)} needs a review.`),
  },
  'withdrawal.waiting': {
    rows: request('app.withdrawals', isApprovedOnce),
    words: row =>
      said(
        `Withdrawal ${row.what} of ${of(row)} waits for approval.`,
        ...(row.step === null ? [] : ['It needs a second approval, by another person.']),
      ),
  },
  'investment.waiting': {
    rows: request('app.investments'),
    words: row => said(`Investment ${row.what} of ${of(row)} waits for approval.`),
  },
  'earning.waiting': {
    rows: sql`SELECT r.id, '' AS what, u.name, r.amount_cents AS cents, NULL AS step
                FROM app.earnings r JOIN app.users u ON u.id = r.user_id`,
    words: ({ cents, name }) =>
      said(`An earning of ${formatUsd(cents!)} for ${name} waits for a second person.`),
  },
  'return.waiting': {
    rows: sql`SELECT r.id, r.source AS what, '' AS name, r.amount_cents AS cents, r.status AS step FROM app.returns r`,
    words: ({ what, cents, step }) =>
      said(
        step === 'void_proposed'
          ? `Someone proposes to void the return of ${formatUsd(cents!)} “${what}”. It needs a second person.`
          : `The return of ${formatUsd(cents!)} “${what}” waits for a second person.`,
      ),
  },
  'proposal.waiting': {
    rows: sql`SELECT r.id, r.kind AS what, u.name, NULL::bigint AS cents, NULL AS step
                FROM app.proposals r JOIN app.users u ON u.id = r.proposed_by`,
    words: ({ what, name }) =>
      said(
        `${name} has proposed ${proposalKinds[what as ProposalContent['kind']].what}. It needs a second admin.`,
      ),
  },
  'message.waiting': {
    rows: sql`SELECT r.id, r.subject AS what, r.name, NULL::bigint AS cents, NULL AS step FROM app.contact_messages r`,
    words: ({ what, name }) => said(`${name} wrote to us: “${what}”.`),
  },
  'match.waiting': {
    rows: sql`SELECT r.id, r.list AS what, r.user_name AS name, NULL::bigint AS cents, r.decision AS step, r.listed_name AS listed
                FROM app.name_matches r`,
    words: ({ what, name, step, listed }) => {
      const entry = `“${listed}” on ${listWords(what as NameList)}`
      return step === 'same'
        ? said(`${name} is ${entry} again, but the account is not frozen.`, 'Freeze it.')
        : said(
            `${name} may be ${entry}.`,
            'Compare the two, and decide. Until then none of their withdrawals can be approved.',
          )
    },
  },
  'pep.waiting': {
    rows: sql`SELECT r.id, '' AS what, r.user_name AS name, NULL::bigint AS cents, r.decision AS step, r.listed_name AS listed
                FROM app.name_matches r`,
    words: ({ name, step, listed }) =>
      step === 'same'
        ? said(
            `${name} is “${listed}”, a politically exposed person, on the list again.`,
            'New investments of theirs wait again for proof of identity and of the source of funds. Tell them why.',
          )
        : said(
            `${name} may be “${listed}”, a politically exposed person.`,
            'Compare the two, and decide. It holds nothing back until then.',
          ),
  },
  'list.refused': {
    rows: aboutList,
    words: ({ what, name }) =>
      said(
        `A newer file of ${listWords(what as NameList)} was refused: ${name}`,
        'The file before it stays in force. If the new one is right, the person who runs the servers imports it manually.',
      ),
  },
  'list.stale': {
    rows: aboutList,
    words: ({ what, name }) =>
      said(
        `A list is too old: ${listWords(what as NameList)} was not checked for ${staleListDays} days.`,
        ...(name === '' ? [] : [name]),
        'Who was listed since then is not found. Ask the person who runs the servers.',
      ),
  },
  'withdrawal.listed': {
    rows: request('app.withdrawals'),
    words: row =>
      said(
        `Withdrawal ${row.what} of ${of(row)} goes to a wallet that is on a sanctions list now.`,
        'Cancel the batch that pays it, if there is one, and decline it. The investor gets the amount back.',
      ),
  },
  'case.waiting': {
    rows: sql`SELECT r.id, r.rule AS what, u.name, r.cents, NULL AS step
                FROM app.monitoring_cases r JOIN app.users u ON u.id = r.user_id`,
    words: row =>
      said(
        `${ruleLabels[row.what as MonitoringRule]}: ${of(row)}.`,
        'Review the movements and close the case. It holds no money.',
      ),
  },
  'check.waiting': {
    rows: sql`SELECT r.id, r.kind AS what, u.name, NULL::bigint AS cents, NULL AS step
                FROM app.identity_checks r JOIN app.users u ON u.id = r.user_id`,
    words: row =>
      said(
        `${row.name} has sent ${checkWords[row.what as CheckKind]}.`,
        'Open what was sent, and decide. Withdrawals and investments may wait for it.',
      ),
  },
  'payout.differing': {
    rows: sql`SELECT r.id, r.rail AS what, '' AS name, NULL::bigint AS cents, NULL AS step FROM app.payout_batches r`,
    words: () => said('A payment of a payout batch differs from its plan, or is no longer on its network.'),
  },
}

const inTheLog = 'The worker’s log has the details. Ask the person who runs the servers.'

/** What to do about what concerns the whole installation. */
const advice: Partial<Record<AlertKind, string>> = {
  'network.failing': 'Its payments are not seen until it works again.',
  'outgoing.unexplained': 'Write in the console who made it, or act as docs/operate.md says.',
  'screening.late': `Until then none of their withdrawals can be approved. ${inTheLog}`,
  'monitoring.late': `Until they can, no monitoring cases of these are opened. ${inTheLog}`,
  'books.differing': inTheLog,
  'job.failed': inTheLog,
}

/** The words of an alert about no record. */
export function generalWords(kind: AlertKind): Words {
  const more = advice[kind]
  return said(`${alertType(kind).label}.`, ...(more === undefined ? [] : [more]))
}

/** The words of alerts about these records, by id. */
export async function alertWords(
  db: Db,
  kind: AlertKind,
  ids: readonly string[],
): Promise<Map<string, Words>> {
  const known = kinds[kind]
  if (known === undefined || ids.length === 0) return new Map()
  const { rows } = await sql<Row>`${known.rows} WHERE r.id = ANY (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(row => [row.id, known.words(row)]))
}
