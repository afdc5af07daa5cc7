import { createHmac, randomInt } from 'node:crypto'
import type { Services, Tx } from '#server/context.ts'
import { keyFor } from '#server/platform/sealed.ts'
import { recoveryCodeCount } from '#shared/limits.ts'

/** Without letters and digits that are taken for one another; a code is ten of them: 50 bits. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const HALF = 5

/** Ten new codes in place of those before, as they are shown, once: only their HMACs are kept. */
export async function replaceRecoveryCodes(tx: Tx, services: Services, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newCode)
  await tx.deleteFrom('app.recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('app.recovery_codes')
    .values(codes.map(code => ({ user_id: userId, code_hash: hashOf(services, userId, code) })))
    .execute()
  return codes
}

/** Uses a code up; of several tries at the same time one does. */
export async function spendRecoveryCode(
  tx: Tx,
  services: Services,
  userId: string,
  code: string,
): Promise<boolean> {
  const used = await tx
    .updateTable('app.recovery_codes')
    .set({ used_at: services.clock.now() })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hashOf(services, userId, code))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

function newCode(): string {
  const half = () => Array.from({ length: HALF }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${half()}-${half()}`
}

/** Of what was typed: in any case, with or without the dash and spaces. */
function hashOf({ config }: Services, userId: string, code: string): Buffer {
  const plain = code.toUpperCase().replace(/[^A-Z\d]/g, '')
  return createHmac('sha256', keyFor(config.tokenSecret, 'recovery code'))
    .update(`${userId}:${plain}`)
    .digest()
}
