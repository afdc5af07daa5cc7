import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { isTokenOf, tokenIn } from './address.ts'
import type { Envelope } from './envelope.ts'

/** Whom we have sent the token of an answer, and about which of their conversations. */
export type Recipient = { conversation: string; userId: string; email: string; closedAt: Date | null }

/** Why a message is nobody's answer; for the log. */
export type Unmatched = 'unreadable' | 'automatic' | 'no_token' | 'unknown_token'

/** Whom a message says that it answers for, by its token. Tokens are forwarded: it may be by somebody else. */
export async function recipientOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  envelope: Envelope | null,
): Promise<Recipient | Unmatched> {
  if (envelope === null) return 'unreadable'
  if (envelope.isAutomatic) return 'automatic'
  const token = tokenIn(config.replies!.address, envelope.to)
  if (token === null) return 'no_token'
  const owner = await ownerOf(db, token.conversation)
  if (owner === undefined || !isTokenOf(config, token, owner.email)) return 'unknown_token'
  return { ...owner, conversation: token.conversation }
}

/** Undefined if nobody with a verified address may write in it. */
function ownerOf(
  db: Kysely<Schema>,
  conversation: string,
): Promise<Omit<Recipient, 'conversation'> | undefined> {
  return db
    .selectFrom('app.contact_messages as c')
    .innerJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['u.id as userId', 'u.email', 'u.closed_at as closedAt'])
    .where('c.id', '=', conversation)
    .where('u.email_verified_at', 'is not', null)
    .where('u.access_ended_at', 'is', null)
    .executeTakeFirst()
}
