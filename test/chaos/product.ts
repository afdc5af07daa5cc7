import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '#server/platform/database/pool.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { type Watched, watch } from '#test/support/processes.ts'
import { startTemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { freePort } from '#tools/free-port.ts'

const MAIN = join(import.meta.dirname, '../../server/main.ts')

/** A process of the product that is started again whenever it ends, as systemd does it. */
export type Seat = {
  readonly role: 'web' | 'worker'
  /** Of a web process. */
  readonly origin: string
  signal(signal: NodeJS.Signals): void
  /** how often it ended without a signal of ours, and its last words. */
  readonly ownEnds: string[]
}

export type Product = {
  readonly seats: readonly Seat[]
  readonly origins: readonly string[]
  /** As the owner of the database. */
  readonly owner: ReturnType<typeof openPool>
  /** Seats are not filled any more; ends all. */
  stop(): Promise<void>
}

/** Connection strings of an empty database, and a folder for the product's files. */
export type Logins = { appUrl: string; ownerUrl: string; folder: string }

export type ProductOnOneServer = Product & {
  readonly network: DatabaseProxy
  /** Ends PostgreSQL's first process as the kernel does it; it is started again. */
  killPostgres(): void
}

/** The product with a PostgreSQL of its own behind a proxy, which the owner's sessions pass by. */
export async function openProduct(): Promise<ProductOnOneServer> {
  const postgres = await startTemporaryPostgres('chaos')
  atEnd(() => postgres.stop())
  const { appUrl, ownerUrl, temporaryFolder: folder } = postgres
  const network = await databaseProxy(appUrl)
  return {
    ...(await startProduct({ appUrl, ownerUrl, folder }, network.url)),
    network,
    killPostgres() {
      const [pid] = readFileSync(join(folder, 'data/postgres/data/postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
  }
}

/**
 * Migrates, and starts two web and two worker processes with the demonstration.
 * @param servingUrl DATABASE_URL of web and workers
 */
export async function startProduct(
  { appUrl, ownerUrl, folder }: Logins,
  servingUrl = appUrl,
): Promise<Product> {
  const environment = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'product'),
    TOKEN_SECRET: 'the same for all processes of the chaos run',
    DATABASE_CONNECTIONS: '10',
    RATE_LIMIT: 'off',
    // One person approves all that the clients request.
    LARGE_WITHDRAWAL_USD: '1000000000',
    LOG_LEVEL: 'error',
  }
  const migration = watch(process.execPath, [MAIN, 'migrate'], {
    env: { ...environment, DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl, PORT: '0' },
  })
  if ((await migration.ended()) !== 0)
    throw new Error(`the database could not be prepared:\n${migration.output()}`)
  const owner = openPool({ url: ownerUrl, as: 'owner', name: 'probity chaos', max: 2 })
  atEnd(() => owner.end())
  const serving = { ...environment, DATABASE_URL: servingUrl }
  const filled = await Promise.all(
    (['web', 'web', 'worker', 'worker'] as const).map(role => fillSeat(role, serving)),
  )
  const stop = async () => {
    await Promise.all(filled.map(seat => seat.stop()))
  }
  atEnd(stop)
  return {
    seats: filled,
    origins: filled.filter(({ role }) => role === 'web').map(({ origin }) => origin),
    owner,
    stop,
  }
}

async function fillSeat(
  role: Seat['role'],
  env: NodeJS.ProcessEnv,
): Promise<Seat & { stop: () => Promise<void> }> {
  const port = String(await freePort())
  const ownEnds: string[] = []
  let isOver = false
  let isSignalled = false
  let running: Watched
  const start = () => {
    isSignalled = false
    running = watch(process.execPath, [MAIN, role], { env: { ...env, PORT: port } })
    const { ended, output } = running
    void ended().then(code => {
      if (isOver) return
      if (!isSignalled) ownEnds.push(`${role} ended with ${code}:\n${output()}`)
      start()
    })
  }
  start()
  return {
    role,
    origin: `http://127.0.0.1:${port}`,
    ownEnds,
    signal(signal) {
      isSignalled ||= signal !== 'SIGSTOP' && signal !== 'SIGCONT'
      running.child.kill(signal)
    },
    async stop() {
      isOver = true
      running.child.kill('SIGCONT')
      running.child.kill('SIGKILL')
      await running.ended()
    },
  }
}
