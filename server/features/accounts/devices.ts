import { sql } from 'kysely'
import type { RequestContext, Tx } from '#server/context.ts'
import { hashOf } from './sessions.ts'

/**
 * Whether somebody logs in on a device that is new to the account: by the random text that a browser keeps and sends, or,
 * where a program sends none, by what it calls itself, versions aside. A device is forgotten with its sessions
 * (clean-up.ts). The very first login is on no new device: there is nothing that it could differ from.
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
    SELECT EXISTS (SELECT FROM app.audit_log WHERE subject_id = ${userId} AND action IN ('account.opened', 'login')) AS before,
           EXISTS (SELECT FROM app.sessions WHERE user_id = ${userId} AND ${same}) AS known`.execute(tx)
  const { before, known } = rows[0]!
  return before && !known
}

function withoutVersions(text: ReturnType<typeof sql>) {
  return sql`regexp_replace(${text}, '[0-9._]+', '', 'g')`
}
