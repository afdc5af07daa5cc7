import { audit } from '#server/audit/log.ts'
import { act, type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/console.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { requireCanAdminister } from './can-administer.ts'
import { openSessions } from './session-list.ts'
import { endSessions } from './sessions.ts'

/** A user's sessions, as staff administer them. */
export const userSessionRoutes: Binding[] = [
  query(call.listUserSessions, ({ query: { user, ...filter } }, { services }) =>
    openSessions(user).page(services, filter),
  ),

  act(call.endUserSession, async ({ params: { id, session } }, ctx, tx) => {
    await requireCanAdminister(tx, ctx.caller, id)
    const ended = await endSessions(tx, ctx, { userId: id, only: session })
    if (ended === 0) throw new AppError('not_found', t('No such open session'))
    await audit(tx, ctx, { action: 'session.ended', subject: { kind: 'session', id: session } })
    return {}
  }),

  act(call.endUserSessions, async ({ params: { id } }, ctx, tx) => {
    await requireCanAdminister(tx, ctx.caller, id)
    const ended = await endSessions(tx, ctx, { userId: id })
    if (ended === 0) throw new AppError('not_found', t('This account has no open session'))
    const subject = { kind: 'user', id }
    await audit(tx, ctx, { action: 'session.all_ended', subject, details: { ended } })
    return { ended }
  }),
]
