import type { Kysely } from 'kysely'
import { type Selectable, sql } from 'kysely'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineList } from '#server/queries/list.ts'
import {
  type ProposalContent,
  type ProposalGroup,
  proposalGroups,
  proposalStatuses,
} from '#shared/contract/proposals.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { proposalDays } from '#shared/limits.ts'
import { type Admin, emailAdmins, lockStaff } from './admins.ts'
import { staffRefusals } from './messages.ts'
import { proposalPages, proposalSubject, proposalWords } from './proposal-kinds.ts'

export type ProposalRow = Selectable<Schema['app.proposals']>

type NewProposal = {
  kind: ProposalContent['kind']
  /** The account that it concerns. */
  userId?: string
  content: Record<string, unknown>
  /** What the audit log has of it, if not all: a long text stands in the proposal. */
  logged?: Record<string, unknown>
  /** What else the email says of it, in its reader's language. */
  about?: () => string
  reason: string
}

/**
 * Stores what one admin proposes for another to approve, and emails the others. The caller holds the lock of `lockStaff`.
 * @returns its id
 * @throws AppError needs_second_admin, already_proposed
 */
export async function propose(
  tx: Tx,
  ctx: SignedInContext,
  others: readonly Admin[],
  { kind, userId, content, logged = content, about, reason }: NewProposal,
): Promise<string> {
  if (others.length === 0) throw staffRefusals.error({ reason: 'needs_second_admin' })
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
  if (inserted.numInsertedOrUpdatedRows === 0n) throw staffRefusals.error({ reason: 'already_proposed' })
  const details = { kind, ...(userId ? { user: userId } : {}), ...logged }
  await audit(tx, ctx, { action: 'proposal.made', subject: { kind: 'proposal', id }, reason, details })
  const by = await nameOf(tx, ctx.caller.userId)
  await emailAdmins(tx, ctx, others, () => ({
    subject: proposalSubject(kind),
    paragraphs: [
      t('{name} has proposed {proposal}. Review it in the console:', {
        name: by,
        proposal: proposalWords(kind),
      }),
      ...(about ? [about()] : []),
      t('Reason: {reason}', { reason }),
    ],
    action: { label: t('Review the proposal'), path: `/admin/${proposalPages[kind]}` },
  }))
  return id
}

/** Undecided proposals from before this moment have expired. */
function expiry(now: Date): Date {
  return new Date(now.getTime() - proposalDays * 86_400_000)
}

/** Closes expired proposals, so that the same can be proposed again. */
async function markExpired(tx: Tx, now: Date): Promise<void> {
  await tx
    .updateTable('app.proposals')
    .set({ status: 'expired', decided_at: now })
    .where('status', '=', 'pending')
    .where('created_at', '<=', expiry(now))
    .execute()
}

/**
 * Locks a pending proposal for the caller's decision; returns the other admins with it.
 * @throws AppError forbidden, not_found; proposal_closed, proposal_expired
 */
async function lockPending(tx: Tx, ctx: SignedInContext, id: string) {
  const others = await lockStaff(tx, ctx)
  const proposal = await tx
    .selectFrom('app.proposals')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!proposal) throw new AppError('not_found', t('Proposal not found'))
  const { status, created_at } = proposal
  if (status === 'expired' || (status === 'pending' && created_at <= expiry(ctx.services.clock.now()))) {
    throw staffRefusals.error({ reason: 'proposal_expired' })
  }
  if (status !== 'pending') throw staffRefusals.error({ reason: 'proposal_closed', status })
  return { proposal, others }
}

/** What an approval does. */
export type Effect = (
  tx: Tx,
  ctx: SignedInContext,
  proposal: ProposalRow,
  others: readonly Admin[],
) => Promise<void>

/**
 * The second admin's approval: pending → approved, with its effect in the same transaction.
 * @throws AppError not_found, same_approver, own_request; proposal_closed, proposal_expired, and what the effect refuses
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
    throw new AppError('own_request', t('This proposal concerns you. Another admin must approve it.'))
  }
  await close(tx, ctx, proposal, 'approved')
  await effects[proposal.kind](tx, ctx, proposal, others)
}

/**
 * Another admin's objection: pending → rejected. The person it concerns may object too, since nothing changes.
 * @throws AppError not_found, same_approver; proposal_closed, proposal_expired
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
  throw new AppError('same_approver', t('You proposed this. Another admin must decide it.'))
}

/** @throws AppError not_found, own_request for another admin's proposal; proposal_closed, proposal_expired */
export async function withdrawProposal(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { proposal } = await lockPending(tx, ctx, id)
  if (proposal.proposed_by !== ctx.caller.userId) {
    throw new AppError(
      'own_request',
      t('Only the admin who proposed this can withdraw it. You can reject it.'),
    )
  }
  await close(tx, ctx, proposal, 'withdrawn')
}

/** Withdraws the pending proposals of someone who is no longer an admin. */
export async function withdrawProposalsOf(tx: Tx, ctx: SignedInContext, userId: string): Promise<void> {
  const pending = await tx
    .selectFrom('app.proposals')
    .selectAll()
    .where('proposed_by', '=', userId)
    .where('status', '=', 'pending')
    .execute()
  for (const proposal of pending) {
    await close(tx, ctx, proposal, 'withdrawn', 'The proposer is no longer an admin')
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

const statusAt = (now: Date) => sql<ProposalRow['status']>`CASE
  WHEN p.status = 'pending' AND p.created_at <= ${expiry(now)} THEN 'expired' ELSE p.status END`

/** Kinds that are decided on a page. */
function kindsOn(group: ProposalGroup) {
  return (Object.keys(proposalPages) as ProposalContent['kind'][]).filter(
    kind => proposalPages[kind] === group,
  )
}

/** How many wait on each page. */
export async function countWaiting({
  db,
  clock,
}: Pick<Services, 'db' | 'clock'>): Promise<Record<ProposalGroup, number>> {
  const rows = await db
    .selectFrom('app.proposals as p')
    .select(({ fn }) => ['p.kind', fn.countAll<bigint>().as('count')])
    .where(statusAt(clock.now()), '=', 'pending')
    .groupBy('p.kind')
    .execute()
  const counts = proposalGroups.map(group => {
    const kinds = kindsOn(group)
    const found = rows.filter(({ kind }) => kinds.includes(kind))
    return [group, found.reduce((sum, { count }) => sum + Number(count), 0)]
  })
  return Object.fromEntries(counts)
}

/** Proposals of all pages or of one, newest first. */
export const proposalList = (group?: ProposalGroup) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.proposals as p')
        .innerJoin('app.users as by', 'by.id', 'p.proposed_by')
        .leftJoin('app.users as of', 'of.id', 'p.user_id')
        .leftJoin('app.users as decider', 'decider.id', 'p.decided_by')
        .$if(group !== undefined, query => query.where('p.kind', 'in', kindsOn(group!))),
    columns: (query, now) =>
      query
        .selectAll('p')
        .select(['by.name as proposer_name', 'decider.name as decider_name'])
        .select(['of.name as user_name', 'of.email as user_email', statusAt(now).as('status_now')]),
    present: rows =>
      rows.map(row => ({
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
      })),
    id: 'p.id',
    status: { known: proposalStatuses, column: statusAt },
    search: { texts: ['p.reason', 'by.name', 'of.name', 'of.email'], ids: ['p.id'] },
  })

function contentOf(
  row: ProposalRow & { user_name: string | null; user_email: string | null },
): ProposalContent {
  const account = { user: row.user_id, userName: row.user_name, userEmail: row.user_email }
  return { kind: row.kind, ...(row.user_id === null ? {} : account), ...row.content } as ProposalContent
}
