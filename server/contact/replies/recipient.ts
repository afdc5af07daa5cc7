import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Language } from '#shared/i18n/languages.ts'
import { isTokenOf, tokenIn } from './address.ts'
import type { Envelope } from './envelope.ts'

/** Whose conversation an answer is for, and what shows that it is theirs: our token for their address, and their From. */
export type Recipient = {
  conversation: string
  /** null: a visitor, who has no account. */
  userId: string | null
  email: string
  closedAt: Date | null
  /** The account's, or that of the page on which a visitor wrote. */
  language: Language
  hasToken: boolean
  isFromThem: boolean
}

/** Why a message is nobody's answer; for the log. */
export type Unmatched = 'unreadable' | 'automatic' | 'no_token' | 'unknown_token'

/** Whom a message answers for. One of token and From is enough to tell them that it did not arrive, never to write for them. */
export async function recipientOf(
  { db, config }: Pick<Services, 'db' | 'config'>,
  envelope: Envelope | null,
): Promise<Recipient | Unmatched> {
  if (envelope === null) return 'unreadable'
  if (envelope.isAutomatic) return 'automatic'
  const token = tokenIn(config.replies!.address, envelope.to)
  if (token === null) return 'no_token'
  const owner = await ownerOf(db, token.conversation)
  if (owner === undefined) return 'unknown_token'
  const hasToken = isTokenOf(config, token, owner.email)
  const isFromThem = envelope.from === owner.email.toLowerCase()
  if (!hasToken && !isFromThem) return 'unknown_token'
  return { ...owner, conversation: token.conversation, hasToken, isFromThem }
}

/** Undefined if nobody may write in it: an account's address must be verified; a visitor's is, by our token. */
function ownerOf(
  db: Kysely<Schema>,
  conversation: string,
): Promise<Pick<Recipient, 'userId' | 'email' | 'closedAt' | 'language'> | undefined> {
  return db
    .selectFrom('app.contact_messages as c')
    .leftJoin('app.users as u', 'u.id', 'c.user_id')
    .select(['u.id as userId', 'u.closed_at as closedAt'])
    .select(({ fn }) => [
      fn.coalesce('u.email', 'c.email').as('email'),
      fn.coalesce('u.language', 'c.language').as('language'),
    ])
    .where('c.id', '=', conversation)
    .where(({ or, and, eb }) =>
      or([
        eb('c.user_id', 'is', null),
        and([eb('u.email_verified_at', 'is not', null), eb('u.access_ended_at', 'is', null)]),
      ]),
    )
    .executeTakeFirst()
}
