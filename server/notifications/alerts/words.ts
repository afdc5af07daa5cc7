import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#server/notifications/template.ts'
import { proposalWords } from '#server/staff/proposal-kinds.ts'
import { type AlertKind, alertType } from '#shared/alerts.ts'
import type { ProposalContent } from '#shared/contract/proposals.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type CheckKind, checkWords } from '#shared/identity.ts'
import { staleListDays } from '#shared/limits.ts'
import { type MonitoringRule, ruleLabels } from '#shared/monitoring.ts'
import { listWords, type NameList, publisherOf } from '#shared/sanctions.ts'

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
const valuesOf = ({ what, cents, name }: Row) => ({ number: what, amount: localUsd(cents!), name })

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
    words: row => said(t('Deposit {number} of {amount} by {name} waits for approval.', valuesOf(row))),
  },
  'deposit.differing': {
    rows: request('app.deposits'),
    words: row =>
      said(t('The payment of deposit {number} of {amount} by {name} needs a review.', valuesOf(row))),
  },
  'withdrawal.waiting': {
    rows: request('app.withdrawals', isApprovedOnce),
    words: row =>
      said(
        t('Withdrawal {number} of {amount} by {name} waits for approval.', valuesOf(row)),
        ...(row.step === null ? [] : [t('It needs a second approval, by another person.')]),
      ),
  },
  'investment.waiting': {
    rows: request('app.investments'),
    words: row => said(t('Investment {number} of {amount} by {name} waits for approval.', valuesOf(row))),
  },
  'earning.waiting': {
    rows: sql`SELECT r.id, '' AS what, u.name, r.amount_cents AS cents, NULL AS step
                FROM app.earnings r JOIN app.users u ON u.id = r.user_id`,
    words: ({ cents, name }) =>
      said(
        t('An earning of {amount} for {name} waits for a second person.', { amount: localUsd(cents!), name }),
      ),
  },
  'return.waiting': {
    rows: sql`SELECT r.id, r.source AS what, '' AS name, r.amount_cents AS cents, r.status AS step FROM app.returns r`,
    words: ({ what, cents, step }) =>
      said(
        step === 'void_proposed'
          ? t('Someone proposes to void the return of {amount} “{source}”. It needs a second person.', {
              amount: localUsd(cents!),
              source: what,
            })
          : t('The return of {amount} “{source}” waits for a second person.', {
              amount: localUsd(cents!),
              source: what,
            }),
      ),
  },
  'proposal.waiting': {
    rows: sql`SELECT r.id, r.kind AS what, u.name, NULL::bigint AS cents, NULL AS step
                FROM app.proposals r JOIN app.users u ON u.id = r.proposed_by`,
    words: ({ what, name }) =>
      said(
        t('{name} has proposed {proposal}. It needs a second admin.', {
          name,
          proposal: proposalWords(what as ProposalContent['kind']),
        }),
      ),
  },
  'message.waiting': {
    rows: sql`SELECT r.id, r.subject AS what, r.name, NULL::bigint AS cents, NULL AS step FROM app.contact_messages r`,
    words: ({ what, name }) => said(t('{name} wrote to us: “{subject}”.', { name, subject: what })),
  },
  'match.waiting': {
    rows: sql`SELECT r.id, r.list AS what, r.user_name AS name, NULL::bigint AS cents, r.decision AS step, r.listed_name AS listed
                FROM app.name_matches r`,
    words: ({ what, name, step, listed }) => {
      const values = { name, entry: listed!, publisher: publisherOf(what as NameList) }
      return step === 'same'
        ? said(
            t(
              '{name} is “{entry}” on the sanctions list of {publisher} again, but the account is not frozen.',
              values,
            ),
            t('Freeze it.'),
          )
        : said(
            t('{name} may be “{entry}” on the sanctions list of {publisher}.', values),
            t('Compare the two, and decide. Until then none of their withdrawals can be approved.'),
          )
    },
  },
  'pep.waiting': {
    rows: sql`SELECT r.id, '' AS what, r.user_name AS name, NULL::bigint AS cents, r.decision AS step, r.listed_name AS listed
                FROM app.name_matches r`,
    words: ({ name, step, listed }) =>
      step === 'same'
        ? said(
            t('{name} is “{entry}”, a politically exposed person, on the list again.', {
              name,
              entry: listed!,
            }),
            t(
              'New investments of theirs wait again for proof of identity and of the source of funds. Tell them why.',
            ),
          )
        : said(
            t('{name} may be “{entry}”, a politically exposed person.', { name, entry: listed! }),
            t('Compare the two, and decide. It holds nothing back until then.'),
          ),
  },
  'list.refused': {
    rows: aboutList,
    words: ({ what, name }) =>
      said(
        t('A newer file of {list} was refused: {reason}', {
          list: listWords(what as NameList),
          reason: name,
        }),
        t(
          'The file before it stays in force. If the new one is right, the person who runs the servers imports it manually.',
        ),
      ),
  },
  'list.stale': {
    rows: aboutList,
    words: ({ what, name }) =>
      said(
        t('A list is too old: {list} was not checked for {days} days.', {
          list: listWords(what as NameList),
          days: staleListDays,
        }),
        ...(name === '' ? [] : [name]),
        t('Who was listed since then is not found. Ask the person who runs the servers.'),
      ),
  },
  'withdrawal.listed': {
    rows: request('app.withdrawals'),
    words: row =>
      said(
        t(
          'Withdrawal {number} of {amount} by {name} goes to a wallet that is on a sanctions list now.',
          valuesOf(row),
        ),
        t(
          'Cancel the batch that pays it, if there is one, and decline it. The investor gets the amount back.',
        ),
      ),
  },
  'case.waiting': {
    rows: sql`SELECT r.id, r.rule AS what, u.name, r.cents, NULL AS step
                FROM app.monitoring_cases r JOIN app.users u ON u.id = r.user_id`,
    words: row =>
      said(
        t('{rule}: {amount} by {name}.', {
          rule: translate(ruleLabels[row.what as MonitoringRule]),
          amount: localUsd(row.cents!),
          name: row.name,
        }),
        t('Review the movements and close the case. It holds no money.'),
      ),
  },
  'check.waiting': {
    rows: sql`SELECT r.id, r.kind AS what, u.name, NULL::bigint AS cents, NULL AS step
                FROM app.identity_checks r JOIN app.users u ON u.id = r.user_id`,
    words: row =>
      said(
        t('{name} has sent {check}.', {
          name: row.name,
          check: translate(checkWords[row.what as CheckKind]),
        }),
        t('Open what was sent, and decide. Withdrawals and investments may wait for it.'),
      ),
  },
  'payout.differing': {
    rows: sql`SELECT r.id, r.rail AS what, '' AS name, NULL::bigint AS cents, NULL AS step FROM app.payout_batches r`,
    words: () =>
      said(t('A payment of a payout batch differs from its plan, or is no longer on its network.')),
  },
}

const inTheLog = msg('The worker’s log has the details. Ask the person who runs the servers.')

/** What to do about what concerns the whole installation. */
const advice: Partial<Record<AlertKind, readonly string[]>> = {
  'network.failing': [msg('Its payments are not seen until it works again.')],
  'outgoing.unexplained': [msg('Write in the console who made it, or act as docs/operate.md says.')],
  'screening.late': [msg('Until then none of their withdrawals can be approved.'), inTheLog],
  'monitoring.late': [msg('Until they can, no monitoring cases of these are opened.'), inTheLog],
  'books.differing': [inTheLog],
  'job.failed': [inTheLog],
}

/** The words of an alert about no record. */
export function generalWords(kind: AlertKind): Words {
  const more = advice[kind]?.map(text => translate(text)).join(' ')
  return said(`${translate(alertType(kind).label)}.`, ...(more === undefined ? [] : [more]))
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
