import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

/** A local Ethereum chain: Foundry's anvil, from the development packages. */
export type Anvil = {
  /** JSON-RPC over HTTP, on loopback. */
  readonly url: string
  /** Resolves with the reason if it ends without being stopped. */
  readonly broken: Promise<Error>
  stop(): Promise<void>
}

/** EIP-155. anvil's own chain id, which no public network uses. */
export const anvilChainId = 31_337

/** The mnemonic that anvil and Hardhat publish for their test accounts: the first ten have 10,000 ETH each. */
export const publicMnemonic = 'test test test test test test test test test test test junk'

/** Time limits for starting and stopping, in milliseconds. */
const START_MS = 60_000
const STOP_MS = 10_000

/** The npm package with anvil for a platform, by Node's names; not every platform has one. */
export function anvilPackage(platform: string, arch: string): string {
  return `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`
}

/** anvil's executable for this machine; undefined if there is none or it is not installed. */
export function anvilProgram(): string | undefined {
  const { platform, arch } = process
  const name = platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    return createRequire(import.meta.url).resolve(`${anvilPackage(platform, arch)}/bin/${name}`)
  } catch {
    return undefined
  }
}

/**
 * Starts a chain on a free loopback port. It ends with this process, however this process ends.
 * @param options anvil's command-line options, except address and port
 * @throws Error with its output if it does not start
 */
export async function startAnvil(program: string, options: readonly string[]): Promise<Anvil> {
  const keeper = join(import.meta.dirname, 'keeper.ts')
  const address = ['--host', '127.0.0.1', '--port', '0']
  // Its own process group, so that a Ctrl-C in the terminal lets the server stop first.
  const child = spawn(process.execPath, [keeper, program, ...address, ...options], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const url = await listening(child)
  let stopping = false
  const broken = Promise.withResolvers<Error>()
  ended.then(([code]) => {
    if (!stopping) broken.resolve(new Error(`The local chain (anvil) exited with code ${code}`))
  })
  return {
    url,
    broken: broken.promise,
    async stop() {
      stopping = true
      child.stdin?.end()
      const late = delay(STOP_MS, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
      await Promise.race([ended, late])
    },
  }
}

/** Resolves with its URL once it listens. */
async function listening(child: ChildProcess): Promise<string> {
  const output: string[] = []
  child.stderr?.on('data', chunk => output.push(`${chunk}`))
  const lines = createInterface({ input: child.stdout! })
  const started = new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      const port = /^Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    const fail = (why: string) => reject(new Error(`anvil ${why}: ${output.join('').slice(-1000)}`))
    child.on('error', error => fail(error.message))
    child.on('exit', code => fail(`exited with code ${code}`))
    setTimeout(() => fail('did not start in time'), START_MS).unref()
  })
  return started.catch(error => {
    child.kill('SIGKILL')
    throw error
  })
}
