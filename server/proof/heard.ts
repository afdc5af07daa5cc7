import type { Pool } from 'pg'
import type { Bucket } from '#server/config/bucket.ts'
import type { Clock } from '#server/platform/clock.ts'
import { headInBucket } from './bucket.ts'
import type { CopyHead } from './copies.ts'
import { type PublishedMark, publishedMark } from './mark.ts'
import { submitNewest, type WitnessOptions } from './witnesses.ts'

/** What others have of the log after its first `epochs` epochs. It is asked for before the transaction that ends the next one. */
export type Heard = {
  epochs: bigint
  published: PublishedMark | undefined
  /** Undefined if there is no bucket, or it does not answer. */
  bucket: CopyHead | undefined
}

/** The database no longer has as many epochs as when witnesses and bucket were asked. */
export class NotHeard extends Error {}

type HearOptions = WitnessOptions & {
  config: { readonly dataDir: string; readonly bucket: Bucket | null }
  clock: Clock
}

/** Asks all that may have seen more of the log than a restored database has. What does not answer stops nothing. */
export async function hear(options: HearOptions): Promise<Heard> {
  const epochs = await epochCount(options.pool)
  const [bucket] = await Promise.all([headInBucket(options), hearWitnesses(options)])
  return { epochs, bucket, published: await publishedMark(options.config.dataDir) }
}

async function hearWitnesses(options: WitnessOptions): Promise<void> {
  await submitNewest(options, { all: true }).catch((error: Error) => {
    options.log.warn({ err: error }, 'an epoch ends without having heard all witnesses')
  })
}

async function epochCount(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ count: bigint }>(
    'SELECT coalesce(max(number), 0) AS count FROM ledger.epochs',
  )
  return rows[0]!.count
}
