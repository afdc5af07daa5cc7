import type { Services } from '#server/context.ts'
import { keyFor, keyRing, resealed, seal, unseal } from '#server/platform/encrypted.ts'

const purpose = 'identity document'

type Keys = Pick<Services, 'config'>

/**
 * Encrypts what an investor sends: a file or the answers of a check.
 * @param id of its row, where alone it can be opened
 */
export function sealProof({ config }: Keys, id: string, content: Uint8Array): Buffer {
  return seal(keyFor(config, purpose), id, content)
}

/** @throws Error if it was sealed under an unknown secret, or for another row */
export function openProof({ config }: Keys, id: string, sealed: Buffer): Buffer {
  return unseal(keyRing(config, purpose), id, sealed)
}

/**
 * Reseals under TOKEN_SECRET what an earlier secret sealed (server/accounts/reseal.ts).
 * @returns how many
 */
export async function resealProofs(services: Services): Promise<number> {
  return (await resealAnswers(services)) + (await resealFiles(services)) + (await resealSessions(services))
}

async function resealAnswers({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, purpose)
  const rows = await db
    .selectFrom('app.identity_checks')
    .select(['id', 'sealed_answers'])
    .where('sealed_answers', 'is not', null)
    .execute()
  let done = 0
  for (const { id, sealed_answers: before } of rows) {
    const after = resealed(keys, id, before!)
    if (after === undefined) continue
    const { numUpdatedRows } = await db
      .updateTable('app.identity_checks')
      .set({ sealed_answers: after })
      .where('id', '=', id)
      // What was erased meanwhile stays erased.
      .where('sealed_answers', '=', before)
      .executeTakeFirstOrThrow()
    done += Number(numUpdatedRows)
  }
  return done
}

/** Addresses of open sessions. */
async function resealSessions({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, purpose)
  const rows = await db
    .selectFrom('app.identity_sessions')
    .select(['id', 'sealed_url'])
    .where('sealed_url', 'is not', null)
    .execute()
  let done = 0
  for (const { id, sealed_url: before } of rows) {
    const after = resealed(keys, id, before!)
    if (after === undefined) continue
    const { numUpdatedRows } = await db
      .updateTable('app.identity_sessions')
      .set({ sealed_url: after })
      .where('id', '=', id)
      .where('sealed_url', '=', before)
      .executeTakeFirstOrThrow()
    done += Number(numUpdatedRows)
  }
  return done
}

/** One at a time: each may be megabytes. */
async function resealFiles({ db, config }: Services): Promise<number> {
  const keys = keyRing(config, purpose)
  const stored = await db
    .selectFrom('app.identity_files')
    .select('id')
    .where('sealed_content', 'is not', null)
    .execute()
  let done = 0
  for (const { id } of stored) {
    const row = await db
      .selectFrom('app.identity_files')
      .select('sealed_content')
      .where('id', '=', id)
      .executeTakeFirst()
    const after = row?.sealed_content ? resealed(keys, id, row.sealed_content) : undefined
    if (after === undefined) continue
    const { numUpdatedRows } = await db
      .updateTable('app.identity_files')
      .set({ sealed_content: after })
      .where('id', '=', id)
      .where('sealed_content', 'is not', null)
      .executeTakeFirstOrThrow()
    done += Number(numUpdatedRows)
  }
  return done
}
