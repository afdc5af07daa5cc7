import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import type { WitnessPolicy } from '#server/config/witness-policy.ts'
import { rootOf } from '#server/ledger/merkle.ts'
import type { ProofKey } from './keys.ts'
import { logAt } from './log.ts'
import { headOf, vkeyOf } from './note.ts'
import { witnessedElsewhere } from './witnesses.ts'

type Signer = Pick<ProofKey, 'name' | 'publicKey'>

/** Why the log cannot be continued: what was published is not its beginning. */
export class ForkedLog extends Error {}

/**
 * The newest checkpoint that this machine has published, kept outside the database: a database that was restored to an
 * earlier time would sign another history from there.
 */
const fileOf = (dataDir: string) => join(dataDir, 'published-checkpoint')

/**
 * What was signed with another key is another installation's.
 * @param size of the log that is about to be signed
 * @throws ForkedLog if what was published is not the beginning of it
 */
export async function requireContinued(
  client: PoolClient,
  { dataDir, witnesses }: { dataDir: string; witnesses: WitnessPolicy | null },
  key: Signer,
  size: number,
): Promise<void> {
  await requireWitnessed(client, witnesses)
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const [vkey, ...checkpoint] = text?.split('\n') ?? []
  const published = vkey === vkeyOf(key) ? headOf(checkpoint.join('\n'), key.name) : undefined
  if (published === undefined) return
  if (published.size > size) {
    throw new ForkedLog(
      `a log of ${published.size} leaves was published, and the database has ${size} (docs/operate.md, Public proof)`,
    )
  }
  if (!rootOf(await logAt(client, published.size)).equals(published.root)) {
    throw new ForkedLog(
      `the log's first ${published.size} leaves are not those that were published (docs/operate.md, Public proof)`,
    )
  }
}

/** @throws ForkedLog if the log is not what witnesses have cosigned */
async function requireWitnessed(client: PoolClient, witnesses: WitnessPolicy | null): Promise<void> {
  const advice = '(docs/operate.md, Public proof)'
  const elsewhere = await witnessedElsewhere(client, witnesses)
  if (elsewhere !== undefined) throw new ForkedLog(`${elsewhere} ${advice}`)
  const { rows } = await client.query<{ number: bigint; size: bigint; root: Buffer }>(
    `SELECT number, size, root FROM ledger.epochs
      WHERE number = (SELECT max(epoch) FROM ledger.cosignatures)`,
  )
  const [last] = rows
  if (last === undefined || rootOf(await logAt(client, Number(last.size))).equals(last.root)) return
  throw new ForkedLog(`the log's first ${last.size} leaves are not those that were cosigned ${advice}`)
}

/** Replaces the mark as a whole, after the checkpoint was stored and before anybody sees it. */
export async function markPublished(dataDir: string, key: Signer, checkpoint: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const next = `${fileOf(dataDir)}.${process.pid}`
  await writeFile(next, `${vkeyOf(key)}\n${checkpoint}`, { flush: true, mode: 0o600 })
  await rename(next, fileOf(dataDir))
}
