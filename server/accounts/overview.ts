import type { RequestContext } from '#server/context.ts'
import { earningList } from '#server/earnings/queries.ts'
import { investmentList } from '#server/investments/queries.ts'
import { summaryOf } from '#server/statements/totals.ts'
import { withdrawalList } from '#server/withdrawals/queries.ts'
import type { echo } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { defaultPageLimit } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { ownUser, presentUser } from './queries.ts'

/** The response of login and echo: the user with the sum and latest of their investments, withdrawals and earnings. */
export async function overviewOf(
  { services }: RequestContext,
  userId: string,
): Promise<CallData<typeof echo>> {
  const { db, pool } = services
  const filter = { userId, limit: defaultPageLimit }
  const [user, summary, investments, withdrawals, earnings] = await Promise.all([
    ownUser(pool, userId),
    summaryOf(db, userId),
    investmentList.page(services, filter),
    withdrawalList.page(services, filter),
    earningList.page(services, filter),
  ])
  if (!user) throw new AppError('token_invalid', t('This account no longer exists'))
  return {
    user: presentUser(user),
    investments: { total: usdToJson(summary.investments.total), list: investments.data },
    withdrawals: { total: usdToJson(summary.withdrawals.total), list: withdrawals.data },
    earnings: { total: usdToJson(summary.earnings.total), list: earnings.data },
  }
}

/**
 * The account of an email address: the caller's own, or any for staff. Other callers get the same refusal whether the
 * account exists or not (D8).
 * @throws AppError forbidden; not_found for staff
 */
export async function accountByEmail(ctx: RequestContext, email: string): Promise<string> {
  const user = await ctx.services.db
    .selectFrom('app.users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (may(ctx.caller?.role ?? null, 'console')) {
    if (!user) throw new AppError('not_found', t('No account has this email'))
    return user.id
  }
  if (user?.id !== ctx.caller?.userId || !user) {
    throw new AppError('forbidden', t('You can only see your own account'))
  }
  return user.id
}
