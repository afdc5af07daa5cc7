import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { passkeyChallengeMinutes } from '#shared/limits.ts'
import { hashOf } from './sessions.ts'

/** What a challenge is for, and whose it is; a login's user is unknown until the answer. */
export type Purpose = { purpose: 'login'; userId?: undefined } | { purpose: 'add' | 'proof'; userId: string }

/** Stores a challenge that can be answered once, within five minutes, for this purpose. */
export async function newChallenge(
  db: Kysely<Schema>,
  { clock }: Pick<Services, 'clock'>,
  { purpose, userId }: Purpose,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await db
    .insertInto('app.passkey_challenges')
    .values({
      challenge_hash: hashOf(challenge),
      purpose,
      user_id: userId ?? null,
      expires_at: new Date(clock.now().getTime() + passkeyChallengeMinutes * 60_000),
    })
    .execute()
  return challenge
}

/**
 * Spends the challenge that an authenticator answered, before the answer is checked.
 * @param clientData the answer's clientDataJSON
 * @returns undefined for an unknown, used or expired challenge
 */
export async function takeChallenge(
  { db, clock }: Services,
  { purpose, userId }: Purpose,
  clientData: string,
): Promise<string | undefined> {
  const challenge = challengeIn(clientData)
  if (challenge === undefined) return undefined
  const taken = await db
    .deleteFrom('app.passkey_challenges')
    .where('challenge_hash', '=', hashOf(challenge))
    .where('purpose', '=', purpose)
    .where('user_id', 'is not distinct from', userId ?? null)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst()
  return taken.numDeletedRows === 1n ? challenge : undefined
}

function challengeIn(clientData: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}
