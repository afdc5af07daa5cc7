import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { isTokenOf, tokenIn } from './address.ts'
import type { Envelope } from './envelope.ts'

/** Who answers, and in which of their conversations. */
export type Sender = { conversation: string; userId: string; email: string; closedAt: Date | null }

/** Why a message is nobody's answer; for the log. */
export type Unmatched = 'unreadable' | 'automatic' | 'no_token' | 'unknown_token' | 'other_sender'

/**
 * The person who answers: the token of their address shows that we have sent it to them, and the message says that it is from
 * them. Neither is enough: tokens are forwarded, and anybody can write a From.
 */
export async function senderOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  envelope: Envelope | null,
): Promise<Sender | Unmatched> {
  if (envelope === null) return 'unreadable'
  if (envelope.isAutomatic) return 'automatic'
  const token = tokenIn(config.replies!.address, envelope.to)
  if (token === null) return 'no_token'
  const owner = await ownerOf(db, token.conversation)
  if (owner === undefined || !isTokenOf(config, token, owner.email)) return 'unknown_token'
  if (envelope.from !== owner.email.toLowerCase()) return 'other_sender'
  return { ...owner, conversation: token.conversation }
}

/** Undefined if nobody with a verified address may write in it. */
function ownerOf(
  db: Kysely<Schema>,
  conversation: string,
): Promise<Omit<Sender, 'conversation'> | undefined> {
  return db
    .selectFrom('app.contact_messages as c')
    .innerJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['u.id as userId', 'u.email', 'u.closed_at as closedAt'])
    .where('c.id', '=', conversation)
    .where('u.email_verified_at', 'is not', null)
    .where('u.access_ended_at', 'is', null)
    .executeTakeFirst()
}
