import { act, type Binding, command, query } from '#server/context.ts'
import * as call from '#shared/contract/second-factor.ts'
import { overviewOf } from './overview.ts'
import { loginByPasskey, passkeyOptions, reauthenticateByPasskey } from './passkey-login.ts'
import { addPasskey, beginPasskey, passkeysOf, removePasskey } from './passkeys.ts'
import { requireReauthentication } from './reauthentication.ts'
import { begin, confirm, end, renewCodes, secondFactorOf } from './second-factor.ts'

/** Two-factor authentication and passkeys. */
export const factorRoutes: Binding[] = [
  query(call.secondFactor, (_input, { services, caller }) => secondFactorOf(services, caller.userId)),

  act(call.beginSecondFactor, async (_input, ctx, tx) => {
    await requireReauthentication(tx, ctx)
    return begin(tx, ctx)
  }),

  command(call.confirmSecondFactor, async ({ body: { code } }, ctx) => ({
    recoveryCodes: await confirm(ctx, code),
  })),

  command(call.endSecondFactor, async ({ body: { code } }, ctx) => {
    await requireReauthentication(ctx.services.db, ctx)
    await end(ctx, code)
    return {}
  }),

  command(call.renewRecoveryCodes, async ({ body: { code } }, ctx) => {
    await requireReauthentication(ctx.services.db, ctx)
    return { recoveryCodes: await renewCodes(ctx, code) }
  }),

  query(call.passkeys, (_input, { services, caller }) => passkeysOf(services, caller.userId)),

  act(call.beginPasskey, (_input, ctx, tx) => beginPasskey(tx, ctx)),

  command(call.addPasskey, ({ body }, ctx) => addPasskey(ctx, body)),

  act(call.removePasskey, async ({ params: { id } }, ctx, tx) => {
    await removePasskey(tx, ctx, id)
    return {}
  }),

  command(call.beginPasskeyLogin, (_input, ctx) =>
    passkeyOptions(ctx.services.db, ctx, { purpose: 'login' }),
  ),

  command(call.loginByPasskey, async ({ body }, ctx) => {
    const { token, userId } = await loginByPasskey(ctx, body)
    return { token, ...(await overviewOf(ctx, userId)) }
  }),

  command(call.beginPasskeyReauthentication, (_input, ctx) =>
    passkeyOptions(ctx.services.db, ctx, { purpose: 'proof', userId: ctx.caller.userId }),
  ),

  command(call.reauthenticateByPasskey, async ({ body: { response } }, ctx) => {
    await reauthenticateByPasskey(ctx, response)
    return {}
  }),
]
