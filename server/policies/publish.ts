import type { z } from 'zod'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import { lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { policyProposal, proposePolicy as proposeCall } from '#shared/contract/policies.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { policyDaysAhead, termsNoticeDays } from '#shared/limits.ts'
import { dayAfter, dayOf } from '#shared/moments.ts'
import { aboutPolicy, policyRefusals } from './messages.ts'
import { newestPolicy } from './queries.ts'
import { insertTranslations, requireComplete } from './translations.ts'

type Newest = Awaited<ReturnType<typeof newestPolicy>>
type Content = z.output<typeof policyProposal>

/**
 * Proposes a version of a policy; the one in force stays until another admin approves and its day comes.
 * @returns the proposal's id
 * @throws AppError forbidden; changed_meanwhile; invalid_input; policy_unchanged, already_proposed, needs_second_admin
 */
export async function proposePolicy(
  tx: Tx,
  ctx: SignedInContext,
  { kind, text, changes, from, version, translations = {}, reason }: ParsedInput<typeof proposeCall>['body'],
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const newest = await newestPolicy(tx, kind)
  requireLatestVersion(newest?.version ?? 0, version, 'policy')
  if (newest?.text === text) throw policyRefusals.error({ reason: 'policy_unchanged' })
  if (newest && changes === null) throw invalid('changes', t('Say what changes'))
  const content: Content = { policy: kind, text, changes: newest ? changes : null, from, translations }
  requireComplete(content, translations)
  const wrong = wrongDay(content, newest, ctx.services.clock.now())
  if (wrong) throw invalid('from', wrong)
  const { text: _text, ...said } = content
  const logged = { ...said, translations: Object.keys(translations) }
  return propose(tx, ctx, others, { kind: 'policy', content, logged, about: () => aboutPolicy(kind), reason })
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } })
}

function wrongDay({ policy, from }: Content, newest: Newest, now: Date): string | undefined {
  if (from < dayOf(now)) return t('The first day cannot be in the past (UTC)')
  if (from > dayAfter(now, policyDaysAhead))
    return t('The first day can be at most {days} days ahead', { days: policyDaysAhead })
  if (newest && from <= newest.in_force_from)
    return t('Choose a day after {day}', { day: newest.in_force_from })
  if (policy === 'terms' && newest && from < dayAfter(now, termsNoticeDays))
    return t('Investors need {days} days’ notice of changed terms. Choose a later day.', {
      days: termsNoticeDays,
    })
  return undefined
}

/**
 * Publishes an approved version.
 * @throws AppError day_passed, notice_too_short, changed_meanwhile
 */
export async function publishPolicy(tx: Tx, ctx: SignedInContext, proposal: ProposalRow): Promise<void> {
  const content = proposal.content as Content
  await lockVersions(tx, 'policies')
  const newest = await newestPolicy(tx, content.policy)
  const now = ctx.services.clock.now()
  requireDayAhead(content, newest, now)
  const id = newId(now)
  const version = (newest?.version ?? 0) + 1
  await tx
    .insertInto('app.policies')
    .values({
      id,
      kind: content.policy,
      version,
      text: content.text,
      changes: content.changes,
      in_force_from: content.from,
      proposal_id: proposal.id,
      created_at: now,
    })
    .execute()
  const { translations } = content
  await insertTranslations(tx, { policyId: id, proposalId: proposal.id, translations, now })
  const subject = { kind: 'policy', id }
  const languages = Object.keys(translations)
  const details = { policy: content.policy, version, from: content.from, languages }
  await audit(tx, ctx, { action: 'policy.published', subject, reason: proposal.reason, details })
}

/** Days have passed since it was proposed. */
function requireDayAhead({ policy, from }: Content, newest: Newest, now: Date): void {
  if (from < dayOf(now)) throw policyRefusals.error({ reason: 'day_passed' })
  if (policy === 'terms' && newest && from < dayAfter(now, termsNoticeDays))
    throw policyRefusals.error({ reason: 'notice_too_short' })
}
