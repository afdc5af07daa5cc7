import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { utcMinute } from '#shared/moments.ts'
import { type FileOut, filesOut } from './given-out.ts'

/** What may not be done, or not unasked, while a file that was given out can still pay the same withdrawal. */

/**
 * That a withdrawal is paid by no file of a cancelled batch any more that was given out, by the rules of its network: before its owner
 * has the money again.
 * @throws AppError wrong_state, saying what to wait for
 */
export async function requireExcluded(db: Kysely<Schema>, id: string, now: Date): Promise<void> {
  const [file] = await filesOut(db, [id], now)
  if (!file) return
  const todo = file.is_shown ? 'Look at that batch first' : 'Decline it after that'
  throw new AppError(
    'wrong_state',
    `${fileOutWords(file)} ${todo}, so that its owner never has both the coins and the money.`,
  )
}

/**
 * That a withdrawal may be marked as paid by hand with this transaction: by what was seen of such a file itself, or where somebody says
 * of each that is not shown to have been sent that it was not, and will not be.
 * @param transactionId as it is kept @returns the numbers of the batches of whose files that is said
 * @throws AppError wrong_state
 */
export async function requireNotSent(
  db: Kysely<Schema>,
  id: string,
  { transactionId, notBroadcast, now }: { transactionId: string; notBroadcast: boolean; now: Date },
): Promise<string[]> {
  const files = await filesOut(db, [id], now)
  requireShown(files, transactionId)
  const others = files.filter(file => !file.is_shown && file.seen_transaction !== transactionId)
  const [file] = others
  if (file && !notBroadcast) {
    throw new AppError(
      'wrong_state',
      `${fileOutWords(file)} If it was sent, this withdrawal is paid twice. Enter the transaction that has paid it by that file; or say that the file was not sent and will not be.`,
    )
  }
  return others.map(({ number }) => number)
}

/** What the network shows to have been sent is what has paid: nobody's word sets it aside. */
function requireShown(files: readonly FileOut[], transactionId: string): void {
  const shown = files.filter(({ is_shown }) => is_shown)
  const [file] = shown
  if (!file || shown.some(({ seen_transaction }) => seen_transaction === transactionId)) return
  throw new AppError(
    'wrong_state',
    `${fileOutWords(file)} Enter that transaction: another one pays this withdrawal twice.`,
  )
}

/** What is out, and what excludes it, of a withdrawal that is spoken of. */
export function fileOutWords({
  number,
  method,
  sender,
  nonce,
  until,
  seen_transaction: seen,
  is_shown,
}: FileOut): string {
  const which = `The file of cancelled batch ${number}, which pays this withdrawal,`
  if (is_shown) return `${which} was sent: the network shows its transaction ${seen}.`
  const sent = seen === null ? '' : ` Transaction ${seen} was seen of it.`
  if (until !== null) return `${which} can be sent until ${utcMinute(until)}.${sent}`
  if (method === 'usdt') return `${which} names no end, so it can still be signed.${sent}`
  const excluding =
    nonce === null ? 'that spends one of its outputs' : `with its nonce ${nonce} from ${sender}`
  return `${which} can still be signed.${sent} It is excluded once another transaction ${excluding} has all its confirmations.`
}
