import { spawnSync } from 'node:child_process'
import { chownSync, closeSync, constants, openSync, readSync } from 'node:fs'
import type { ServerUser } from '#server/embedded/server-user.ts'
import { atEnd } from '#test/support/clean-up.ts'

/** How often the device's pipe is read, in milliseconds. */
const READ_MS = 50

export type Watchdog = { turnOff(): void }

/**
 * Stands in for a machine's /dev/watchdog, which tests cannot have: a named pipe, to which Patroni's driver `testing` writes
 * what it would tell the device. `C<option>=<seconds>\n` sets the timeout, `1` is a keepalive, `V` turns it off.
 * @param reset what the machine's reset does; called if no keepalive arrived for the timeout
 */
export function startWatchdog(path: string, user: ServerUser | null, reset: () => void): Watchdog {
  spawnSync('mkfifo', ['-m', '0600', path])
  if (user !== null) chownSync(path, user.uid, user.gid)
  // Open for writing too: else the pipe would end when Patroni does.
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  let timeoutMs = 60_000
  let firesAt: number | undefined
  let command = ''
  const obey = (byte: string) => {
    if (command !== '' || byte === 'C') {
      command += byte
      if (byte !== '\n') return
      timeoutMs = Number(/=(\d+)\n$/.exec(command)![1]) * 1000
      command = ''
    }
    firesAt = byte === 'V' ? undefined : Date.now() + timeoutMs
  }
  const timer = setInterval(() => {
    for (const byte of readAvailable(pipe)) obey(byte)
    if (firesAt === undefined || Date.now() < firesAt) return
    firesAt = undefined
    reset()
  }, READ_MS)
  atEnd(() => {
    clearInterval(timer)
    closeSync(pipe)
  })
  return {
    turnOff: () => {
      readAvailable(pipe)
      firesAt = undefined
    },
  }
}

function readAvailable(pipe: number): string {
  const buffer = Buffer.alloc(4096)
  try {
    return buffer.toString('latin1', 0, readSync(pipe, buffer))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return ''
    throw error
  }
}
