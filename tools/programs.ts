import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { constants as system } from 'node:os'
import { Interrupted } from '#server/process/lifetime.ts'

export interface Outcome {
  /** Exit code; 1 if a signal ended it. */
  readonly code: number
  /** Its output, both channels in order. */
  readonly output: string
}

export interface RunOptions extends Omit<SpawnOptions, 'stdio' | 'detached' | 'timeout'> {
  /** After this many milliseconds it is ended, with everything in its process group. */
  readonly timeout?: number
  /** Receives its process id. */
  readonly onStart?: (pid: number) => void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Signal = (typeof SIGNALS)[number]
/** How long a program may take to end before it is killed. */
const END_LIMIT_MS = 10_000

/**
 * Runs a program to its end and keeps its output instead of showing it. It gets its own process group, so that one
 * signal reaches everything it has started.
 * @throws Interrupted if a signal arrives or our parent ends; the program and its group have ended by then
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
  if (signal !== null) throw new Interrupted(128 + system.signals[signal])
  return { code: code ?? 1, output }
}

function end(child: ChildProcess): void {
  const kill = (signal: NodeJS.Signals) => signalGroup(child, signal)
  kill('SIGTERM')
  const timer = setTimeout(kill, END_LIMIT_MS, 'SIGKILL')
  child.once('exit', () => {
    clearTimeout(timer)
    kill('SIGKILL')
    // A process that left the group may keep the pipes open for ever.
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

/** Calls `interrupt` at each request to end; `stop` returns the first one, or null. */
function watchInterruption(interrupt: () => void): { stop(): Signal | null } {
  let first: Signal | null = null
  const request = (signal: Signal) => {
    first ??= signal
    interrupt()
  }
  // The channel to tools/run.mjs closes when that process ends.
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

/** True if the file exists and may be executed. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
