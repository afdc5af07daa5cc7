import { sql } from 'kysely'
import type { RequestContext, Tx } from '#server/context.ts'
import { hashOf } from './sessions.ts'

/**
 * Whether somebody logs in on a device that the account has been used on before: by the random text that a browser
 * keeps and sends, or, where a program sends none, by what it calls itself, versions aside. The very first login is on
 * no new device: there is nothing that it could differ from.
 */
export async function isNewDevice(
  tx: Tx,
  { userAgent }: Pick<RequestContext, 'userAgent'>,
  userId: string,
  device: string | undefined,
): Promise<boolean> {
  const same =
    device === undefined
      ? sql<boolean>`device_hash IS NULL AND ${withoutVersions(sql`user_agent`)}
                       IS NOT DISTINCT FROM ${withoutVersions(sql`${userAgent}::text`)}`
      : sql<boolean>`device_hash = ${hashOf(device)}`
  const { rows } = await sql<{ before: boolean; known: boolean }>`
    SELECT count(*) > 0 AS before, coalesce(bool_or(${same}), false) AS known
      FROM app.sessions WHERE user_id = ${userId}`.execute(tx)
  const { before, known } = rows[0]!
  return before && !known
}

function withoutVersions(text: ReturnType<typeof sql>) {
  return sql`regexp_replace(${text}, '[0-9._]+', '', 'g')`
}
