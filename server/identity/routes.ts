import { act, type Binding, query } from '#server/context.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import * as call from '#shared/contract/identity.ts'
import { checkColumns } from './csv.ts'
import { decideCheck, openCheck } from './decide.ts'
import { openFile, removeFile, storeFile } from './files.ts'
import { ownIdentity } from './own.ts'
import { checkById, checkDetail, checkList, ownCheck, presentCheck } from './queries.ts'
import { openReturned } from './returned.ts'
import { cancelCheck, sendFunds, sendIdentity } from './send.ts'
import { cancelSession, startSession } from './sessions.ts'

export const routes: Binding[] = [
  query(call.ownIdentity, (_input, ctx) => ownIdentity(ctx)),

  query(call.returnedCheck, ({ query: { kind } }, ctx) => openReturned(ctx, kind)),

  act(call.uploadIdentityFile, ({ query: { kind }, body }, ctx, tx) => storeFile(tx, ctx, kind, body)),

  act(call.removeIdentityFile, async ({ params: { id } }, ctx, tx) => {
    await removeFile(tx, ctx, id)
    return {}
  }),

  act(call.sendIdentity, async ({ body: { kept, ...details } }, ctx, tx) => {
    const id = await sendIdentity(tx, ctx, details, kept)
    return ownCheck(tx, ctx.caller.userId, id)
  }),

  act(call.sendFunds, async ({ body: { kept, ...details } }, ctx, tx) => {
    const id = await sendFunds(tx, ctx, details, kept)
    return ownCheck(tx, ctx.caller.userId, id)
  }),

  act(call.startIdentitySession, async (_input, ctx, tx) => {
    await startSession(tx, ctx)
    return {}
  }),

  act(call.cancelIdentitySession, async (_input, ctx, tx) => {
    await cancelSession(tx, ctx)
    return {}
  }),

  act(call.cancelCheck, async ({ params: { id } }, ctx, tx) => {
    await cancelCheck(tx, ctx, id)
    return ownCheck(tx, ctx.caller.userId, id)
  }),

  query(call.listChecks, ({ query: filter }, { services }) => checkList.page(services, filter)),

  query(call.checksCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'identity-checks',
      filter,
      rows: checkList.all(ctx.services, filter),
      items: rows => rows,
      columns: checkColumns,
    }),
  ),

  query(call.getCheck, ({ params: { id } }, { services: { db }, caller }) =>
    checkDetail(db, id, caller.userId),
  ),

  act(call.openCheck, ({ params: { id } }, ctx, tx) => openCheck(tx, ctx, id)),

  query(call.identityFile, ({ params: { id } }, ctx) => openFile(ctx, id)),

  act(call.decideCheck, async ({ params: { id }, body }, ctx, tx) => {
    await decideCheck(tx, ctx, id, body)
    return presentCheck(await checkById(tx, id))
  }),
]
