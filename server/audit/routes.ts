import { type Binding, query } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { auditCsv, listAudit } from '#shared/contract/site.ts'
import { auditColumns } from './csv.ts'
import { listAuditLog, presentEntries, wholeAuditLog } from './queries.ts'

export const routes: Binding[] = [
  query(listAudit, ({ query: filter }, { services }) => listAuditLog(services.db, filter)),

  query(auditCsv, async ({ query: filter }, ctx) => {
    const { db } = ctx.services
    return tableAsCsv(ctx, {
      name: 'audit-log',
      filter,
      rows: await wholeAuditLog(db, filter),
      items: rows => presentEntries(db, rows),
      columns: auditColumns,
    })
  }),
]
