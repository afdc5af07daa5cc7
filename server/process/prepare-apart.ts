import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Logger } from 'pino'
import pino from 'pino'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { Interrupted, type Lifetime } from './lifetime.ts'
import type { RuntimeOptions } from './runtime.ts'

/** What the preparing process reports: lines for the operator and for the log, and its end. */
export type Report =
  | { say: string }
  | { waiting: string }
  | { logged: string }
  | { failed: { message: string; exitCode: number } }
  | { prepared: true }

const PROCESS = new URL('./prepare-process.ts', import.meta.url)

/**
 * Prepares the database in a process of its own, which ends before this one serves: so this one never has the owner's
 * login, not in its memory either.
 * @param life ends that process, if it still runs
 * @returns a function that lets the process go: until then it keeps an embedded database running
 * @throws StartupError what that process says
 */
export async function prepareApart(
  { log, say, whileWaiting = say }: Pick<RuntimeOptions, 'log' | 'say' | 'whileWaiting'>,
  life: Lifetime,
): Promise<() => Promise<void>> {
  const child = fork(PROCESS, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await life.own(() => end(child))
  await new Promise<void>((resolve, reject) => {
    child.on('message', (report: Report) => {
      if ('say' in report) say(report.say)
      else if ('waiting' in report) whileWaiting(report.waiting)
      else if ('logged' in report) repeat(report.logged, log)
      else if ('prepared' in report) resolve()
      else reject(new StartupError(report.failed.message, report.failed.exitCode))
    })
    child.on('error', reject)
    child.on('exit', async (code, signal) => {
      // Its last report may still be on the way.
      if (child.connected) await once(child, 'disconnect')
      if (life.signal.aborted) return reject(new Interrupted())
      reject(new StartupError(`The preparation of the database ended (${code ?? signal})`, EXIT_FAILURE))
    })
  })
  return async () => {
    if (child.connected) child.disconnect()
    if (isRunning(child)) await once(child, 'exit')
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

/** Writes another process's line into our log. */
function repeat(line: string, log: Logger): void {
  const { level, time: _time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  log[pino.levels.labels[Number(level)] as 'info'](fields, String(msg))
}
