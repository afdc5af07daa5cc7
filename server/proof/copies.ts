import type { Pool } from 'pg'
import { rootOf } from '#server/ledger/merkle.ts'
import { type ProofFile, proofFile, tilePath, tilesOf } from './files.ts'
import { publicProofKey } from './keys.ts'
import { logAt } from './log.ts'
import { headOf, vkeyOf } from './note.ts'
import { ForkedLog } from './published.ts'

/** A place outside this installation that has the published files: a folder or a bucket. */
export type Copy = {
  /** A small file, or undefined if it is not there. */
  read(path: string): Promise<Buffer | undefined>
  /** How many bytes a file there has; undefined if it is not there. */
  bytes(path: string): Promise<number | undefined>
  write(path: string, file: ProofFile): Promise<void>
}

/** Files that are looked for at once. */
const AT_ONCE = 8

type Published = { number: bigint; size: bigint; names: string[] }

/**
 * Completes a copy of all published files, so that they outlive this installation. What is there stays, but for lists and
 * checkpoints, which grow; the newest checkpoint comes last, so that it never names files that are missing.
 * @returns how many files it wrote
 * @throws ForkedLog if the copy is of another log, or ours does not continue it; Error if a file there is another one
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
  await requireContinuedCopy(pool, copy, Number(newest.size))
  let written = 0
  let waiting: string[] = []
  for (const path of immutableFiles(epochs)) {
    waiting.push(path)
    if (waiting.length < AT_ONCE) continue
    written += await writeMissing(pool, copy, waiting)
    waiting = []
  }
  written += await writeMissing(pool, copy, [...waiting, 'vkey'])
  const growing = epochs.map(({ number }) => `epochs/${number}/checkpoint`)
  for (const path of ['stamps', 'policy']) if ((await proofFile(pool, path)) !== undefined) growing.push(path)
  for (const path of [...growing, 'receipts-vkey', 'checkpoint'])
    written += await writeChanged(pool, copy, path)
  return written
}

function* immutableFiles(epochs: readonly Published[]): Generator<string> {
  let earlier = 0
  for (const { number, size, names } of epochs) {
    for (const tile of tilesOf(Number(size), earlier)) yield tilePath(tile)
    earlier = Number(size)
    for (const name of names) yield `epochs/${number}/${name}`
  }
}

async function writeMissing(pool: Pool, copy: Copy, paths: readonly string[]): Promise<number> {
  const written = await Promise.all(
    paths.map(async path => {
      const [there, file] = await Promise.all([copy.bytes(path), fileAt(pool, path)])
      if (there === undefined) await copy.write(path, file)
      else if (there !== file.bytes) throw new Error(`${path} is there with another content`)
      return there === undefined
    }),
  )
  return written.filter(Boolean).length
}

async function writeChanged(pool: Pool, copy: Copy, path: string): Promise<number> {
  const [there, file] = await Promise.all([copy.read(path), fileAt(pool, path)])
  if (there?.equals(await file.read(0, file.bytes))) return 0
  await copy.write(path, file)
  return 1
}

async function fileAt(pool: Pool, path: string): Promise<ProofFile> {
  const file = await proofFile(pool, path)
  if (file === undefined) throw new Error(`the public proof has no file ${path}`)
  return file
}

/** A copy that other people may have seen is never replaced by another history. */
async function requireContinuedCopy(pool: Pool, copy: Copy, size: number): Promise<void> {
  const [vkey, checkpoint] = await Promise.all([copy.read('vkey'), copy.read('checkpoint')])
  const key = (await publicProofKey(pool, 'log'))!
  const head = checkpoint && headOf(checkpoint.toString(), key.name)
  const isOther = vkey !== undefined && vkey.toString() !== `${vkeyOf(key)}\n`
  if (isOther || (checkpoint !== undefined && head === undefined))
    throw new ForkedLog('there is a copy of another log')
  if (head === undefined) return
  if (head.size > size) throw new ForkedLog(`the copy has ${head.size} leaves, the database ${size}`)
  const client = await pool.connect()
  try {
    if (!rootOf(await logAt(client, head.size)).equals(head.root))
      throw new ForkedLog(`the log's first ${head.size} leaves are not those of the copy`)
  } finally {
    client.release()
  }
}
