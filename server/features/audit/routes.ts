import { type Binding, query } from '#server/context.ts'
import { listAudit } from '#shared/contract/site.ts'
import { listAuditLog } from './list.ts'

export const routes: Binding[] = [
  query(listAudit, ({ query: filter }, { services }) => listAuditLog(services.db, filter)),
]
