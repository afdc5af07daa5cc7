import { sql } from 'kysely'
import type { Services } from '#server/context.ts'

/** Begins to count how long the mailbox has not been read, unless somebody has. */
export async function beginReading({ db, clock }: Services): Promise<void> {
  await db
    .insertInto('app.reply_mailbox')
    .values({ read_at: clock.now() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Called when the mailbox was read to its end. */
export async function markRead({ db, clock }: Services): Promise<void> {
  await db
    .insertInto('app.reply_mailbox')
    .values({ read_at: clock.now() })
    .onConflict(conflict => conflict.column('only_one').doUpdateSet({ read_at: sql`excluded.read_at` }))
    .execute()
}

/** When the mailbox was last read to its end, or somebody began to; undefined if nobody has. */
export async function repliesReadAt({ db }: Pick<Services, 'db'>): Promise<Date | undefined> {
  const row = await db.selectFrom('app.reply_mailbox').select('read_at').executeTakeFirst()
  return row?.read_at
}
