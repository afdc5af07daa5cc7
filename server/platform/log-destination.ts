import { chmodSync, existsSync, openSync, renameSync, statSync, write, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DestinationStream } from 'pino'
import { prepareDataDir } from './data-dir.ts'
import { EXIT_CONFIG, StartupError } from './startup-error.ts'

/** Lines are written in batches of this many bytes, or after this time. */
const BATCH_BYTES = 8 * 1024
const BATCH_MS = 100
/** Pause before a failed write is tried again. */
const RETRY_MS = 500
/** Maximum buffer while nothing can be written; further lines are dropped and counted. */
const WAITING_BYTES = 2 ** 20
const LOG_FILE_LIMIT_BYTES = 20 * 2 ** 20
const OWNER_ALONE = 0o600

let stderr: DestinationStream | undefined

/** Standard error as a log. */
export function standardError(): DestinationStream {
  stderr ??= new LogDestination(2)
  return stderr
}

/**
 * A log file that only its owner can read. A large one is kept once, as `<path>.1`.
 * @throws StartupError if it cannot be opened
 */
export function logFile(path: string): DestinationStream {
  prepareDataDir(dirname(path))
  try {
    // A file that was copied here may be readable by everyone.
    if (existsSync(path)) chmodSync(path, OWNER_ALONE)
    if (existsSync(path) && statSync(path).size > LOG_FILE_LIMIT_BYTES) renameSync(path, `${path}.1`)
    return new LogDestination(openSync(path, 'a', OWNER_ALONE))
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new StartupError(`The log ${path} cannot be opened (${reason}).`, EXIT_CONFIG, { cause })
  }
}

/**
 * Writes lines in batches, because a write per line costs as much as the rest of a small request. While nothing can be
 * written (a full disk), lines wait, and are then dropped and counted: logging never ends or bloats a process.
 */
class LogDestination implements DestinationStream {
  readonly #fd: number
  #pending: string[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  /** The batch that is being written or tried again. */
  #writing: Buffer | undefined
  #isFailing = false
  #lost = 0

  constructor(fd: number) {
    this.#fd = fd
    process.on('exit', () => this.#writeAllNow())
  }

  write(line: string): void {
    if (this.#bytes >= WAITING_BYTES) {
      this.#lost += 1
      return
    }
    this.#pending.push(line)
    this.#bytes += line.length
    if (this.#bytes >= BATCH_BYTES) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS).unref()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing !== undefined || this.#pending.length === 0) return
    this.#writing = this.#takePending()
    this.#writeOn(this.#writing)
  }

  #takePending(): Buffer {
    if (this.#lost > 0) this.#pending.push(lostLines(this.#lost))
    const text = this.#pending.join('')
    this.#pending = []
    this.#bytes = 0
    this.#lost = 0
    return Buffer.from(text)
  }

  #writeOn(left: Buffer): void {
    write(this.#fd, left, (error, written) => {
      this.#isFailing = error !== null
      // Also a pipe whose reader is slow (EAGAIN).
      if (error !== null) return void setTimeout(() => this.#writeOn(left), RETRY_MS).unref()
      this.#writing = written < left.length ? left.subarray(written) : undefined
      if (this.#writing !== undefined) this.#writeOn(this.#writing)
      else this.#flush()
    })
  }

  /** At the end of the process. A write in progress completes on its own. */
  #writeAllNow(): void {
    const failed = this.#isFailing ? this.#writing : undefined
    const left = Buffer.concat([failed ?? Buffer.alloc(0), this.#takePending()])
    try {
      for (let at = 0; at < left.length; ) at += writeSync(this.#fd, left, at)
    } catch {
      // There is no other place to report it.
    }
  }
}

/** A log line about the log. */
function lostLines(lost: number): string {
  const fields = { level: 40, time: new Date().toISOString(), pid: process.pid, lost }
  return `${JSON.stringify({ ...fields, msg: 'lines of this log were lost: it could not be written' })}\n`
}
