import { createHmac, randomInt } from 'node:crypto'
import type { Services, Tx } from '#server/context.ts'
import { keyFor, keyRing, seal } from '#server/platform/encrypted.ts'
import { recoveryCodeCount } from '#shared/limits.ts'

/** Without characters that look alike, five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 120 bits, which nobody guesses, not even with the database and TOKEN_SECRET (ASVS 5.0 6.5.2: a slow hash below 112). */
const GROUPS = 6
const GROUP_LENGTH = 4

/** Key purposes: for the codes' HMACs, and for sealing them so that a new secret can be used (reseal.ts). */
export const hashPurpose = 'recovery code'
export const sealPurpose = 'recovery code sealed'

/** Replaces the codes with ten new ones, to be shown once: only their HMACs and sealed copies are stored. */
export async function replaceRecoveryCodes(tx: Tx, services: Services, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newCode)
  await tx.deleteFrom('app.recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('app.recovery_codes')
    .values(
      codes.map(code => ({
        user_id: userId,
        code_hash: recoveryHash(keyFor(services.config, hashPurpose), userId, code),
        sealed_code: seal(keyFor(services.config, sealPurpose), userId, Buffer.from(plainOf(code))),
      })),
    )
    .execute()
  return codes
}

/** Spends a code atomically: of parallel tries one wins. */
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
    .where(
      'code_hash',
      'in',
      keyRing(services.config, hashPurpose).map(key => recoveryHash(key, userId, code)),
    )
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** The typed code in capitals, without dashes and spaces. */
function plainOf(code: string): string {
  return code.toUpperCase().replace(/[^A-Z\d]/g, '')
}

/** @param key of the purpose `hashPurpose` */
export function recoveryHash(key: Buffer, userId: string, code: string): Buffer {
  return createHmac('sha256', key)
    .update(`${userId}:${plainOf(code)}`)
    .digest()
}
