import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { localTimes } from '#server/platform/zones.ts'
import { formatDecimal } from '#shared/money.ts'
import { type Year, yearParts } from './year.ts'
import { partNames } from './year-pdf.ts'

/** A yearly statement as CSV: amounts between the opening and the closing balance add up to the closing balance. */
export async function yearAsCsv({ period, openingCents, closingCents, parts }: Year): Promise<string> {
  const local = localTimes(period.zone)
  const row = (part: string, day: string, amount: bigint, ...texts: string[]) => {
    const [what = '', number = '', note = ''] = texts
    return csvLine([part, day, textCell(what), number, textCell(note), formatDecimal(amount, 2), 'USD'])
  }
  const rows = [
    byteOrderMark + csvLine(['Part', 'Date', 'What', 'Number', 'Source or note', 'Amount', 'Currency']),
    row('Opening balance', period.firstDay!, openingCents),
  ]
  for (const part of yearParts) {
    const sign = part === 'paidOut' ? -1n : 1n
    rows.push(
      ...(await mapInSlices(parts[part].entries, ({ at, what, number, note, cents }) =>
        row(partNames[part], local(at).day, sign * cents, what, number, note),
      )),
    )
  }
  rows.push(row('Closing balance', period.lastDay, closingCents))
  return rows.join('')
}
