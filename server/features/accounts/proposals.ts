import { type Selectable, sql } from 'kysely'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { audit } from '#server/records/audit.ts'
import { countOf, listed, matches, statusFilter } from '#server/records/paging.ts'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import { type Proposal, type ProposalContent, proposalStatuses } from '#shared/contract/proposals.ts'
import { AppError } from '#shared/errors.ts'
import { proposalDays } from '#shared/limits.ts'
import { type Admin, lockStaff, nameOf, tellAdmins } from './staff-lock.ts'

export type ProposalRow = Selectable<Schema['app.proposals']>

type NewProposal = {
  kind: ProposalContent['kind']
  /** Whose account it is about. */
  userId?: string
  content: Record<string, unknown>
  reason: string
}

const subjects: Record<ProposalContent['kind'], string> = {
  settings: 'A change of the settings is proposed',
  second_factors: 'A reset of second factors is proposed',
  role: 'A change of a role is proposed',
  invitation: 'An invitation to the staff is proposed',
}

/**
 * Writes down what one admin wants and another one has to approve; those are told. The caller holds the lock of `lockStaff`.
 * @returns its id
 * @throws AppError wrong_state where there is no other admin, or where the same waits already
 */
export async function propose(
  tx: Tx,
  ctx: SignedInContext,
  others: readonly Admin[],
  { kind, userId, content, reason }: NewProposal,
): Promise<string> {
  if (others.length === 0) {
    throw new AppError(
      'wrong_state',
      'This needs two admins, and you are the only one. There must be another one first.',
    )
  }
  const now = ctx.services.clock.now()
  const id = newId(now)
  await markExpired(tx, now)
  const inserted = await tx
    .insertInto('app.proposals')
    .values({
      id,
      kind,
      user_id: userId ?? null,
      content,
      reason,
      proposed_by: ctx.caller.userId,
      created_at: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    throw new AppError(
      'wrong_state',
      'This is proposed already. Decide that proposal, or withdraw it, first.',
    )
  }
  const details = { kind, ...(userId ? { user: userId } : {}), ...content }
  await audit(tx, ctx, { action: 'proposal.made', subject: { kind: 'proposal', id }, reason, details })
  await tellAdmins(tx, ctx, others, {
    subject: subjects[kind],
    paragraphs: [
      `${await nameOf(tx, ctx.caller.userId)} has proposed what needs a second admin. Look at it, and approve or reject it, in the console.`,
      `The reason: ${reason}`,
    ],
  })
  return id
}

/** What was proposed before has expired, unless it was decided. */
function expiry(now: Date): Date {
  return new Date(now.getTime() - proposalDays * 86_400_000)
}

/** Those that have expired wait no more, so that the same can be proposed again. */
async function markExpired(tx: Tx, now: Date): Promise<void> {
  await tx
    .updateTable('app.proposals')
    .set({ status: 'expired', decided_at: now })
    .where('status', '=', 'pending')
    .where('created_at', '<=', expiry(now))
    .execute()
}

/**
 * A proposal that waits, for who may decide it; the caller's other admins with it.
 * @throws AppError forbidden, not_found, wrong_state
 */
async function lockPending(tx: Tx, ctx: SignedInContext, id: string) {
  const others = await lockStaff(tx, ctx)
  const proposal = await tx
    .selectFrom('app.proposals')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!proposal) throw new AppError('not_found', 'There is no such proposal')
  if (proposal.status !== 'pending') {
    const was = proposal.status === 'expired' ? 'has expired' : `was ${proposal.status} already`
    throw new AppError('wrong_state', `This proposal ${was}`)
  }
  if (proposal.created_at <= expiry(ctx.services.clock.now())) {
    throw new AppError(
      'wrong_state',
      `This proposal has expired: it waited ${proposalDays} days. Propose it again.`,
    )
  }
  return { proposal, others }
}

/** What an approval brings about. */
export type Effect = (
  tx: Tx,
  ctx: SignedInContext,
  proposal: ProposalRow,
  others: readonly Admin[],
) => Promise<void>

/**
 * The second admin's approval: pending → approved, with its effect in the same transaction.
 * @throws AppError not_found, wrong_state, same_approver, own_request, and what the effect refuses
 */
export async function approveProposal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  effects: Record<ProposalContent['kind'], Effect>,
): Promise<void> {
  const { proposal, others } = await lockPending(tx, ctx, id)
  requireOtherThanProposer(proposal, ctx)
  if (proposal.user_id === ctx.caller.userId) {
    throw new AppError('own_request', 'This is about yourself. Another admin must approve it.')
  }
  await close(tx, ctx, proposal, 'approved')
  await effects[proposal.kind](tx, ctx, proposal, others)
}

/**
 * Another admin's objection: pending → rejected. Whoever it is about may object, too: nothing changes by it.
 * @throws AppError not_found, wrong_state, same_approver
 */
export async function rejectProposal(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const { proposal } = await lockPending(tx, ctx, id)
  requireOtherThanProposer(proposal, ctx)
  await close(tx, ctx, proposal, 'rejected', reason)
}

function requireOtherThanProposer({ proposed_by }: ProposalRow, { caller }: SignedInContext): void {
  if (proposed_by !== caller.userId) return
  throw new AppError('same_approver', 'You have proposed this. Another admin must decide it.')
}

/** @throws AppError not_found, wrong_state, own_request where another one has proposed it */
export async function withdrawProposal(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { proposal } = await lockPending(tx, ctx, id)
  if (proposal.proposed_by !== ctx.caller.userId) {
    throw new AppError('own_request', 'Only who has proposed this may withdraw it. You can reject it.')
  }
  await close(tx, ctx, proposal, 'withdrawn')
}

/** Somebody is an admin no more: what he has proposed is proposed no more. */
export async function withdrawProposalsOf(tx: Tx, ctx: SignedInContext, userId: string): Promise<void> {
  const pending = await tx
    .selectFrom('app.proposals')
    .selectAll()
    .where('proposed_by', '=', userId)
    .where('status', '=', 'pending')
    .execute()
  for (const proposal of pending) {
    await close(tx, ctx, proposal, 'withdrawn', 'Who has proposed it is an admin no more')
  }
}

async function close(
  tx: Tx,
  ctx: SignedInContext,
  { id, kind }: ProposalRow,
  status: 'approved' | 'rejected' | 'withdrawn',
  reason?: string,
): Promise<void> {
  await tx
    .updateTable('app.proposals')
    .set({
      status,
      decided_by: ctx.caller.userId,
      decided_at: ctx.services.clock.now(),
      decision_reason: reason ?? null,
    })
    .where('id', '=', id)
    .execute()
  const line = { subject: { kind: 'proposal', id }, details: { kind } }
  await audit(tx, ctx, { action: `proposal.${status}`, ...line, ...(reason ? { reason } : {}) })
}

/** Which of them: about the settings, or about staff and their factors. */
type Filter = ListQuery & { kind?: 'settings' | 'staff' | undefined }

export async function listProposals(
  { db, clock }: Services,
  filter: Filter,
): Promise<{ data: Proposal[]; page: Page }> {
  const status = statusFilter(filter.status, proposalStatuses)
  const statusNow = sql<ProposalRow['status']>`CASE
    WHEN p.status = 'pending' AND p.created_at <= ${expiry(clock.now())} THEN 'expired' ELSE p.status END`
  const matching = db
    .selectFrom('app.proposals as p')
    .innerJoin('app.users as by', 'by.id', 'p.proposed_by')
    .leftJoin('app.users as of', 'of.id', 'p.user_id')
    .where(({ ref }) =>
      matches(filter.q, [ref('p.reason'), ref('by.name'), ref('of.name'), ref('of.email')], [ref('p.id')]),
    )
    .$if(status !== undefined, query => query.where(statusNow, '=', status!))
    .$if(filter.kind !== undefined, query =>
      query.where('p.kind', filter.kind === 'settings' ? '=' : '<>', 'settings'),
    )
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .leftJoin('app.users as decider', 'decider.id', 'p.decided_by')
        .selectAll('p')
        .select([
          'by.name as proposer_name',
          'decider.name as decider_name',
          'of.name as user_name',
          'of.email as user_email',
          statusNow.as('status_now'),
        ])
        .$if(below !== undefined, query => query.where('p.id', '<', below!))
        .orderBy('p.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
  const data = rows.map(row => ({
    _id: row.id,
    content: contentOf(row),
    reason: row.reason,
    status: row.status_now,
    proposedBy: row.proposed_by,
    proposedByName: row.proposer_name,
    createdAt: row.created_at.toISOString(),
    decidedBy: row.decided_by,
    decidedByName: row.decider_name,
    decidedAt: row.decided_at?.toISOString() ?? null,
    decisionReason: row.decision_reason,
  }))
  return { data, page }
}

function contentOf(
  row: ProposalRow & { user_name: string | null; user_email: string | null },
): ProposalContent {
  const account = { user: row.user_id, userName: row.user_name, userEmail: row.user_email }
  return { kind: row.kind, ...(row.user_id === null ? {} : account), ...row.content } as ProposalContent
}
