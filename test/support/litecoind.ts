import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatDecimal } from '#shared/money.ts'
import { freePort } from '#tools/free-port.ts'
import { findLitecoind } from '#tools/litecoind.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { isAlive, until } from './processes.ts'

/**
 * A real node on a private network (regtest), with a wallet: it stands in for Bitcoin Core, of which it is a fork
 * (0.21). Its addresses begin with rltc1. MWEB, which Bitcoin does not have, is off.
 */
export type Litecoind = {
  /** JSON-RPC URL, with user and password. */
  readonly url: string
  /** One call; the node's error is thrown, with its `code` and `message`. */
  call<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  /**
   * Mines the mempool, or empty blocks.
   * @returns their hashes
   */
  mine(blocks?: number, options?: { empty?: boolean }): Promise<string[]>
  /**
   * Pays these in one replaceable transaction (BIP-125) from the wallet.
   * @returns its id
   */
  pay(...payments: { address: string; satoshi: bigint }[]): Promise<string>
  /** Disconnects the highest blocks, as a longer chain would; their transactions return to the mempool. */
  disconnectBlocks(blocks: number): Promise<void>
  /** Stops, keeping its data. */
  stop(): Promise<void>
  /** Restarts at the same port. */
  start(): Promise<void>
  /**
   * Restarts, and loads its mempool only when allowed.
   * @returns allows it, and waits until it is loaded
   */
  startUnloaded(): Promise<() => Promise<void>>
  /** Stops for good and deletes its folder. */
  remove(): Promise<void>
}

/** Why tests that need the node cannot run; undefined if they can. Nothing that needs it is loaded before. */
export const withoutLitecoind = missingNode(testNodes.litecoind)

const coinbaseMaturity = 100

/**
 * Starts one with an empty chain, or with spendable money.
 * @param options.funded blocks whose coins the wallet can spend; 0: nothing is mined, and the node considers itself
 * syncing
 */
export async function startLitecoind({ funded = 5 } = {}): Promise<Litecoind> {
  removeAbandoned()
  const folder = mkdtempSync(join(tmpdir(), `probity-litecoind-${process.pid}-`))
  const port = await freePort()
  const login = { user: 'test', password: randomBytes(16).toString('hex') }
  let running: ChildProcess | undefined

  const call = async <Result>(method: string, ...params: unknown[]): Promise<Result> => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${login.user}:${login.password}`)}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }),
    })
    const text = await response.text()
    const { result, error } = JSON.parse(text || `{"error":{"message":"HTTP ${response.status}"}}`)
    if (error) throw Object.assign(new Error(error.message), { code: error.code })
    return result
  }
  const start = async () => {
    running = launch(folder, port, login)
    await until(() =>
      call('getblockchaininfo').then(
        () => true,
        () => false,
      ),
    )
  }
  let letLoad: (() => Promise<void>) | undefined
  const stop = async () => {
    // It would wait for its input.
    await letLoad?.()
    const node = running
    running = undefined
    if (!node || node.exitCode !== null) return
    const closed = once(node, 'close')
    node.stdin!.end()
    await closed
  }
  /** Its input is a pipe without content. */
  const startUnloaded = async () => {
    const path = join(folder, 'data', 'regtest', 'mempool.dat')
    const kept = readFileSync(path)
    rmSync(path)
    execFileSync('mkfifo', [path])
    letLoad = async () => {
      letLoad = undefined
      await writeFile(path, kept)
      await until(async () => (await call<{ loaded: boolean }>('getmempoolinfo')).loaded)
      rmSync(path)
    }
    await start()
    return letLoad
  }
  const remove = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const mine: Litecoind['mine'] = async (blocks = 1, { empty = false } = {}) => {
    const address = await call<string>('getnewaddress')
    if (!empty) return await call<string[]>('generatetoaddress', blocks, address)
    const hashes: string[] = []
    for (let made = 0; made < blocks; made += 1)
      hashes.push((await call<{ hash: string }>('generateblock', address, [])).hash)
    return hashes
  }
  try {
    await start()
    // The last of its settings: it is loaded again whenever the node starts.
    await call('createwallet', 'wallet', false, false, '', false, false, true)
    if (funded > 0) await mine(funded + coinbaseMaturity)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    url: `http://${login.user}:${login.password}@127.0.0.1:${port}`,
    call,
    mine,
    pay: (...payments) =>
      call(
        'sendmany',
        '',
        Object.fromEntries(payments.map(({ address, satoshi }) => [address, formatDecimal(satoshi, 8)])),
      ),
    async disconnectBlocks(blocks) {
      const height = await call<number>('getblockcount')
      await call('invalidateblock', await call<string>('getblockhash', height - blocks + 1))
    },
    stop,
    start,
    startUnloaded,
    remove,
  }
}

/**
 * Debian's litecoind keeps a folder in HOME. A shell waits beside it for the end of its own input, which comes when the
 * test's process ends for any reason; it then ends the node.
 */
function launch(
  folder: string,
  port: number,
  { user, password }: { user: string; password: string },
): ChildProcess {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const options = [
    '-regtest',
    `-datadir=${data}`,
    '-server',
    `-rpcport=${port}`,
    '-rpcbind=127.0.0.1',
    '-rpcallowip=127.0.0.1',
    `-rpcuser=${user}`,
    `-rpcpassword=${password}`,
    '-listen=0',
    '-dnsseed=0',
    '-maxconnections=0',
    '-fallbackfee=0.0001',
    '-walletrbf',
    '-mempoolreplacement=1',
    '-keypool=10',
    '-dbcache=4',
    '-par=1',
    '-printtoconsole=0',
    // An unreachable starting point.
    '-vbparams=mweb:-2:0',
  ]
  const guard = '"$@" <&- & node=$!; read -r _; kill $node; wait $node'
  return spawn('/bin/sh', ['-c', guard, 'sh', findLitecoind()!, ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, HOME: folder },
  })
}

/** Leftovers of a killed process. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^probity-litecoind-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 })
  }
}
