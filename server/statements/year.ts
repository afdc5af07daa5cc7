import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { type StatementLine as LedgerLine, statement } from '#server/ledger/statement.ts'
import { type PeriodTotals, periodTotals } from '#server/ledger/totals.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { localTimes } from '#server/platform/zones.ts'
import type { StatementLine } from '#shared/contract/entities.ts'
import type { YearFilter } from '#shared/contract/ledger.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumPdfLines } from '#shared/limits.ts'
import { presentLines } from './lines.ts'
import { type Period, periodOf } from './period.ts'
import { sumsOf } from './summary.ts'

/** Lines that are parsed in one piece. */
const LINES_AT_ONCE = 200

/** The sections of a yearly statement. */
export const yearParts = ['paidIn', 'earned', 'paidOut'] as const
export type YearPart = (typeof yearParts)[number]

/** Money that entered or left an investor's accounts by one transaction, in cents: never negative unless reversed. */
export type YearEntry = {
  at: Date
  what: string
  /** The number of its record; an earning has its investment's. */
  number: string
  /** An earning's recorded returns, a withdrawal's transaction. */
  note: string
  cents: bigint
}

/** opening + paid in + earned - paid out = closing, in cents. */
export type Year = {
  period: Period
  openingCents: bigint
  closingCents: bigint
  parts: Record<YearPart, { totalCents: bigint; entries: YearEntry[] }>
  /** Earnings of each day and source, which add up to the earnings. */
  earnedByDay: { day: string; source: string; cents: bigint }[]
  totals: PeriodTotals
}

/**
 * The calendar year in a zone, until today if it is not over.
 * @throws AppError invalid_input for a year that has not begun
 */
export function periodOfYear({ year, zone }: YearFilter, ctx: { services: Services }): Period {
  const today = localTimes(zone)(ctx.services.clock.now()).day
  const [from, to] = [`${year}-01-01`, `${year}-12-31`]
  if (from > today) {
    const message = t('{year} has not begun. Choose an earlier year', { year })
    throw new AppError('invalid_input', message, { fields: { year: message } })
  }
  const isOver = to < today
  return { ...periodOf({ from, to, zone }, ctx), lastDay: isOver ? to : today }
}

/**
 * Reads a year in one snapshot and compares it with the ledger's own totals.
 * @throws AppError invalid_input for too many postings
 */
export function readYear(db: Services['db'], userId: string, period: Period): Promise<Year> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(tx => readYearWithin(tx, userId, period))
}

/**
 * The same in the caller's snapshot.
 * @throws AppError invalid_input for too many postings
 */
export async function readYearWithin(tx: Tx, userId: string, period: Period): Promise<Year> {
  const { from, until } = period
  const totals = await periodTotals(tx, userId, { from, until })
  const lines = crossing(await linesOf(tx, userId, { from, until }))
  const words = await presentLines(tx, lines)
  const sources = await sourcesOf(tx, lines)
  const parts: Year['parts'] = {
    paidIn: { totalCents: 0n, entries: [] },
    earned: { totalCents: 0n, entries: [] },
    paidOut: { totalCents: 0n, entries: [] },
  }
  await mapInSlices(lines, (line, n) => {
    const part = parts[partOf[line.reference_kind]]
    const cents = line.reference_kind === 'withdrawal' ? -line.amount : line.amount
    part.entries.push(entryOf(line, words[n]!, cents, sources))
    part.totalCents += cents
  })
  const { openingCents, closingCents } = sumsOf(totals)
  const earnings = lines.filter(line => line.reference_kind === 'earning')
  const earnedByDay = byDay(earnings, sources, period.zone)
  const year = { period, openingCents, closingCents, parts, earnedByDay, totals }
  requireProof(year)
  return year
}

const partOf = { deposit: 'paidIn', investment: 'paidIn', earning: 'earned', withdrawal: 'paidOut' } as const

/** All postings of the period, oldest first. */
async function linesOf(
  tx: Tx,
  userId: string,
  period: Pick<Period, 'from' | 'until'>,
): Promise<LedgerLine[]> {
  const lines: LedgerLine[] = []
  let cursor: string | undefined
  do {
    const page = await statement(tx, userId, { ...period, cursor, limit: LINES_AT_ONCE })
    if (page.total > maximumPdfLines) throw tooLong(page.total)
    lines.push(...page.lines)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return lines.reverse()
}

function tooLong(total: number): AppError {
  const message = t(
    'A yearly statement can cover at most {most, number} entries; this year has {found, number}. Download the CSV of the movements below, for this year',
    { most: maximumPdfLines, found: total },
  )
  return new AppError('invalid_input', message, { fields: { year: message } })
}

/** One line for each transaction, with what it moved in or out. Transfers between the accounts are left out. */
function crossing(lines: readonly LedgerLine[]): LedgerLine[] {
  const byTransaction = new Map<string, LedgerLine>()
  for (const line of lines) {
    const known = byTransaction.get(line.transaction_id)
    byTransaction.set(line.transaction_id, known ? { ...known, amount: known.amount + line.amount } : line)
  }
  return [...byTransaction.values()].filter(({ amount }) => amount !== 0n)
}

function entryOf(
  line: LedgerLine,
  { description, invoiceId, note }: StatementLine,
  cents: bigint,
  sources: ReadonlyMap<string, Source[]>,
): YearEntry {
  const number = invoiceId ?? ''
  return {
    at: line.at,
    what: description,
    number,
    note:
      sources
        .get(line.reference_id)
        ?.map(({ source }) => source)
        .join('; ') ??
      note ??
      '',
    cents,
  }
}

type Source = { id: string; source: string; cents: bigint }

/** What each earning was paid from: its recorded returns with their amounts. */
async function sourcesOf(tx: Tx, lines: readonly LedgerLine[]): Promise<Map<string, Source[]>> {
  const ids = lines.filter(line => line.reference_kind === 'earning').map(line => line.reference_id)
  const { rows } = await sql<Source>`
    SELECT s.earning_id AS id, r.source, s.amount_cents AS cents
      FROM app.earning_sources s JOIN app.returns r ON r.id = s.return_id
     WHERE s.earning_id = ANY (${ids}::uuid[])
     ORDER BY r.realised_on, r.id`.execute(tx)
  return Map.groupBy(rows, ({ id }) => id)
}

function byDay(
  lines: readonly LedgerLine[],
  sources: ReadonlyMap<string, Source[]>,
  zone: string,
): Year['earnedByDay'] {
  const local = localTimes(zone)
  const days = new Map<string, Year['earnedByDay'][number]>()
  for (const line of lines) {
    const { day } = local(line.at)
    for (const { source, cents } of sources.get(line.reference_id) ?? []) {
      const key = JSON.stringify([day, source])
      days.set(key, { day, source, cents: cents + (days.get(key)?.cents ?? 0n) })
    }
  }
  return [...days.values()]
}

/** The entries add up to the totals of the ledger, which the balances at both ends prove. */
function requireProof({ openingCents, closingCents, parts, earnedByDay, totals }: Year): void {
  const { kinds } = sumsOf(totals)
  const net = (part: YearPart) =>
    kinds
      .filter(({ kind }) => partOf[kind] === part)
      .reduce((sum, { inCents, outCents }) => sum + inCents - outCents, 0n)
  const { paidIn, earned, paidOut } = parts
  const isProven =
    paidIn.totalCents === net('paidIn') &&
    earned.totalCents === net('earned') &&
    -paidOut.totalCents === net('paidOut') &&
    earnedByDay.reduce((sum, { cents }) => sum + cents, 0n) === earned.totalCents &&
    openingCents + paidIn.totalCents + earned.totalCents - paidOut.totalCents === closingCents
  if (!isProven) throw new Error('a yearly statement differs from the ledger')
}
