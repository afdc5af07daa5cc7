import type { Db } from '#server/platform/database/pool.ts'
import { enqueue } from '#server/platform/queue.ts'
import { copyToBucket } from '#server/proof/bucket.ts'
import { stampCheckpoints } from '#server/proof/stamps.ts'
import { askWitnesses } from '#server/proof/witnesses.ts'
import { scheduleKey } from './job.ts'

/** Queues what others do with a new checkpoint: a time stamp, cosignatures, the copy in a bucket. */
export async function queueAfterEpoch(db: Db): Promise<void> {
  for (const task of [stampCheckpoints, askWitnesses, copyToBucket])
    await enqueue(db, task, {}, scheduleKey(task))
}
