import { findUser } from '#server/accounts/queries.ts'
import type { SignedInContext } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { type StatementLine as LedgerLine, statement } from '#server/ledger/statement.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { headLine } from '#server/proof/head.ts'
import {
  type StatementAccount,
  type StatementKind,
  type StatementLine,
  statementAccounts,
} from '#shared/contract/entities.ts'
import type { StatementFilter } from '#shared/contract/ledger.ts'
import type { FirmInLanguage } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { locales } from '#shared/i18n/locales.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { utcDay } from '#shared/moments.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { presentLines } from './lines.ts'
import type { StatementDocument } from './pdf-document.ts'
import { draw } from './pdf-thread.ts'
import type { Period } from './period.ts'
import { sumsOf } from './summary.ts'

type Filter = Pick<StatementFilter, 'account' | 'kind'>

/**
 * The account statement of a period as PDF in the language of the request, with balances and postings as of one moment.
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
      title: t('Account statement'),
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
): Promise<Pick<StatementDocument, 'language' | 'title' | 'mark' | 'firm' | 'facts' | 'head'>> {
  const user = await findUser(db, userId)
  if (!user) throw new AppError('not_found', t('User not found'))
  const firm = await currentFirm(db, config)
  return {
    language: languageNow(),
    title,
    mark: config.mode === 'demo' ? t('Demonstration: not a real firm') : null,
    firm: { name: firm.legalName, lines: identityOf(firm) },
    facts: [
      [t('Investor'), user.name],
      [t('Email'), user.email],
      [t('Account'), user.id],
      ...facts,
      [t('Created'), timeWords(zone)(clock.now())],
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
function identityOf(firm: FirmInLanguage): string[] {
  return [
    firm.streetAddress,
    firm.registrationNumber && t('Registration {number}', { number: firm.registrationNumber }),
    firm.regulator && t('Regulated by {regulator}', { regulator: firm.regulator }),
    firm.licence && t('Licence {licence}', { licence: firm.licence }),
    firm.unregulatedStatement,
    [firm.supportEmail, ...firm.phones].join(' · '),
  ].filter((text): text is string => Boolean(text))
}

export function periodFacts(
  { firstDay, lastDay, zone }: Period,
  { account, kind }: Filter,
): StatementDocument['facts'] {
  const last = dayWords(lastDay)
  const days =
    firstDay === undefined
      ? t('From the first entry to {last}', { last })
      : t('From {first} to {last}', { first: dayWords(firstDay), last })
  const only = [account && accountNames[account], kind && kindNames[kind]].filter(part => part !== undefined)
  return [
    [t('Period'), days],
    ...(only.length > 0
      ? [[t('Only'), only.map(name => translate(name)).join(', ')] as [string, string]]
      : []),
    [t('Time zone'), zone],
  ]
}

const accountsOf = ({ account }: Filter) => (account === undefined ? statementAccounts : [account])

export function summaryRows(totals: PeriodTotals, filter: Filter): StatementDocument['summary'] {
  const row = (name: string, account?: StatementAccount): StatementDocument['summary'][number] => {
    const { openingCents, inCents, outCents, closingCents } = sumsOf(totals, account)
    return [name, localUsd(openingCents), localUsd(inCents), localUsd(outCents), localUsd(closingCents)]
  }
  const rows = accountsOf(filter).map(account => row(translate(accountNames[account]), account))
  return filter.account === undefined ? [...rows, row(t('Total funds'))] : rows
}

const onlyKinds: Record<StatementKind, string> = {
  deposit: msg(
    'Only deposits are listed below. The balances and sums above include everything; each balance is the one after its entry.',
  ),
  investment: msg(
    'Only investments are listed below. The balances and sums above include everything; each balance is the one after its entry.',
  ),
  earning: msg(
    'Only earnings are listed below. The balances and sums above include everything; each balance is the one after its entry.',
  ),
  withdrawal: msg(
    'Only withdrawals are listed below. The balances and sums above include everything; each balance is the one after its entry.',
  ),
}

function notesOf({ account, kind }: Filter): string[] {
  return [
    account === undefined &&
      t('Total funds: money in and out. Transfers between these accounts are not counted.'),
    kind !== undefined && translate(onlyKinds[kind]),
    t(
      'All amounts are in US dollars. Every line is an entry of the firm’s double-entry ledger as of the time above. No one can change an entry afterwards.',
    ),
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
    name: translate(accountNames[account]),
    opening: [firstDay === undefined ? '' : dayWords(firstDay), localUsd(openingCents[account])],
    closing: [dayWords(lastDay), localUsd(closingCents[account])],
    lines: await mapInSlices(
      lines.filter(line => line.account === account),
      line => ({
        at: time(line.at),
        what: translate(line.description),
        number: line.invoiceId ?? '',
        note: line.note,
        amount: `${line.amount > 0n ? '+' : ''}${localUsd(line.amount)}`,
        balance: localUsd(line.balance),
      }),
    ),
  }
}

export const dayWords = (day: string) => utcDay(new Date(day))

export function timeWords(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat(locales[languageNow()].dates, {
    dateStyle: 'medium',
    timeStyle: 'short',
    // Short, for its column.
    hourCycle: 'h23',
    timeZone: zone,
  })
  return at => format.format(at)
}
