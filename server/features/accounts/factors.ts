import type { Caller, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'

/**
 * An admin of a live firm who has passkeys changes nothing about his factors in a session that was opened without one: the
 * password alone would otherwise be enough to replace them. (An account with codes of an app has no such session.)
 * @throws AppError forbidden
 */
export async function refuseUnshownFactor(tx: Tx, { userId, mustSetUp }: Caller): Promise<void> {
  if (!mustSetUp) return
  const passkey = await tx
    .selectFrom('app.passkeys')
    .select('id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  if (passkey) throw new AppError('forbidden', 'Log in with your passkey first')
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
