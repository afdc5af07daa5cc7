import type { FileAnswer, Services, SignedInContext } from '#server/context.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { momentsOf } from '#server/queries/filters.ts'
import { exported, linesOfRows } from '#server/queries/table-csv.ts'
import { describeEvent } from '#server/statements/lines.ts'
import type { JournalQuery } from '#shared/contract/journal.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { dayOf, utcDay } from '#shared/moments.ts'
import { type Transaction, type Writer, writers } from './formats.ts'
import { type EntryRow, firstDayOf, type JournalDays, type JournalRow, journalRows } from './queries.ts'

/** The days that a journal can have. */
export async function daysOfJournal({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  return { firstDay: await firstDayOf(db), today: dayOf(clock.now()) }
}

/**
 * The whole journal of some days as a file, in one snapshot of the books, in batches while it is sent. The audit log
 * records the export.
 * @throws AppError invalid_input for days that are not in order, or have not come
 */
export async function journalAsFile(ctx: SignedInContext, query: JournalQuery): Promise<FileAnswer> {
  const days = await daysOf(ctx.services, query)
  const writer = writers[query.format]
  async function* lines() {
    yield writer.begin(days, ctx.services.clock.now())
    const write = lineWriter(writer, days)
    yield* linesOfRows(ctx.services, journalRows(ctx.services.db, days), rows => mapInSlices(rows, write))
  }
  const content = await exported(ctx, { list: 'journal', ...query }, lines)
  const name = `journal-${days.firstDay}-to-${days.lastDay}.${writer.extension}`
  return { name, content, type: writer.type }
}

/** As asked for, up to today, and from the first transaction if no first day is asked for. */
async function daysOf(services: Services, { from, to }: JournalQuery): Promise<JournalDays> {
  momentsOf({ from, to })
  const { firstDay, today } = await daysOfJournal(services)
  if (from !== undefined && from > today) {
    const message = t('The first day cannot be in the future. Today is {day} (UTC)', {
      day: utcDay(new Date(today)),
    })
    throw new AppError('invalid_input', message, { fields: { from: message } })
  }
  const lastDay = to === undefined || to > today ? today : to
  const begun = firstDay === null || firstDay > lastDay ? lastDay : firstDay
  return { firstDay: from ?? begun, lastDay, begun }
}

/** Writes rows in their order, and what begins or ends between two of them. */
function lineWriter(writer: Writer, days: JournalDays): (row: JournalRow) => string {
  let part: JournalRow['part'] | undefined
  let current: Transaction | undefined
  return row => {
    const posting = { account: row.account, asset: row.asset, debit: -row.amount }
    const isFirst = row.part !== part
    part = row.part
    if (row.part === 'opening') {
      return (isFirst ? writer.openings(days) : '') + writer.opening(posting, days)
    }
    if (row.part === 'closing') {
      return (isFirst ? writer.closings(days) : '') + writer.closing(posting, days, row.isSum)
    }
    if (row.id === current?.id) return writer.posting(posting, current)
    current = transactionOf(row)
    return writer.transaction(current) + writer.posting(posting, current)
  }
}

function transactionOf({
  id,
  at,
  event,
  cancelled,
  record,
  number,
  source,
  wallet,
  txid,
}: EntryRow): Transaction {
  const more = source !== null ? `: ${source}` : txid !== null && wallet !== null ? ` in ${wallet}` : ''
  return { id, at, description: `${describeEvent(event, cancelled)}${more}`, number, record, txid }
}
