import { mkdir, rename, writeFile } from 'node:fs/promises'
import type { PoolClient } from 'pg'
import type { WitnessPolicy } from '#server/config/witness-policy.ts'
import { rootOf } from '#server/ledger/merkle.ts'
import { newestOwnCheckpoint } from './check-checkpoints.ts'
import { requireContinuedCopy } from './copies.ts'
import { ForkedLog, OtherLog } from './forked-log.ts'
import type { Heard } from './heard.ts'
import { type PublicProofKey, publicProofKeys } from './keys.ts'
import { logAt } from './log.ts'
import { markOf, type PublishedMark, publishedMark } from './mark.ts'
import { headOf, vkeyOf } from './note.ts'
import { witnessedElsewhere } from './witnesses.ts'

/**
 * @param size of the log that is about to be signed
 * @throws ForkedLog if what was published is not the beginning of it
 */
export async function requireContinued(
  client: PoolClient,
  { witnesses, heard }: { witnesses: WitnessPolicy | null; heard: Heard },
  size: number,
): Promise<void> {
  await newestOwnCheckpoint(client)
  await requireWitnessed(client, witnesses)
  if (heard.bucket !== undefined) await requireContinuedCopy(client, heard.bucket, size)
  const [first] = await publicProofKeys(client, 'log')
  if (heard.published === undefined || first === undefined) return
  requireOwnMark(heard.published, first)
  const published = headOf(heard.published.checkpoint, first.name)
  if (published === undefined) return
  if (published.size > size) {
    throw new ForkedLog(`a log of ${published.size} leaves was published, and the database has ${size}`)
  }
  if (!rootOf(await logAt(client, published.size)).equals(published.root)) {
    throw new ForkedLog(`the log's first ${published.size} leaves are not those that were published`)
  }
}

/** @throws ForkedLog if the log is not what witnesses have cosigned */
async function requireWitnessed(client: PoolClient, witnesses: WitnessPolicy | null): Promise<void> {
  const elsewhere = await witnessedElsewhere(client, witnesses)
  if (elsewhere !== undefined) throw new ForkedLog(`${elsewhere}`)
  const { rows } = await client.query<{ number: bigint; size: bigint; root: Buffer }>(
    `SELECT number, size, root FROM ledger.epochs
      WHERE number = (SELECT max(epoch) FROM ledger.cosignatures)`,
  )
  const [last] = rows
  if (last === undefined || rootOf(await logAt(client, Number(last.size))).equals(last.root)) return
  throw new ForkedLog(`the log's first ${last.size} leaves are not those that were cosigned`)
}

/**
 * Replaces the mark as a whole, after the checkpoint was stored and before anybody sees it.
 * @param key the log's first one, by which a log is known also after its key was replaced
 * @throws ForkedLog if the mark is of another log, which stays known by it
 */
export async function markPublished(dataDir: string, key: PublicProofKey, checkpoint: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const before = await publishedMark(dataDir)
  if (before !== undefined) requireOwnMark(before, key)
  const next = `${markOf(dataDir)}.${process.pid}`
  await writeFile(next, `${vkeyOf(key)}\n${checkpoint}`, { flush: true, mode: 0o600 })
  await rename(next, markOf(dataDir))
}

function requireOwnMark({ vkey }: PublishedMark, first: PublicProofKey): void {
  if (vkey !== vkeyOf(first)) throw new OtherLog(vkey)
}
