import { findUser } from '#server/accounts/queries.ts'
import type { SignedInContext } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { type StatementLine as LedgerLine, statement } from '#server/ledger/statement.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import { type StatementAccount, type StatementLine, statementAccounts } from '#shared/contract/entities.ts'
import type { StatementFilter } from '#shared/contract/ledger.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { presentLines } from './lines.ts'
import type { StatementDocument } from './pdf-document.ts'
import { draw } from './pdf-thread.ts'
import type { Period } from './period.ts'
import { sumsOf } from './summary.ts'

type Asked = Pick<StatementFilter, 'account' | 'kind'>

/**
 * The account statement of a period as PDF: its balances and postings as of one moment.
 * @throws AppError not_found where there is no such user; invalid_input where there are too many postings
 */
export async function statementAsPdf(
  { services }: SignedInContext,
  userId: string,
  period: Period,
  asked: Asked,
): Promise<Buffer> {
  const { db, config, clock } = services
  const user = await findUser(db, userId)
  if (!user) throw new AppError('not_found', 'There is no such user')
  const firm = await currentFirm(db, config)
  const { totals, lines } = await readPeriod(services, userId, period, asked)
  const made = clock.now()
  const document: StatementDocument = {
    mark: config.mode === 'demo' ? 'Demonstration: not a real firm' : null,
    firm: { name: firm.legalName, lines: identityOf(firm) },
    facts: factsOf(user, period, asked, made),
    summary: summaryOf(totals, asked),
    notes: notesOf(asked),
    accounts: accountsOf(asked).map(account => accountPart(account, totals, lines, period)),
  }
  return draw(document)
}

type Exact = Pick<LedgerLine, 'at' | 'amount' | 'balance'>
type Line = Omit<StatementLine, keyof Exact> & Exact

/** In one snapshot: a posting that is made meanwhile is in neither. */
function readPeriod(
  { db }: SignedInContext['services'],
  userId: string,
  { from, until }: Period,
  { account, kind }: Asked,
) {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async tx => {
      const totals = await periodTotals(tx, userId, { from, until })
      const kinds = account && [account]
      const found = await statement(tx, userId, { kinds, about: kind, from, until, limit: maximumPdfLines })
      if (found.total > maximumPdfLines) throw tooLong(found.total)
      const words = await presentLines(tx, found.lines)
      const lines = found.lines.map(
        ({ at, amount, balance }, n): Line => ({ ...words[n]!, at, amount, balance }),
      )
      return { totals, lines: lines.reverse() }
    })
}

function tooLong(total: number): AppError {
  const [most, there] = [maximumPdfLines, total].map(count => count.toLocaleString('en'))
  const message = `A PDF holds at most ${most} movements; this period has ${there}. Choose a shorter one, or the CSV`
  return new AppError('invalid_input', message, { fields: { from: message } })
}

/** The firm as its licence knows it (D2). */
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

function factsOf(
  user: { id: string; name: string; email: string },
  { firstDay, lastDay, zone }: Period,
  { account, kind }: Asked,
  made: Date,
): StatementDocument['facts'] {
  const first = firstDay === undefined ? 'the first movement' : dayWords(firstDay)
  const only = [account && accountNames[account], kind && kindNames[kind]].filter(part => part !== undefined)
  return [
    ['Investor', user.name],
    ['E-mail', user.email],
    ['Account', user.id],
    ['Period', `From ${first} to ${dayWords(lastDay)}`],
    ...(only.length > 0 ? [['Only', only.join(', ')] as [string, string]] : []),
    ['Days and times', zone],
    ['Made', timeWords(zone)(made)],
  ]
}

const accountsOf = ({ account }: Asked) => (account === undefined ? statementAccounts : [account])

function summaryOf(totals: PeriodTotals, asked: Asked): StatementDocument['summary'] {
  const row = (name: string, account?: StatementAccount): StatementDocument['summary'][number] => {
    const { openingCents, inCents, outCents, closingCents } = sumsOf(totals, account)
    return [name, formatUsd(openingCents), formatUsd(inCents), formatUsd(outCents), formatUsd(closingCents)]
  }
  const rows = accountsOf(asked).map(account => row(accountNames[account], account))
  return asked.account === undefined ? [...rows, row('Total funds')] : rows
}

function notesOf({ account, kind }: Asked): string[] {
  return [
    account === undefined &&
      'Total funds counts what came from others and went to others: a move between these accounts is in neither.',
    kind !== undefined &&
      `Only ${kindNames[kind].toLowerCase()} are listed below. The balances and sums above count everything, and each balance is the one after its movement.`,
    'All amounts are US dollars. Every line is a posting of the firm’s double-entry ledger as it stood when this statement was made; none of them can be changed afterwards.',
  ].filter(note => note !== false)
}

function accountPart(
  account: StatementAccount,
  { openingCents, closingCents }: PeriodTotals,
  lines: Line[],
  { firstDay, lastDay, zone }: Period,
): StatementDocument['accounts'][number] {
  const time = timeWords(zone)
  return {
    name: accountNames[account],
    opening: [firstDay === undefined ? '' : dayWords(firstDay), formatUsd(openingCents[account])],
    closing: [dayWords(lastDay), formatUsd(closingCents[account])],
    lines: lines
      .filter(line => line.account === account)
      .map(line => ({
        at: time(line.at),
        what: line.description,
        number: line.invoiceId ?? '',
        note: line.note,
        amount: `${line.amount > 0n ? '+' : ''}${formatUsd(line.amount)}`,
        balance: formatUsd(line.balance),
      })),
  }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dayWords = (day: string) => dayFormat.format(new Date(day))

function timeWords(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return at => format.format(at)
}
