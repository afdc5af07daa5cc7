import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupError } from './startup-error.ts'

/** What was being written when the disk was full. */
export interface DiskUse {
  /** Any folder on that disk. */
  readonly folder: string
  /** As in "<what> needs about 300 MB". */
  readonly what: string
  readonly megabytes: number
  /** Other remedies, as the end of a sentence. */
  readonly otherwise?: string
}

/** ENOSPC and EDQUOT of the system, disk_full of PostgreSQL. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100'])
const WORDS = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|wrote only \d+ of \d+ bytes/
const LOST =
  /ECONNRESET|ECONNREFUSED|EPIPE|ENOENT.*\.s\.PGSQL|Connection terminated|terminating connection|is not queryable/
/** PostgreSQL shuts down if it cannot add a 16 MB file to its log; its clients only lose their connections. */
const NEARLY_FULL_MB = 32
/** What the demonstration's first start writes: the database, and copies of the server's programs if necessary. */
const FIRST_START_MB = 300

class FullDisk extends StartupError {}

/** The error in words for the operator if a full disk is its cause, else null. */
export function fullDisk(error: unknown, use: DiskUse): StartupError | null {
  if (error instanceof FullDisk) return error
  const free = freeMegabytes(use.folder)
  if (!saysFull(error) && !(lostDatabase(error) && free < NEARLY_FULL_MB)) return null
  const { folder, what, megabytes, otherwise = '' } = use
  return new FullDisk(
    `The disk of ${folder} is full: ${what} needs about ${megabytes} MB, and ${free} MB are free. Free some space${otherwise}, then start again.`,
    undefined,
    { cause: error },
  )
}

/** The same for writes into DATA_DIR during a start. */
export function dataDirFull(error: unknown, dataDir: string): StartupError | null {
  return fullDisk(error, {
    folder: dataDir,
    what: 'DATA_DIR',
    megabytes: FIRST_START_MB,
    otherwise: ', or set DATA_DIR to a folder on another disk',
  })
}

/** The database disappeared without a reason. */
function lostDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  const isLost = code.startsWith('57P0') || LOST.test(`${code} ${error.message}`)
  return isLost || lostDatabase(error.cause)
}

function saysFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return CODES.has(code ?? '') || WORDS.test(error.message) || saysFull(error.cause)
}

/** @param folder may not exist: then it could not be created */
function freeMegabytes(folder: string): number {
  if (!existsSync(folder)) return freeMegabytes(dirname(folder))
  const { bavail, bsize } = statfsSync(folder)
  return Math.floor((bavail * bsize) / 2 ** 20)
}
