import { type Binding, query } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { auditCsv, listAudit } from '#shared/contract/site.ts'
import { auditColumns } from './csv.ts'
import { auditList, presentEntries, withRecordId } from './queries.ts'

export const routes: Binding[] = [
  query(listAudit, async ({ query: filter }, { services }) =>
    auditList.page(services, await withRecordId(services.db, filter)),
  ),

  query(auditCsv, async ({ query: filter }, ctx) => {
    const { db } = ctx.services
    return tableAsCsv(ctx, {
      name: 'audit-log',
      filter,
      rows: auditList.all(ctx.services, await withRecordId(db, filter)),
      items: rows => presentEntries(db, rows),
      columns: auditColumns,
    })
  }),
]
