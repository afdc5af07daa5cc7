import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COMMAND = join(import.meta.dirname, '../witness.mjs')

/** A witness in a process of its own, as anybody runs it. */
export class RunningWitness {
  readonly folder: string
  url = ''
  /** What it printed as it started. */
  printed = ''
  vkey = ''
  #process: ChildProcess | undefined
  readonly #logs: string[]
  readonly #name: string

  constructor(logs: string[], name = 'witness.example/w1', folder = mkdtempSync(join(tmpdir(), 'witness-'))) {
    this.#logs = logs
    this.#name = name
    this.folder = folder
  }

  /** @throws Error with what it printed, if it does not start */
  async start(...more: string[]): Promise<this> {
    const logs = this.#logs.flatMap(vkey => ['--log', vkey])
    const port = this.url === '' ? '0' : new URL(this.url).port
    const options = ['--name', this.#name, '--state', this.folder, '--port', port, ...logs, ...more]
    const child = spawn(process.execPath, [COMMAND, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      const read = (part: Buffer) => {
        output += part
        if (output.includes('It accepts:')) resolve()
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.once('exit', () => reject(new Error(output)))
    })
    this.#process = child
    this.printed = output
    this.url = /listens at (\S+)/.exec(output)![1]!
    this.vkey = /Its key:\n {2}(\S+)/.exec(output)![1]!
    return this
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async forget(): Promise<void> {
    await this.stop('SIGKILL')
    await rm(this.folder, { recursive: true, force: true })
  }

  async post(
    body: string | Buffer,
    path = '/add-checkpoint',
  ): Promise<{ status: number; text: string; type: string | null }> {
    const answer = await fetch(`${this.url}${path}`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(body)),
    })
    return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') }
  }
}
