import type { Services } from '#server/context.ts'
import { keyFor, keyRing, resealed, seal, unseal } from '#server/platform/encrypted.ts'
import type { WebhookRow } from './webhook-queries.ts'

const purpose = 'webhook secret'

export function sealSecret({ config }: Pick<Services, 'config'>, id: string, secret: string): Buffer {
  return seal(keyFor(config, purpose), id, Buffer.from(secret))
}

/** The secrets that sign now, the current one first. */
export function secretsOf(
  { config, clock }: Pick<Services, 'config' | 'clock'>,
  { id, secret, former_secret, former_until }: WebhookRow,
): string[] {
  const isOverlap = former_until !== null && former_until > clock.now()
  return [secret, isOverlap ? former_secret : null]
    .filter(sealed => sealed !== null)
    .map(sealed => unseal(keyRing(config, purpose), id, sealed).toString())
}

/**
 * Reseals under TOKEN_SECRET what an earlier secret sealed (server/accounts/reseal.ts).
 * @returns how many
 */
export async function resealWebhooks({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, purpose)
  const rows = await db
    .selectFrom('app.webhooks')
    .select(['id', 'secret', 'former_secret'])
    .where('removed_at', 'is', null)
    .where('secret', 'is not', null)
    .execute()
  let done = 0
  for (const { id, secret, former_secret } of rows) {
    const anew = (sealed: Buffer | null) => (sealed === null ? null : (resealed(keys, id, sealed) ?? sealed))
    const [after, formerAfter] = [anew(secret), anew(former_secret)]
    if (after === secret && formerAfter === former_secret) continue
    // One replaced meanwhile is already sealed under the current key.
    const { numUpdatedRows } = await db
      .updateTable('app.webhooks')
      .set({ secret: after, former_secret: formerAfter })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .executeTakeFirstOrThrow()
    done += Number(numUpdatedRows)
  }
  return done
}
