import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { constants as system } from 'node:os'
import { Interrupted } from '#server/process/lifetime.ts'

export interface Outcome {
  /** Exit code; 1 where a signal ended it. */
  readonly code: number
  /** What it wrote, both channels in the order they came. */
  readonly output: string
}

export interface RunOptions extends Omit<SpawnOptions, 'stdio' | 'detached' | 'timeout'> {
  /** After so many milliseconds it is ended, with everything that it started in its process group. */
  readonly timeout?: number
  /** Receives its process id. */
  readonly onStart?: (pid: number) => void
}

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type Signal = (typeof SIGNALS)[number]
/** How long a program that is ended gets before it is killed. */
const END_LIMIT_MS = 10_000

/**
 * Runs a program to its end and keeps what it says instead of showing it. The program runs in a process group of its own,
 * because one signal has to reach everything it has started, from any sender: a terminal, npm or `kill`.
 * @throws Interrupted if a signal arrives or our parent ends; the program has ended by then, with its process group
 */
export async function runQuietly(
  command: string,
  args: string[],
  { timeout, onStart, ...options }: RunOptions = {},
): Promise<Outcome> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const interruption = watchInterruption(() => end(child))
  const timer = timeout === undefined ? undefined : setTimeout(() => end(child), timeout)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  if (child.pid !== undefined) onStart?.(child.pid)
  const [code] = await once(child, 'close').catch((error: Error) => {
    output = `${command}: ${error.message}`
    return [1]
  })
  clearTimeout(timer)
  const signal = interruption.stop()
  if (signal !== null) throw interruptedWith(signal)
  return { code: code ?? 1, output }
}

/** With the exit code of a process that this signal has ended. */
export function interruptedWith(signal: Signal): Interrupted {
  return new Interrupted(128 + system.signals[signal])
}

function end(child: ChildProcess): void {
  const kill = (signal: NodeJS.Signals) => signalGroup(child, signal)
  kill('SIGTERM')
  const timer = setTimeout(kill, END_LIMIT_MS, 'SIGKILL')
  child.once('exit', () => {
    clearTimeout(timer)
    kill('SIGKILL')
    // Whatever has left the group may hold the other ends for ever.
    child.stdout?.destroy()
    child.stderr?.destroy()
  })
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has just ended.
  }
}

/** Calls `interrupt` at each request to end; `stop` answers with the first one, or null. */
function watchInterruption(interrupt: () => void): { stop(): Signal | null } {
  let first: Signal | null = null
  const request = (signal: Signal) => {
    first ??= signal
    interrupt()
  }
  // The channel to tools/run.mjs closes when that process is gone.
  const orphaned = () => request('SIGTERM')
  for (const signal of SIGNALS) process.on(signal, request)
  process.on('disconnect', orphaned)
  process.on('exit', interrupt)
  if (process.connected === false) orphaned()
  return {
    stop() {
      for (const signal of SIGNALS) process.off(signal, request)
      process.off('disconnect', orphaned)
      process.off('exit', interrupt)
      return first
    },
  }
}

/** Whether a file is there that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
