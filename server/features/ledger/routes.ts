import { type Binding, query } from '#server/context.ts'
import { investorKinds } from '#server/ledger/chart.ts'
import { statement } from '#server/ledger/statement.ts'
import { statusFilter } from '#server/records/paging.ts'
import { presentLine } from '#server/records/statement.ts'
import * as call from '#shared/contract/ledger.ts'
import { AppError } from '#shared/errors.ts'

export const routes: Binding[] = [
  query(call.statement, async ({ query: { userId, status, limit, cursor } }, { services, caller }) => {
    if (userId !== undefined && userId !== caller.userId && caller.type !== 'admin') {
      throw new AppError('forbidden', 'You can see your own statement only')
    }
    const kind = statusFilter(status, investorKinds)
    const { lines, nextCursor, total } = await statement(services.db, userId ?? caller.userId, {
      ...(kind === undefined ? {} : { kinds: [kind] }),
      ...(cursor === undefined ? {} : { cursor }),
      limit,
    })
    return { data: lines.map(presentLine), page: { nextCursor, total } }
  }),
]
