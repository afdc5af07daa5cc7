import { z } from 'zod'
import { defineCall, listQuery } from './define.ts'
import { statementLine } from './entities.ts'
import { id } from './fields.ts'

export const statement = defineCall({
  id: 'ledger.statement',
  method: 'GET',
  path: '/ledger/statement',
  permission: 'account',
  list: true,
  summary:
    "One's own postings, the newest first; an admin may name a user. 'status' is an account: available, invested or held",
  message: 'Statement',
  query: listQuery.extend({ userId: id.optional() }),
  data: z.array(statementLine),
  refusals: ['forbidden'],
})
