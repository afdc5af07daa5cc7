import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { CallData } from '#shared/contract/define.ts'
import { type SettingValues, settingValues } from '#shared/contract/proposals.ts'
import type { getSettings } from '#shared/contract/settings.ts'
import { invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { lockStaff } from './admins.ts'
import { staffRefusals } from './messages.ts'
import { type ProposalRow, propose } from './proposals.ts'
import { currentSettings, presentSettings } from './settings-queries.ts'

/** The settings in force, and how many people can approve what needs two. */
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
 * Proposes new settings; the current ones stay in force until another admin approves.
 * @returns the proposal's id
 * @throws AppError forbidden; settings_unchanged, already_proposed, needs_second_admin
 */
export async function proposeSettings(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...after }: SettingValues & { reason: string },
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  requireOrder(after)
  const before = presentSettings(await currentSettings(tx, ctx.services.config))
  if (isSame(before, after)) throw staffRefusals.error({ reason: 'settings_unchanged' })
  return propose(tx, ctx, others, { kind: 'settings', content: { before, after }, reason })
}

function isSame(one: SettingValues, other: SettingValues): boolean {
  const names = Object.keys(settingValues.shape) as (keyof SettingValues)[]
  return names.every(name => one[name] === other[name])
}

/** @throws AppError invalid_input if proof of identity were asked for after proof of the source of funds */
function requireOrder({ identityLimit, fundsLimit }: SettingValues): void {
  if (identityLimit === null || fundsLimit === null || identityLimit <= fundsLimit) return
  throw invalidField('identityLimit', t('This limit cannot be higher than the one without proof of funds'))
}

const centsOrNull = (usd: number | null): bigint | null => (usd === null ? null : usdFromJson(usd)!)

/** Puts approved settings into force, for requests made from now on. */
export async function changeSettings(
  tx: Tx,
  ctx: SignedInContext,
  proposal: Pick<ProposalRow, 'id' | 'content' | 'reason'>,
): Promise<void> {
  const { before, after } = proposal.content as { before: SettingValues; after: SettingValues }
  await tx
    .insertInto('app.setting_versions')
    .values({
      large_withdrawal_cents: usdFromJson(after.largeWithdrawal)!,
      minimum_withdrawal_cents: usdFromJson(after.minimumWithdrawal)!,
      address_wait_hours: after.addressWaitHours,
      payment_window_minutes: after.paymentWindowMinutes,
      large_return_cents: usdFromJson(after.largeReturn)!,
      turnover_limit_cents: usdFromJson(after.turnoverLimit)!,
      reporting_limit_cents: usdFromJson(after.reportingLimit)!,
      dormant_limit_cents: usdFromJson(after.dormantLimit)!,
      identity_limit_cents: centsOrNull(after.identityLimit),
      funds_limit_cents: centsOrNull(after.fundsLimit),
      document_years: after.documentYears,
      earnings_second_approval: after.earningsSecondApproval,
      registration_open: after.registrationOpen,
      deposits_open: after.depositsOpen,
      proposal_id: proposal.id,
      created_at: ctx.services.clock.now(),
    })
    .execute()
  const subject = { kind: 'proposal', id: proposal.id }
  const details = { before, after }
  await audit(tx, ctx, { action: 'settings.changed', subject, reason: proposal.reason, details })
}
