import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Pool } from 'pg'
import { type Copy, publish } from './copies.ts'
import type { ProofFile } from './files.ts'

/** Bytes of a large file that are copied at once. */
const PART_BYTES = 8_388_608

/** Completes a copy in a folder that a web server can serve as it is. @returns how many files it wrote */
export async function publishTo(pool: Pool, folder: string): Promise<number> {
  return await publish(pool, folderCopy(folder))
}

export function folderCopy(folder: string): Copy {
  return {
    place: resolve(folder),
    read: path => readFile(join(folder, path)).catch(nothing),
    bytes: async path => (await stat(join(folder, path)).catch(nothing))?.size,
    write: (path, file) => writeWhole(join(folder, path), file),
  }
}

function nothing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

async function writeWhole(target: string, file: ProofFile): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const draft = `${target}.${process.pid}.part`
  await writeFile(draft, '')
  for (let from = 0; from < file.bytes; from += PART_BYTES) {
    const part = await file.read(from, Math.min(file.bytes, from + PART_BYTES))
    await writeFile(draft, part, { flag: 'a', flush: true })
  }
  await rename(draft, target)
}
