import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * How far this machine has seen the database, kept outside it: a database that is behind its mark was restored to an earlier
 * time, or lost its last transactions in a failover (decision 123).
 */
const form = z.object({
  /** The database's own id: another database has other beats. */
  installation: z.uuid(),
  machine: z.uuid(),
  /** The latest one that the database has confirmed. */
  beat: z.int().positive(),
  /** The highest document number then. */
  number: z.int().nonnegative(),
})
export type Mark = z.output<typeof form>

const fileOf = (dataDir: string) => join(dataDir, 'database-mark.json')

/** @returns undefined if this machine has none, or a full disk left one that is not readable */
export async function readMark(dataDir: string): Promise<Mark | undefined> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  try {
    return form.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

let writes = 0

/** Replaces the mark as a whole, and has it on disk before it returns. */
export async function writeMark(dataDir: string, mark: Mark): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  writes += 1
  // Processes in containers may share a number.
  const next = `${fileOf(dataDir)}.${process.pid}-${process.hrtime.bigint()}-${writes}`
  const file = await open(next, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(mark)}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(next, fileOf(dataDir)).catch(async error => {
    await rm(next, { force: true })
    throw error
  })
}
