import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The addresses that this machine has shown, by their indexes, outside the database: a restored database has forgotten the latest, and
 * would show them to other investors (decision 115). One file for each account; processes append to it at once.
 */

/** Bytes of a line: ten digits and a line break, so that the end of the file can be read alone. */
const LINE = 11
/** Lines at the end that are compared: concurrent processes append within a few lines of each other. */
const LAST_LINES = 200

function fileOf(dataDir: string, account: string): string {
  return join(dataDir, 'addresses', account)
}

/** Indexes that are known to be on disk, by file. */
const written = new Map<string, number>()

/** The highest index that this machine has shown of an account; undefined if none. */
export async function lastMark(dataDir: string, account: string): Promise<number | undefined> {
  const path = fileOf(dataDir, account)
  const file = await open(path, 'r').catch(unlessMissing)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    const length = Math.min(size, LINE * LAST_LINES)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    // A line that a full disk cut short has no line break.
    const indexes = (buffer.toString('latin1').match(/^\d{10}$/gm) ?? []).map(Number)
    return indexes.length === 0 ? undefined : Math.max(...indexes)
  } finally {
    await file.close()
  }
}

/** Writes an index to disk before its address is shown. */
export async function mark(dataDir: string, account: string, index: number): Promise<void> {
  const path = fileOf(dataDir, account)
  if ((written.get(path) ?? -1) >= index) return
  // Another process may be ahead: a lower line must not push its mark out of the last ones.
  const last = (await lastMark(dataDir, account)) ?? -1
  if (last >= index) {
    written.set(path, last)
    return
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'a', 0o600)
  try {
    // Begins with a line break after a line that was cut short.
    const { size } = await file.stat()
    const line = `${String(index).padStart(10, '0')}\n`
    await file.appendFile(size % LINE === 0 ? line : `\n${line}`)
    await file.datasync()
  } finally {
    await file.close()
  }
  written.set(path, Math.max(written.get(path) ?? -1, index))
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
