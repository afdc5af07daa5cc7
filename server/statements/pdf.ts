import { findUser } from '#server/accounts/queries.ts'
import type { SignedInContext } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { type StatementLine as LedgerLine, statement } from '#server/ledger/statement.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { headLine } from '#server/proof/head.ts'
import { type StatementAccount, type StatementLine, statementAccounts } from '#shared/contract/entities.ts'
import type { StatementFilter } from '#shared/contract/ledger.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { presentLines } from './lines.ts'
import type { StatementDocument } from './pdf-document.ts'
import { draw } from './pdf-thread.ts'
import type { Period } from './period.ts'
import { sumsOf } from './summary.ts'

type Filter = Pick<StatementFilter, 'account' | 'kind'>

/**
 * The account statement of a period as PDF, with balances and postings as of one moment.
 * @throws AppError not_found for an unknown user; invalid_input for too many postings
 */
export async function statementAsPdf(
  ctx: SignedInContext,
  userId: string,
  period: Period,
  filter: Filter,
): Promise<Buffer> {
  const { services } = ctx
  const { db: reader } = await readerOf(services)
  const { totals, lines } = await readPeriod(reader, userId, period, filter)
  return draw({
    ...(await frameOf(ctx, userId, {
      title: 'Account statement',
      facts: periodFacts(period, filter),
      zone: period.zone,
    })),
    summary: summaryRows(totals, filter),
    notes: notesOf(filter),
    tables: [],
    accounts: await Promise.all(
      accountsOf(filter).map(account => accountPart(account, totals, lines, period)),
    ),
  })
}

/**
 * What every document about an account has: firm, owner, its own facts, time and the public log's head.
 * @throws AppError not_found for an unknown user
 */
export async function frameOf(
  { services: { db, config, clock, pool } }: SignedInContext,
  userId: string,
  { title, facts, zone }: { title: string; facts: StatementDocument['facts']; zone: string },
): Promise<Pick<StatementDocument, 'title' | 'mark' | 'firm' | 'facts' | 'head'>> {
  const user = await findUser(db, userId)
  if (!user) throw new AppError('not_found', 'User not found')
  const firm = await currentFirm(db, config)
  return {
    title,
    mark: config.mode === 'demo' ? 'Demonstration: not a real firm' : null,
    firm: { name: firm.legalName, lines: identityOf(firm) },
    facts: [
      ['Investor', user.name],
      ['Email', user.email],
      ['Account', user.id],
      ...facts,
      ['Created', timeWords(zone)(clock.now())],
    ],
    head: await headLine(pool),
  }
}

/** Lines that are parsed in one piece. */
const LINES_AT_ONCE = 200

type Exact = Pick<LedgerLine, 'at' | 'amount' | 'balance'>
type Line = Omit<StatementLine, keyof Exact> & Exact

/** Reads totals and lines in one snapshot. */
function readPeriod(
  db: SignedInContext['services']['db'],
  userId: string,
  { from, until }: Period,
  { account, kind }: Filter,
) {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async tx => {
      const totals = await periodTotals(tx, userId, { from, until })
      const kinds = account && [account]
      const lines: Line[] = []
      let cursor: string | undefined
      do {
        const page = await statement(tx, userId, {
          kinds,
          about: kind,
          from,
          until,
          cursor,
          limit: LINES_AT_ONCE,
        })
        if (page.total > maximumPdfLines) throw tooLong(page.total)
        const words = await presentLines(tx, page.lines)
        lines.push(
          ...(await mapInSlices(page.lines, ({ at, amount, balance }, n) => ({
            ...words[n]!,
            at,
            amount,
            balance,
          }))),
        )
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return { totals, lines: lines.reverse() }
    })
}

function tooLong(total: number): AppError {
  const message = t(
    'A PDF can have at most {most, number} entries; this period has {found, number}. Choose a shorter period or the CSV',
    { most: maximumPdfLines, found: total },
  )
  return new AppError('invalid_input', message, { fields: { from: message } })
}

/** The firm's legal identity (D2). */
function identityOf(firm: FirmProfile): string[] {
  return [
    firm.streetAddress,
    firm.registrationNumber && `Registration ${firm.registrationNumber}`,
    firm.regulator && `Regulated by ${firm.regulator}`,
    firm.licence && `Licence ${firm.licence}`,
    firm.unregulatedStatement,
    [firm.supportEmail, ...firm.phones].join(' · '),
  ].filter((text): text is string => Boolean(text))
}

export function periodFacts(
  { firstDay, lastDay, zone }: Period,
  { account, kind }: Filter,
): StatementDocument['facts'] {
  const first = firstDay === undefined ? 'the first entry' : dayWords(firstDay)
  const only = [account && accountNames[account], kind && kindNames[kind]].filter(part => part !== undefined)
  return [
    ['Period', `From ${first} to ${dayWords(lastDay)}`],
    ...(only.length > 0 ? [['Only', only.join(', ')] as [string, string]] : []),
    ['Time zone', zone],
  ]
}

const accountsOf = ({ account }: Filter) => (account === undefined ? statementAccounts : [account])

export function summaryRows(totals: PeriodTotals, filter: Filter): StatementDocument['summary'] {
  const row = (name: string, account?: StatementAccount): StatementDocument['summary'][number] => {
    const { openingCents, inCents, outCents, closingCents } = sumsOf(totals, account)
    return [name, formatUsd(openingCents), formatUsd(inCents), formatUsd(outCents), formatUsd(closingCents)]
  }
  const rows = accountsOf(filter).map(account => row(accountNames[account], account))
  return filter.account === undefined ? [...rows, row('Total funds')] : rows
}

function notesOf({ account, kind }: Filter): string[] {
  return [
    account === undefined &&
      'Total funds: money in and out. Transfers between these accounts are not counted.',
    kind !== undefined &&
      `Only ${kindNames[kind].toLowerCase()} are listed below. The balances and sums above include everything; each balance is the one after its entry.`,
    'All amounts are in US dollars. Every line is an entry of the firm’s double-entry ledger as of the time above. No one can change an entry afterwards.',
  ].filter(note => note !== false)
}

async function accountPart(
  account: StatementAccount,
  { openingCents, closingCents }: PeriodTotals,
  lines: Line[],
  { firstDay, lastDay, zone }: Period,
): Promise<StatementDocument['accounts'][number]> {
  const time = timeWords(zone)
  return {
    name: accountNames[account],
    opening: [firstDay === undefined ? '' : dayWords(firstDay), formatUsd(openingCents[account])],
    closing: [dayWords(lastDay), formatUsd(closingCents[account])],
    lines: await mapInSlices(
      lines.filter(line => line.account === account),
      line => ({
        at: time(line.at),
        what: line.description,
        number: line.invoiceId ?? '',
        note: line.note,
        amount: `${line.amount > 0n ? '+' : ''}${formatUsd(line.amount)}`,
        balance: formatUsd(line.balance),
      }),
    ),
  }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
export const dayWords = (day: string) => dayFormat.format(new Date(day))

export function timeWords(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return at => format.format(at)
}
