import { audit } from '#server/audit/log.ts'
import { act, type Binding, command, query } from '#server/context.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import { tableAsCsv } from '#server/queries/table-csv.ts'
import { staffRoutes } from '#server/staff/routes.ts'
import { summaryOf } from '#server/statements/totals.ts'
import * as call from '#shared/contract/accounts.ts'
import { closeAccount as closeCall, closing } from '#shared/contract/closing.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'
import { closeAccount, openMatters } from './closing.ts'
import { userColumns } from './csv.ts'
import { dropEmailChange } from './email-change.ts'
import { factorRoutes } from './factor-routes.ts'
import { login } from './login.ts'
import { accountByEmail, overviewOf } from './overview.ts'
import { changePassword, forgotPassword, resetPassword } from './password.ts'
import { chooseLanguage, updateProfile } from './profile.ts'
import { findUser, ownUser, presentUser, userList } from './queries.ts'
import { reauthenticate } from './reauthenticate.ts'
import { requireReauthentication } from './reauthentication.ts'
import { referredBy } from './referred.ts'
import { ownSessions } from './session-list.ts'
import { endSessions, refreshSession } from './sessions.ts'
import { signup } from './signup.ts'
import { userSessionRoutes } from './user-session-routes.ts'
import { resendCode, verifyEmail } from './verification.ts'

export const routes: Binding[] = [
  ...factorRoutes,
  ...staffRoutes,
  ...userSessionRoutes,

  command(call.signup, async ({ body }, ctx) => {
    const { token, userId } = await signup(ctx, body)
    const user = await findUser(ctx.services.db, userId)
    return { token, user: presentUser(user!) }
  }),

  command(call.login, async ({ body }, ctx) => {
    const { token, userId } = await login(ctx, body)
    return { token, ...(await overviewOf(ctx, userId)) }
  }),

  command(call.verifyEmail, async ({ body: { otp, email } }, ctx) => {
    await verifyEmail(ctx, otp, email)
    return {}
  }),

  command(call.requestVerification, async ({ query, body }, ctx) => {
    const email = query.email ?? body.email
    if (email === undefined) throw invalidEmail(t('Email is required'))
    if (body.email !== undefined && body.email !== email)
      throw invalidEmail(t('The two email addresses differ'))
    await resendCode(ctx, email)
    return {}
  }),

  command(call.refresh, async ({ body }, ctx) => ({ token: await refreshSession(ctx, body.refreshToken) })),

  query(call.listReferred, ({ query: filter }, { services, caller }) =>
    referredBy(caller.userId).page(services, filter),
  ),

  act(call.logout, async (_input, ctx, tx) => {
    const { userId, sessionId } = ctx.caller
    await endSessions(tx, ctx, { userId, only: sessionId })
    await audit(tx, ctx, { action: 'logout', subject: { kind: 'session', id: sessionId } })
    return {}
  }),

  act(call.forgotPassword, async ({ body }, ctx, tx) => {
    await forgotPassword(tx, ctx, body.email)
    return {}
  }),

  command(call.resetPassword, async ({ body: { token, password } }, ctx) => {
    await resetPassword(ctx, token, password)
    return {}
  }),

  command(call.changePassword, async ({ body }, ctx) => {
    await changePassword(ctx, body)
    return {}
  }),

  act(call.updateProfile, async ({ body }, ctx, tx) => {
    await updateProfile(tx, ctx, body)
    return { user: presentUser((await findUser(tx, ctx.caller.userId))!) }
  }),

  act(call.chooseLanguage, async ({ body: { language } }, ctx, tx) => {
    await chooseLanguage(tx, ctx, language)
    return { user: presentUser((await findUser(tx, ctx.caller.userId))!) }
  }),

  act(call.dropEmailChange, async (_input, ctx, tx) => {
    await dropEmailChange(tx, ctx, ctx.caller.userId)
    return { user: presentUser((await findUser(tx, ctx.caller.userId))!) }
  }),

  query(call.me, async (_input, { services, caller }) => {
    const user = await ownUser(services.pool, caller.userId)
    if (!user) throw new AppError('token_invalid', t('This account no longer exists'))
    return presentUser(user)
  }),

  query(call.echo, async ({ query: { email } }, ctx) => overviewOf(ctx, await accountByEmail(ctx, email))),

  query(call.summary, async (_input, { services: { db }, caller }) => {
    const [balances, { investments, earnings, withdrawals, deposits }] = await Promise.all([
      investorBalances(db, caller.userId),
      summaryOf(db, caller.userId),
    ])
    return {
      balance: usdToJson(balances.available),
      invested: usdToJson(balances.invested),
      held: usdToJson(balances.held),
      investments: {
        total: usdToJson(investments.total),
        active: usdToJson(investments.active),
        closed: usdToJson(investments.closed),
        pending: usdToJson(investments.pending),
      },
      earnings: { total: usdToJson(earnings.total) },
      withdrawals: {
        total: usdToJson(withdrawals.total),
        approved: usdToJson(withdrawals.approved),
        pending: usdToJson(withdrawals.pending),
        times: Number(withdrawals.times),
      },
      deposits: { total: usdToJson(deposits.total), pending: usdToJson(deposits.pending) },
    }
  }),

  query(call.listSessions, ({ query: filter }, ctx) => ownSessions(ctx, filter)),

  act(call.endSession, async ({ params: { id } }, ctx, tx) => {
    if (id !== ctx.caller.sessionId) await requireReauthentication(tx, ctx)
    const ended = await endSessions(tx, ctx, { userId: ctx.caller.userId, only: id })
    // One answer for another user's session, an ended one and an unknown id (D8).
    if (ended === 0) throw new AppError('forbidden', t('You can only end your own open sessions'))
    await audit(tx, ctx, { action: 'session.ended', subject: { kind: 'session', id } })
    return {}
  }),

  act(call.endOtherSessions, async (_input, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    const { userId, sessionId } = ctx.caller
    const ended = await endSessions(tx, ctx, { userId, except: sessionId })
    if (ended > 0) {
      const subject = { kind: 'user', id: userId }
      await audit(tx, ctx, { action: 'session.others_ended', subject, details: { ended } })
    }
    return { ended }
  }),

  command(call.reauthenticate, async ({ body }, ctx) => {
    await reauthenticate(ctx, body)
    return {}
  }),

  query(closing, async (_input, { services, caller }) => ({
    matters: await openMatters(services.db, caller.userId),
  })),

  command(closeCall, async ({ body }, ctx) => {
    await closeAccount(ctx, body)
    return {}
  }),

  query(call.listUsers, ({ query: filter }, { services }) => userList.page(services, filter)),

  query(call.usersCsv, ({ query: filter }, ctx) =>
    tableAsCsv(ctx, {
      name: 'users',
      filter,
      rows: userList.all(ctx.services, filter),
      items: rows => rows,
      columns: userColumns,
    }),
  ),
]

function invalidEmail(message: string): AppError {
  return new AppError('invalid_input', message, { fields: { email: message } })
}
