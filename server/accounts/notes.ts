import type { Kysely } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineList } from '#server/queries/list.ts'
import type { listUserNotes } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'

type Note = CallData<typeof listUserNotes>[number]

function notesOf(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom('app.account_notes as n')
    .innerJoin('app.users as a', 'a.id', 'n.author_id')
    .where('n.user_id', '=', userId)
}

function rowsOf(query: ReturnType<typeof notesOf>) {
  return query.select(['n.id', 'n.note', 'n.created_at', 'a.name as author'])
}

type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

function present({ id, note, author, created_at }: Row): Note {
  return { _id: id, note, author, createdAt: created_at.toISOString() }
}

/** Staff's notes about an account, newest first. */
export const noteList = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>) => notesOf(db, userId),
    columns: rowsOf,
    present: (rows: Row[]) => rows.map(present),
    id: 'n.id',
    search: { texts: ['n.note', 'a.name'], ids: ['n.id'] },
  })

/** Adds a note, which cannot be changed. The audit log records the note's id, not its text. */
export async function addNote(tx: Tx, ctx: SignedInContext, userId: string, note: string): Promise<Note> {
  const now = ctx.services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.account_notes')
    .values({ id, user_id: userId, author_id: ctx.caller.userId, note, created_at: now })
    .execute()
  const subject = { kind: 'user', id: userId }
  await audit(tx, ctx, { action: 'account.noted', subject, details: { note: id } })
  return present(await rowsOf(notesOf(tx, userId)).where('n.id', '=', id).executeTakeFirstOrThrow())
}
