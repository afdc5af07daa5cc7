import type { Pool, PoolClient } from 'pg'
import { rootOf } from '#server/ledger/merkle.ts'
import { newestOwnCheckpoint } from './check-checkpoints.ts'
import { type ProofFile, proofFile, tilePath, tilesOf } from './files.ts'
import { ForkedLog } from './forked-log.ts'
import { publicProofKeys } from './keys.ts'
import { logAt } from './log.ts'
import { headOf, vkeyOf } from './note.ts'

/** A place outside this installation that has the published files: a folder or a bucket. */
export type Copy = {
  /** A folder's path, or a bucket's address. */
  readonly place: string
  /** A file, or undefined if it is not there. @throws Error if it has more bytes */
  read(path: string, most: number): Promise<Buffer | undefined>
  /** How many bytes a file there has; undefined if it is not there. */
  bytes(path: string): Promise<number | undefined>
  write(path: string, file: ProofFile): Promise<void>
}

/** Files that are looked for at once. */
const AT_ONCE = 8
/** Of a checkpoint with many cosignatures, and of a list of stamps. */
const MOST_BYTES = 4_000_000

type Published = { number: bigint; size: bigint; names: string[] }

/**
 * Completes a copy of all published files, so that they outlive this installation. What is there stays, but for lists and
 * checkpoints, which grow; the newest checkpoint comes after the files that it names, and the keys that sign it come last.
 * @returns how many files it wrote
 * @throws ForkedLog if the copy is of another log, ours does not continue it, or somebody else ended our newest epoch; Error if a
 *   file there is another one
 */
export async function publish(pool: Pool, copy: Copy): Promise<number> {
  const { rows: epochs } = await pool.query<Published>(
    `SELECT e.number, e.size,
            ARRAY(SELECT name FROM ledger.epoch_files WHERE epoch = e.number)
              || ARRAY(SELECT 'stamps/' || authority || '.tsr' FROM ledger.stamps WHERE epoch = e.number) AS names
       FROM ledger.epochs e ORDER BY e.number`,
  )
  const newest = epochs.at(-1)
  if (newest === undefined) return 0
  await newestOwnCheckpoint(pool)
  const there = await headOfCopy(copy)
  const client = await pool.connect()
  const copied = await requireContinuedCopy(client, there, Number(newest.size)).finally(() =>
    client.release(),
  )
  let written = 0
  let waiting: Immutable[] = []
  for (const file of immutableFiles(epochs, copied)) {
    waiting.push(file)
    if (waiting.length < AT_ONCE) continue
    written += await writeMissing(pool, copy, waiting)
    waiting = []
  }
  written += await writeMissing(pool, copy, waiting)
  const growing = epochs.map(({ number }) => `epochs/${number}/checkpoint`)
  for (const path of [...growing, 'stamps', 'policy', 'receipts-vkey', 'verifier.tgz'])
    written += await writeChanged(pool, copy, path)
  // An epoch that has ended meanwhile is not copied, and nobody has verified it here.
  written += await writeChanged(pool, copy, 'checkpoint', `epochs/${newest.number}/checkpoint`)
  // After the checkpoint that they sign: a reader in between still has a key that opens it.
  for (const path of ['keys', 'vkey']) written += await writeChanged(pool, copy, path)
  await pool.query(
    `INSERT INTO app.proof_copies (place, epoch, copied_at) VALUES ($1, $2, now())
         ON CONFLICT (place) DO UPDATE SET epoch = excluded.epoch, copied_at = excluded.copied_at`,
    [copy.place, newest.number],
  )
  return written
}

/** `isAhead`: of an epoch after the copy's checkpoint, so nothing there says whose it is. */
type Immutable = { path: string; isAhead: boolean }

function* immutableFiles(epochs: readonly Published[], copied: number): Generator<Immutable> {
  let earlier = 0
  let before = new Set<string>()
  for (const { number, size, names } of epochs) {
    const isAhead = Number(size) > copied
    const tiles = new Set([...tilesOf(Number(size), earlier)].map(tilePath))
    // Upper partial tiles stay the same over many epochs, and files are written at once.
    for (const path of tiles) if (!before.has(path)) yield { path, isAhead }
    before = tiles
    earlier = Number(size)
    for (const name of names) yield { path: `epochs/${number}/${name}`, isAhead }
  }
}

async function writeMissing(pool: Pool, copy: Copy, files: readonly Immutable[]): Promise<number> {
  const written = await Promise.all(
    files.map(async ({ path, isAhead }) => {
      const [there, file] = await Promise.all([copy.bytes(path), fileAt(pool, path)])
      if (there === undefined) await copy.write(path, file)
      else if (there !== file.bytes || (isAhead && !(await isSame(copy, path, file))))
        throw new ForkedLog(`${path} is there with another content`)
      return there === undefined
    }),
  )
  return written.filter(Boolean).length
}

async function isSame(copy: Copy, path: string, file: ProofFile): Promise<boolean> {
  return (await copy.read(path, file.bytes))?.equals(await file.read(0, file.bytes)) === true
}

/** Replaces a file that grows, if it exists here. What was signed there stays: it is the evidence of another history. */
async function writeChanged(pool: Pool, copy: Copy, path: string, source = path): Promise<number> {
  const [there, file] = await Promise.all([copy.read(path, MOST_BYTES), proofFile(pool, source)])
  if (file === undefined) return 0
  const ours = await file.read(0, file.bytes)
  if (there?.equals(ours)) return 0
  const isOther = there !== undefined && signedText(there) !== signedText(ours)
  if (isOther && path.startsWith('epochs/')) throw new ForkedLog(`${path} is there with another content`)
  await copy.write(path, file)
  return 1
}

/** A checkpoint without its signatures. */
const signedText = (note: Buffer) => note.toString().split('\n\n')[0]

async function fileAt(pool: Pool, path: string): Promise<ProofFile> {
  const file = await proofFile(pool, path)
  if (file === undefined) throw new Error(`the public proof has no file ${path}`)
  return file
}

/** Whose log a copy has, and how much of it. */
export type CopyHead = { vkey: string | undefined; checkpoint: string | undefined }

export async function headOfCopy(copy: Copy): Promise<CopyHead> {
  const [vkey, checkpoint] = await Promise.all([
    copy.read('vkey', MOST_BYTES),
    copy.read('checkpoint', MOST_BYTES),
  ])
  return { vkey: vkey?.toString(), checkpoint: checkpoint?.toString() }
}

/**
 * A copy that other people may have seen is never replaced by another history.
 * @returns leaves of the log that the copy has
 * @throws ForkedLog if it is of another log, or ours of this size does not continue it
 */
export async function requireContinuedCopy(
  client: PoolClient,
  { vkey, checkpoint }: CopyHead,
  size: number,
): Promise<number> {
  if (vkey === undefined && checkpoint === undefined) return 0
  const keys = await publicProofKeys(client, 'log')
  const [key] = keys
  if (key === undefined) throw new ForkedLog('there is a copy of another log')
  const head = checkpoint === undefined ? undefined : headOf(checkpoint, key.name)
  const isOther = vkey !== undefined && !keys.some(known => vkey === `${vkeyOf(known)}\n`)
  if (isOther || (checkpoint !== undefined && head === undefined))
    throw new ForkedLog('there is a copy of another log')
  if (head === undefined) return 0
  if (head.size > size) throw new ForkedLog(`the copy has ${head.size} leaves, the database ${size}`)
  if (!rootOf(await logAt(client, head.size)).equals(head.root))
    throw new ForkedLog(`the log's first ${head.size} leaves are not those of the copy`)
  return head.size
}
