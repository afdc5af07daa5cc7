import type { CsvColumn } from '#server/records/table-csv.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'

/** The columns of the audit log's file. */
export const auditColumns: readonly CsvColumn<CallData<typeof listAudit>[number]>[] = [
  ['When', ({ at }, { moment }) => moment(at)],
  ['Who', ({ actorName }, { text }) => text(actorName)],
  ['Who, id', ({ actor }) => actor ?? ''],
  ['What', ({ action }) => action],
  ['About, kind', ({ subjectKind }, { text }) => text(subjectKind)],
  ['About', ({ subjectName }, { text }) => text(subjectName)],
  ['About, id', ({ subject }) => subject ?? ''],
  ['Why', ({ reason }, { text }) => text(reason)],
  ['From', ({ ip }, { text }) => text(ip)],
  ['Request', ({ requestId }, { text }) => text(requestId)],
  ['Details', ({ details }, { text }) => text(JSON.stringify(details))],
  ['Entry', ({ _id }) => _id],
]
