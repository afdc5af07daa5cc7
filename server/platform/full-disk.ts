import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupFault } from './startup-fault.ts'

/** What was being written when the disk was full. */
export interface DiskUse {
  /** Any folder on that disk. */
  readonly folder: string
  /** As in "<what> needs about 300 MB". */
  readonly what: string
  readonly megabytes: number
  /** What else helps, as a sentence's end. */
  readonly otherwise?: string
}

/** ENOSPC and EDQUOT of the system, disk_full of PostgreSQL. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100'])
const WORDS = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/
/** PostgreSQL goes down on a full disk, and then its clients learn only that it is gone. */
const NOTHING_FREE_MB = 1

/** The fault in words for the operator if a full disk is its cause, else null. */
export function fullDisk(error: unknown, use: DiskUse): StartupFault | null {
  const free = freeMegabytes(use.folder)
  if (!saysFull(error) && free >= NOTHING_FREE_MB) return null
  const { folder, what, megabytes, otherwise = '' } = use
  return new StartupFault(
    `The disk of ${folder} is full: ${what} needs about ${megabytes} MB, and ${free} MB are free. Free some space${otherwise}, then start again.`,
    undefined,
    { cause: error },
  )
}

function saysFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return CODES.has(code ?? '') || WORDS.test(error.message) || saysFull(error.cause)
}

/** @param folder may be missing itself: then it could not be made */
function freeMegabytes(folder: string): number {
  if (!existsSync(folder)) return freeMegabytes(dirname(folder))
  const { bavail, bsize } = statfsSync(folder)
  return Math.floor((bavail * bsize) / 2 ** 20)
}
