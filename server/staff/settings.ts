import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { SettingValues } from '#shared/contract/proposals.ts'
import type { getSettings } from '#shared/contract/settings.ts'
import { AppError } from '#shared/errors.ts'
import { usdFromJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { lockStaff } from './lock.ts'
import { type ProposalRow, propose } from './proposals.ts'
import { currentSettings, presentSettings } from './settings-queries.ts'

/** What is in force, and whether there are people enough for what needs two. */
export async function settingsInForce({ db, config }: Services): Promise<CallData<typeof getSettings>> {
  const [settings, staff] = await Promise.all([
    currentSettings(db, config),
    db
      .selectFrom('app.users')
      .select('role')
      .where('type', '=', 'admin')
      .where('access_ended_at', 'is', null)
      .execute(),
  ])
  return {
    version: settings.version,
    values: presentSettings(settings),
    changedAt: settings.changedAt?.toISOString() ?? null,
    admins: staff.filter(({ role }) => may(role, 'manage')).length,
    deciders: staff.filter(({ role }) => may(role, 'decide')).length,
  }
}

/**
 * Proposes other settings; what is in force stays until another admin has approved them.
 * @returns the proposal's id
 * @throws AppError forbidden; wrong_state where nothing would change, where a change waits already, or where there is no
 *   second admin
 */
export async function proposeSettings(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...after }: SettingValues & { reason: string },
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const before = presentSettings(await currentSettings(tx, ctx.services.config))
  if (isSame(before, after))
    throw new AppError('wrong_state', 'These are the settings in force: nothing would change')
  return propose(tx, ctx, others, { kind: 'settings', content: { before, after }, reason })
}

function isSame(one: SettingValues, other: SettingValues): boolean {
  return (
    one.largeWithdrawal === other.largeWithdrawal &&
    one.earningsSecondApproval === other.earningsSecondApproval
  )
}

/** What two admins have agreed on comes into force, for what is asked for from now on. */
export async function changeSettings(tx: Tx, ctx: SignedInContext, proposal: ProposalRow): Promise<void> {
  const { before, after } = proposal.content as { before: SettingValues; after: SettingValues }
  await tx
    .insertInto('app.setting_versions')
    .values({
      large_withdrawal_cents: usdFromJson(after.largeWithdrawal)!,
      earnings_second_approval: after.earningsSecondApproval,
      proposal_id: proposal.id,
      created_at: ctx.services.clock.now(),
    })
    .execute()
  const subject = { kind: 'proposal', id: proposal.id }
  const details = { before, after }
  await audit(tx, ctx, { action: 'settings.changed', subject, reason: proposal.reason, details })
}
