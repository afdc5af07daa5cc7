import { sql } from 'kysely'
import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { freezeAccount } from '#server/accounts/freeze.ts'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifyOfMatch } from '#server/notifications/notices.ts'
import type { NameMatch } from '#shared/contract/screening.ts'
import {
  entryWords,
  isSanctions,
  type MatchDecision,
  type NameList,
  type SanctionsList,
} from '#shared/sanctions.ts'
import { screeningRefusals } from './messages.ts'
import { isInForce, noSuchMatch, statusOf } from './queries.ts'

type LockedMatch = {
  id: string
  user_id: string
  list: NameList
  entry: string
  listed_name: string
  status: NameMatch['status']
  in_force: boolean
  decided_by: string | null
  decided_at: Date | null
}

type Decision = { decision: MatchDecision; reason: string; corrects?: boolean | undefined }

/**
 * Decides whether a person is the one on the list, or corrects what another one has decided, if the caller says so. The same: on a sanctions list, the account is
 * frozen, unless it is frozen or closed already; a correction ends no freeze. A politically exposed person is only told what they prove before
 * they invest more (app.investment_lacks).
 * @param reason for staff
 * @param corrects true if the caller knows that another one has decided
 * @throws AppError own_request, forbidden, not_found; match_decided, own_decision, match_lapsed
 */
export async function decideMatch(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { decision, reason, corrects = false }: Decision,
): Promise<void> {
  const match = await lockMatch(tx, id)
  await requireCanAdminister(tx, ctx.caller, match.user_id)
  const isOwn = match.decided_by === ctx.caller.userId
  if (match.decided_by !== null && (match.status === decision || !(corrects || isOwn))) {
    throw screeningRefusals.error({ reason: 'match_decided', by: await nameOf(tx, match.decided_by) })
  }
  if (isOwn) throw screeningRefusals.error({ reason: 'own_decision' })
  if (match.status === 'lapsed' || (decision === 'same' && !match.in_force))
    throw screeningRefusals.error({ reason: 'match_lapsed' })
  await tx
    .updateTable('app.name_matches')
    .set({
      decision,
      reason,
      decided_at: after(match, ctx.services.clock.now()),
      decided_by: ctx.caller.userId,
    })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { list, entry, listed_name: name } = match
  await audit(tx, ctx, {
    action: 'screening.decided',
    subject: { kind: 'user', id: match.user_id },
    reason,
    moved: [match.status, decision],
    details: { match: id, list, entry, name },
  })
  if (isSanctions(match.list)) {
    if (decision === 'same') await freezeOnce(tx, ctx, { ...match, list: match.list })
  } else {
    await tellExposed(tx, ctx, match, decision)
  }
}

/** The clock of another process may be a little ahead. */
function after({ decided_at }: LockedMatch, now: Date): Date {
  return decided_at === null || decided_at < now ? now : new Date(decided_at.getTime() + 1)
}

/** One at a time decides about a person, also about two of their matches: what the first one notifies depends on the second. */
async function lockMatch(tx: Tx, id: string): Promise<LockedMatch> {
  await sql`
    SELECT FROM app.users WHERE id = (SELECT user_id FROM app.name_matches WHERE id = ${id}) FOR NO KEY UPDATE`.execute(
    tx,
  )
  const { rows } = await sql<LockedMatch>`
    SELECT m.id, m.user_id, m.list, m.entry, m.listed_name, m.decided_by, m.decided_at, ${statusOf} AS status,
           ${isInForce} AS in_force
      FROM app.name_matches m WHERE m.id = ${id} FOR UPDATE OF m`.execute(tx)
  if (!rows[0]) throw noSuchMatch()
  return rows[0]
}

/** Investors alone invest. Who is several entries of the list is told once. */
async function tellExposed(
  tx: Tx,
  ctx: SignedInContext,
  match: LockedMatch,
  decision: MatchDecision,
): Promise<void> {
  const { rows } = await sql<{ entries: number }>`
    SELECT (SELECT count(*) FROM app.current_matches m
             WHERE m.user_id = u.id AND m.list = 'pep' AND m.decision = 'same')::int AS entries
      FROM app.users u WHERE u.id = ${match.user_id} AND u.type <> 'admin' AND u.closed_at IS NULL`.execute(
    tx,
  )
  const now = ctx.services.clock.now()
  if (decision === 'same' && rows[0]?.entries === 1) await notifyOfMatch(tx, 'match.exposed', match, now)
  if (match.status === 'same' && rows[0]?.entries === 0) await notifyOfMatch(tx, 'match.cleared', match, now)
}

async function freezeOnce(
  tx: Tx,
  ctx: SignedInContext,
  match: LockedMatch & { list: SanctionsList },
): Promise<void> {
  const { frozen_at, closed_at } = await tx
    .selectFrom('app.users')
    .select(['frozen_at', 'closed_at'])
    .where('id', '=', match.user_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (frozen_at !== null || closed_at !== null) return
  const { list, entry, listed_name } = match
  await freezeAccount(
    tx,
    ctx,
    match.user_id,
    `The owner is ${entryWords({ list, entry, name: listed_name })}.`,
  )
}
