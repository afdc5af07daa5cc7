import type { SignedInContext } from '#server/context.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { localTimes } from '#server/platform/zones.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { dayWords, frameOf, periodFacts, summaryRows } from './pdf.ts'
import type { StatementDocument } from './pdf-document.ts'
import { draw } from './pdf-thread.ts'
import type { Period } from './period.ts'
import { readYear, type Year, type YearEntry, type YearPart, yearParts } from './year.ts'

export const partNames: Record<YearPart, string> = {
  paidIn: msg('Paid in'),
  earned: msg('Earnings'),
  paidOut: msg('Withdrawals paid'),
}

/**
 * The yearly statement as PDF.
 * @throws AppError not_found for an unknown user; invalid_input for too many postings
 */
export async function yearAsPdf(ctx: SignedInContext, userId: string, period: Period): Promise<Buffer> {
  const { db } = await readerOf(ctx.services)
  const year = await readYear(db, userId, period)
  const title = t('Yearly statement {year}', { year: period.firstDay!.slice(0, 4) })
  return draw({
    ...(await frameOf(ctx, userId, {
      title,
      facts: periodFacts(period, {}),
      zone: period.zone,
    })),
    summary: summaryRows(year.totals, {}),
    notes: notes(year),
    tables: [
      ...yearParts.map(part => tableOf(part, year)),
      {
        name: t('Earnings by day and source'),
        empty: t('No earnings were paid in this period.'),
        rows: year.earnedByDay.map(({ day, source, cents }) => ({
          at: dayWords(day),
          what: source,
          number: '',
          note: null,
          amount: localUsd(cents),
        })),
        total: localUsd(year.parts.earned.totalCents),
      },
    ],
    accounts: [],
  })
}

const emptyWords: Record<YearPart, string> = {
  paidIn: msg('Nothing was paid in during this period.'),
  earned: msg('No earnings were paid in this period.'),
  paidOut: msg('No withdrawals were paid in this period.'),
}

function tableOf(part: YearPart, { parts, period }: Year): StatementDocument['tables'][number] {
  const local = localTimes(period.zone)
  const row = ({ at, what, number, note, cents }: YearEntry) => ({
    at: dayWords(local(at).day),
    what: translate(what),
    number,
    note: note === '' ? null : note,
    amount: localUsd(cents),
  })
  const { entries, totalCents } = parts[part]
  return {
    name: translate(partNames[part]),
    empty: translate(emptyWords[part]),
    rows: entries.map(row),
    total: localUsd(totalCents),
  }
}

function notes({ openingCents, closingCents, parts: { paidIn, earned, paidOut } }: Year): string[] {
  const [opening, closing, came, gained, went] = [
    openingCents,
    closingCents,
    paidIn.totalCents,
    earned.totalCents,
    paidOut.totalCents,
  ].map(localUsd) as [string, string, string, string, string]
  return [
    t(
      'Opening balance {opening} + paid in {came} + earnings {gained} - withdrawals {went} = closing balance {closing}.',
      { opening, came, gained, went, closing },
    ),
    t(
      'Transfers between your own accounts are not counted. Payments that their network reversed are subtracted from what was paid in, as far as we recovered them from your balance; the rest is a debt to us. A withdrawal counts on the day we paid it, an earning on the day it was credited.',
    ),
    t(
      'All amounts are in US dollars and come from the firm’s double-entry ledger. This is a record of your account, not tax advice: what is taxable depends on your country.',
    ),
  ]
}
