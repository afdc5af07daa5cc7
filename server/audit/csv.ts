import type { CsvColumn } from '#server/queries/table-csv.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))

/** The columns of the audit log's CSV. */
export const auditColumns: readonly CsvColumn<CallData<typeof listAudit>[number]>[] = [
  ['When', ({ at }, { moment }) => moment(at)],
  ['Who', ({ actorName, byApiKey }, { text }) => text(byApiKey ? `API key ${actorName}` : actorName)],
  ['Who, id', ({ actor }) => actor ?? ''],
  ['What', ({ action }) => action],
  ['About, kind', ({ subjectKind }, { text }) => text(subjectKind)],
  ['About', ({ subjectName }, { text }) => text(subjectName)],
  ['About, id', ({ subject }) => subject ?? ''],
  ['Why', ({ reason }, { text }) => text(reason)],
  ['From', ({ ip }, { text }) => text(ip)],
  ['Request', ({ requestId }, { text }) => text(requestId)],
  ['Before', ({ details }, { text }) => text(json(details.before))],
  ['After', ({ details }, { text }) => text(json(details.after))],
  ['Details', ({ details: { before, after, ...others } }, { text }) => text(json(others))],
  ['Entry', ({ _id }) => _id],
]
