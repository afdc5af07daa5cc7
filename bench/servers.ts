import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '..')
const START_LIMIT_MS = 60_000
const LAST_LINES = 20

/** A server in its own process. */
export type Server = { pid: number; port: number; stop: () => Promise<void> }

export type ServerOptions = {
  /** Script and arguments, from the root of the project. */
  script: string[]
  env: Record<string, string>
  /** The variable of its port; default: PORT. */
  portVariable?: string
  /** A path that answers once the server is ready. */
  readyPath: string
  /** Its log: a file, as in production. */
  log: string
}

/** @throws Error with the end of its log if it does not start */
export async function startServer({
  script,
  env,
  portVariable = 'PORT',
  readyPath,
  log,
}: ServerOptions): Promise<Server> {
  const port = await freePort()
  const output = openSync(log, 'w')
  // The channel closes when this process ends, for any reason, and the server then stops too.
  const child = spawn(process.execPath, script, {
    cwd: ROOT,
    env: { ...process.env, ...env, [portVariable]: String(port) },
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  await answers(child, `http://127.0.0.1:${port}${readyPath}`).catch((error: Error) => {
    child.kill('SIGKILL')
    const last = readFileSync(log, 'utf8').trim().split('\n').slice(-LAST_LINES).join('\n')
    throw new Error(`${script.join(' ')} ${error.message}:\n${last}`)
  })
  return { pid: child.pid!, port, stop: () => stop(child) }
}

async function answers(child: ChildProcess, address: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('ended')
    const answer = await fetch(address).catch(() => null)
    if (answer?.ok) return
    if (Date.now() > deadline) throw new Error('did not get ready')
    await delay(50)
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
