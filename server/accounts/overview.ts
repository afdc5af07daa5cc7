import type { RequestContext } from '#server/context.ts'
import { listEarnings, presentEarning } from '#server/earnings/queries.ts'
import { listInvestments, presentInvestment } from '#server/investments/queries.ts'
import { summaryOf } from '#server/statements/totals.ts'
import { listWithdrawals, presentWithdrawal } from '#server/withdrawals/queries.ts'
import type { echo } from '#shared/contract/accounts.ts'
import type { CallData } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { defaultPageLimit } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { ownUser, presentUser } from './queries.ts'

/** What login and echo answer: the user, and his investments, withdrawals and earnings, each with its sum and latest. */
export async function overviewOf(
  { services }: RequestContext,
  userId: string,
): Promise<CallData<typeof echo>> {
  const { db, pool, clock } = services
  const filter = { userId, limit: defaultPageLimit }
  const now = clock.now()
  const [user, summary, investments, withdrawals, earnings] = await Promise.all([
    ownUser(pool, userId),
    summaryOf(db, userId),
    listInvestments(db, filter, now),
    listWithdrawals(db, filter),
    listEarnings(db, filter),
  ])
  if (!user) throw new AppError('token_invalid', 'This account is no longer there')
  return {
    user: presentUser(user),
    investments: {
      total: usdToJson(summary.investments.total),
      list: investments.rows.map(row => presentInvestment(row, now)),
    },
    withdrawals: {
      total: usdToJson(summary.withdrawals.total),
      list: withdrawals.rows.map(presentWithdrawal),
    },
    earnings: { total: usdToJson(summary.earnings.total), list: earnings.rows.map(presentEarning) },
  }
}

/**
 * The account of an e-mail address: one's own, or any for staff. Everybody else gets the same refusal whether the
 * account is there or not (D8).
 * @throws AppError forbidden; not_found for staff
 */
export async function accountBehind(ctx: RequestContext, email: string): Promise<string> {
  const user = await ctx.services.db
    .selectFrom('app.users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (may(ctx.caller?.role ?? null, 'console')) {
    if (!user) throw new AppError('not_found', 'There is no account with this email')
    return user.id
  }
  if (user?.id !== ctx.caller?.userId || !user) {
    throw new AppError('forbidden', 'You can only ask for your own account')
  }
  return user.id
}
