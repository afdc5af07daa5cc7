import { sql } from 'kysely'
import type { RequestContext, Tx } from '#server/context.ts'
import { hashOf } from './sessions.ts'

/**
 * True if this login is on a device new to the account, which its first login never is. A browser is known by the device id
 * it keeps until it logs out, then by its user agent at that IP address; a program by its user agent (decision 77).
 */
export async function isNewDevice(
  tx: Tx,
  { userAgent, ip }: Pick<RequestContext, 'userAgent' | 'ip'>,
  userId: string,
  device: string | undefined,
): Promise<boolean> {
  const sameAgent = sql<boolean>`${withoutVersions(sql`s.user_agent`)}
    IS NOT DISTINCT FROM ${withoutVersions(sql`${userAgent}::text`)}`
  const loggedOutHere = sql<boolean>`EXISTS (
    SELECT FROM app.audit_log a WHERE a.subject_id = s.id AND a.action = 'logout' AND a.ip = ${ip})`
  const same =
    device === undefined
      ? sql<boolean>`s.device_hash IS NULL AND ${sameAgent}`
      : sql<boolean>`s.device_hash = ${hashOf(device)}
          OR (s.device_hash IS NOT NULL AND ${sameAgent} AND ${loggedOutHere})`
  const { rows } = await sql<{ before: boolean; known: boolean }>`
    SELECT EXISTS (SELECT FROM app.audit_log WHERE subject_id = ${userId} AND action IN ('account.opened', 'login')) AS before,
           EXISTS (SELECT FROM app.sessions s WHERE s.user_id = ${userId} AND (${same})) AS known`.execute(tx)
  const { before, known } = rows[0]!
  return before && !known
}

function withoutVersions(text: ReturnType<typeof sql>) {
  return sql`regexp_replace(${text}, '[0-9._]+', '', 'g')`
}
