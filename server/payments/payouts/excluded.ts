import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { signable } from './bitcoin.ts'
import { requireEnded } from './expiry.ts'
import { givenOut } from './nonces.ts'

/**
 * That a withdrawal is paid by no file of a cancelled batch any more that was given out, by the rules of its network: before its owner
 * has the money again.
 * @throws AppError wrong_state, saying what to wait for
 */
export async function requireExcluded(db: Kysely<Schema>, id: string): Promise<void> {
  const [numbered] = await givenOut(db, [id])
  if (numbered) {
    const { number, nonce, payer } = numbered
    throw stillGood(
      number,
      `Send anything else with its nonce ${nonce} from ${payer}, and decline this withdrawal once that has all its confirmations.`,
    )
  }
  const [batch] = await signable(db, [id])
  if (batch) {
    throw stillGood(
      batch.number,
      'Spend one of its outputs by another transaction, and decline this withdrawal once that has all its confirmations.',
    )
  }
  await requireEnded(
    db,
    [id],
    'Decline it after that, so that its owner never has both the coins and the money.',
  )
}

function stillGood(number: string, todo: string): AppError {
  return new AppError(
    'wrong_state',
    `The file of cancelled batch ${number}, which pays this withdrawal, can still be signed. ${todo}`,
  )
}
