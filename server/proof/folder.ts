import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Pool } from 'pg'
import { proofFile, tilePath, tilesOf } from './files.ts'
import { stampList } from './stamps.ts'

/** Bytes of a large file that are copied at once. */
const PART_BYTES = 8_388_608

/**
 * Writes all published files into a folder that a web server or a bucket can serve as it is, so that they outlive this
 * installation. What is there already stays, but for checkpoints, which gain cosignatures; the newest comes last, so that it
 * never names files that are missing.
 * @returns how many files it wrote
 */
export async function publishTo(pool: Pool, folder: string): Promise<number> {
  const { rows: epochs } = await pool.query<{ number: bigint; size: bigint; names: string[] }>(
    `SELECT e.number, e.size,
            ARRAY(SELECT name FROM ledger.epoch_files WHERE epoch = e.number)
              || ARRAY(SELECT 'stamps/' || authority || '.tsr' FROM ledger.stamps WHERE epoch = e.number) AS names
       FROM ledger.epochs e ORDER BY e.number`,
  )
  let written = 0
  const missing = async (path: string) => {
    if (await exists(join(folder, path))) return
    await copy(pool, folder, path)
    written++
  }
  const changed = async (path: string) => {
    if (await isPublished(pool, folder, path)) return
    await copy(pool, folder, path)
    written++
  }
  let earlier = 0
  for (const { number, size, names } of epochs) {
    for (const tile of tilesOf(Number(size), earlier)) await missing(tilePath(tile))
    earlier = Number(size)
    for (const name of names) await missing(`epochs/${number}/${name}`)
    await changed(`epochs/${number}/checkpoint`)
  }
  if (epochs.length === 0) return 0
  await missing('vkey')
  await changed('receipts-vkey')
  if ((await stampList(pool)) !== undefined) await changed('stamps')
  await changed('checkpoint')
  return written
}

async function copy(pool: Pool, folder: string, path: string): Promise<void> {
  const file = await proofFile(pool, path)
  if (file === undefined) throw new Error(`the public proof has no file ${path}`)
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  const draft = `${target}.${process.pid}.part`
  await writeFile(draft, '')
  for (let from = 0; from < file.bytes; from += PART_BYTES) {
    const part = await file.read(from, Math.min(file.bytes, from + PART_BYTES))
    await writeFile(draft, part, { flag: 'a', flush: true })
  }
  await rename(draft, target)
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

async function isPublished(pool: Pool, folder: string, path: string): Promise<boolean> {
  const file = await proofFile(pool, path)
  const there = await readFile(join(folder, path)).catch(() => undefined)
  if (file === undefined || there === undefined) return false
  return there.equals(await file.read(0, file.bytes))
}
