import { audit } from '#server/audit/log.ts'
import type { Caller, RequestContext, Tx } from '#server/context.ts'
import { emailNotVerified } from '#server/ledger/refusals.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { AppError } from '#shared/errors.ts'

/**
 * What changes an account's factors, or what its sessions rest on, waits for what else does: a login under way reads the
 * same row (login.ts), so that it comes before, and its session with it, or after, and sees what has changed.
 */
export async function lockAccount(tx: Tx, userId: string): Promise<void> {
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/**
 * A factor is set up by who has shown that the address is his. Whoever signed up with the address of somebody else would
 * keep his way in by it otherwise, also after the owner has set a password of his own.
 * @throws AppError email_not_verified; forbidden as `refuseUnshownPasskey` says
 */
export async function refuseNewFactor(tx: Tx, caller: Caller): Promise<void> {
  const user = await tx
    .selectFrom('app.users')
    .select('email_verified_at')
    .where('id', '=', caller.userId)
    .executeTakeFirst()
  if (!user?.email_verified_at) throw emailNotVerified('set up a second factor or a passkey')
  await refuseUnshownPasskey(tx, caller)
}

/**
 * Whoever has passkeys changes neither his factors nor his address in a session that has shown no second factor: the
 * password alone would otherwise be enough to replace them. A passkey that is refused can be shown no more, so it asks for
 * nothing, but of an admin of a live firm, who then needs the operator.
 * @throws AppError forbidden
 */
export async function refuseUnshownPasskey(tx: Tx, { userId, sessionId, mustSetUp }: Caller): Promise<void> {
  const unshown = await tx
    .selectFrom('app.sessions as s')
    .innerJoin('app.passkeys as p', 'p.user_id', 's.user_id')
    .select('s.id')
    .where('s.id', '=', sessionId)
    .where('s.user_id', '=', userId)
    .where('s.second_factor', '=', false)
    .$if(!mustSetUp, query => query.where('p.refused_at', 'is', null))
    .limit(1)
    .executeTakeFirst()
  if (!unshown) return
  throw new AppError(
    'forbidden',
    'Log in with your passkey first. If you have lost it, write to our support.',
  )
}

/** Where an account has no factor left beside its password, none of its sessions counts as opened with one. */
export async function forgetShownFactors(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('app.sessions')
    .set({ second_factor: false })
    .where('user_id', '=', userId)
    .where('second_factor', '=', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.second_factors')
            .select('user_id')
            .where('user_id', '=', userId)
            .where('confirmed_at', 'is not', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('app.passkeys').select('id').where('user_id', '=', userId))),
    )
    .execute()
}

/** Takes an account's factors away, all of them: the recovery codes go with the second factor that they belong to. */
export async function dropFactors(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('app.second_factors').where('user_id', '=', userId).execute()
  await tx.deleteFrom('app.passkeys').where('user_id', '=', userId).execute()
}

/**
 * Takes away what was set up before the account's address was shown to be anybody's: the owner of the mailbox, who has
 * just set a password, need not be who did that. He is told what it was.
 */
export async function dropUnverifiedFactors(tx: Tx, ctx: RequestContext, userId: string): Promise<void> {
  const unverified = await tx
    .selectFrom('app.users')
    .select('id')
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  if (!unverified) return
  const by = { subject: { kind: 'user', id: userId }, actorId: userId }
  const factor = await tx
    .deleteFrom('app.second_factors')
    .where('user_id', '=', userId)
    .returning('confirmed_at')
    .executeTakeFirst()
  if (factor?.confirmed_at) {
    await audit(tx, ctx, { action: 'second_factor.off', ...by })
    await notifySecurity(tx, ctx, 'second_factor.off', { userId })
  }
  const passkeys = await tx
    .selectFrom('app.passkeys')
    .select(['id', 'name'])
    .where('user_id', '=', userId)
    .execute()
  for (const { id, name } of passkeys) {
    await audit(tx, ctx, { action: 'passkey.removed', ...by, details: { passkey: name } })
    // Told while there are words for it.
    await notifySecurity(tx, ctx, 'passkey.removed', { userId, aboutId: id })
  }
  await tx.deleteFrom('app.passkeys').where('user_id', '=', userId).execute()
}
