import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A child process whose output can be waited for. */
export interface Watched {
  readonly child: ChildProcess
  /** Its output so far, on both channels. */
  output(): string
  /** Resolves with the match once its output matches; rejects if it ends before, or after `limitMs`. */
  said(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>
  /** Resolves with its exit code, or the name of the signal that ended it. */
  ended(): Promise<number | string>
}

/** Starts a program and keeps its output. */
export function watch(
  command: string,
  args: string[],
  { env = process.env, ...options }: SpawnOptions = {},
): Watched {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Half of what the product's start costs.
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    ...options,
  })
  let output = ''
  const exit = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', chunk => {
      output += chunk
      child.emit('said')
    })
  }
  return {
    child,
    output: () => output,
    ended: () => exit,
    said: (pattern, limitMs = 60_000) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => () => reject(new Error(`${why} before it said ${pattern}:\n${output}`))
        const timer = setTimeout(fail(`${limitMs} ms passed`), limitMs)
        const look = () => {
          const match = pattern.exec(output)
          if (match === null) return
          clearTimeout(timer)
          resolve(match)
        }
        child.on('said', look)
        look()
        exit.then(fail('it ended'), reject)
      }),
  }
}

/** True if a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  const stat = proc(`${pid}`, 'stat')
  return stat !== '' && !/^\d+ \(.*\) Z /s.test(stat)
}

/** Process ids and command lines of all descendants of a process. */
export function descendantsOf(pid: number): Map<number, string> {
  const found = new Map<number, string>()
  const parents = new Map(
    readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(name => [Number(name), parentOf(name)]),
  )
  const follow = (parent: number) => {
    for (const [child, its] of parents) {
      if (its !== parent) continue
      found.set(child, commandOf(child))
      follow(child)
    }
  }
  follow(pid)
  return found
}

function parentOf(pid: string): number {
  return Number(/^\d+ \(.*\) \S (\d+) /s.exec(proc(pid, 'stat'))?.[1])
}

function commandOf(pid: number): string {
  return proc(`${pid}`, 'cmdline').replaceAll('\0', ' ')
}

/** Empty once the process has ended. */
function proc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not so within ${limitMs} ms: ${condition}`)
    await delay(20)
  }
}
