import { sql } from 'kysely'
import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { freezeAccount } from '#server/accounts/freeze.ts'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { NameMatch } from '#shared/contract/screening.ts'
import { entryWords, type MatchDecision, type SanctionsList } from '#shared/sanctions.ts'
import { screeningRefusals } from './messages.ts'
import { isInForce, noSuchMatch, statusOf } from './queries.ts'

type LockedMatch = {
  user_id: string
  list: SanctionsList
  entry: string
  listed_name: string
  status: NameMatch['status']
  in_force: boolean
  decided_by: string | null
  decided_at: Date | null
}

/**
 * Decides whether a person is the one on the list, or corrects what another one has decided. The same: the account is frozen, unless it is
 * frozen or closed already; a correction ends no freeze.
 * @param reason for staff
 * @throws AppError own_request, forbidden, not_found; match_decided, own_decision, match_lapsed
 */
export async function decideMatch(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { decision, reason }: { decision: MatchDecision; reason: string },
): Promise<void> {
  const match = await lockMatch(tx, id)
  await requireCanAdminister(tx, ctx.caller, match.user_id)
  if (match.status === decision) {
    throw screeningRefusals.error({ reason: 'match_decided', by: await nameOf(tx, match.decided_by!) })
  }
  if (match.decided_by === ctx.caller.userId) throw screeningRefusals.error({ reason: 'own_decision' })
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
  if (decision === 'same') await freezeOnce(tx, ctx, match)
}

/** The clock of another process may be a little ahead. */
function after({ decided_at }: LockedMatch, now: Date): Date {
  return decided_at === null || decided_at < now ? now : new Date(decided_at.getTime() + 1)
}

async function lockMatch(tx: Tx, id: string): Promise<LockedMatch> {
  const { rows } = await sql<LockedMatch>`
    SELECT m.user_id, m.list, m.entry, m.listed_name, m.decided_by, m.decided_at, ${statusOf} AS status,
           ${isInForce} AS in_force
      FROM app.name_matches m WHERE m.id = ${id} FOR UPDATE OF m`.execute(tx)
  if (!rows[0]) throw noSuchMatch()
  return rows[0]
}

async function freezeOnce(tx: Tx, ctx: SignedInContext, match: LockedMatch): Promise<void> {
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
