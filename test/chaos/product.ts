import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '#server/platform/database/pool.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { openPriceSources, type PriceSources } from '#test/support/price-sources.ts'
import { type Watched, watch } from '#test/support/processes.ts'
import { canMount, type SmallDisk, smallDisk } from '#test/support/small-disk.ts'
import { administer, startTemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { freePort } from '#tools/free-port.ts'
import { MAIN } from '#tools/product-build.ts'

const ROOT = join(import.meta.dirname, '../..')
const SHIFT = join(import.meta.dirname, '../support/shifted-clock.mjs')
const SOURCES = ['coinbase', 'kraken', 'bitstamp'] as const
/** Of PostgreSQL's disk, which is memory: enough for a short run, and for a long one. */
const diskFor = (seconds: number) => (seconds <= 60 ? '700m' : '3g')

/** A process of the product that is started again whenever it ends, as systemd does it. */
export type Seat = {
  readonly role: 'web' | 'worker'
  /** Of a web process. */
  readonly origin: string
  signal(signal: NodeJS.Signals): void
  /** Where test/support/kept-memory.mjs writes, if it is preloaded. */
  readonly memoryFile: string
  /** Sets its machine's clock this much ahead, in milliseconds. */
  setClock(ahead: number): void
  /** how often it ended without a signal of ours, and its last words. */
  readonly ownEnds: string[]
}

export type Product = {
  readonly seats: readonly Seat[]
  readonly origins: readonly string[]
  /** As the owner of the database. */
  readonly owner: ReturnType<typeof openPool>
  /** Accepts the product's emails. */
  readonly mail: MailServer
  /** Where the product reads prices. */
  readonly prices: PriceSources
  /** Runs one of its commands, as an operator does. @throws Error with its output if it fails */
  run(script: string, ...options: string[]): Promise<void>
  /** Seats are not filled any more; ends all. */
  stop(): Promise<void>
}

/** Connection strings of an empty database, and a folder for the product's files. */
export type Logins = { appUrl: string; ownerUrl: string; folder: string }

export type ProductOnOneServer = Product & {
  readonly network: DatabaseProxy
  /** Ends PostgreSQL's first process as the kernel does it; it is started again. */
  killPostgres(): void
  /** PostgreSQL's own; null for a user who may mount none. */
  readonly disk: SmallDisk | null
  /** Lets PostgreSQL begin a segment of its log, which is on its disk before it is written. */
  beginLogSegment(): Promise<void>
}

/**
 * The product with a PostgreSQL of its own behind a proxy, which the owner's sessions pass by.
 * @param seconds of the run
 * @param options of its processes
 */
export async function openProduct(
  seconds: number,
  options: Pick<Options, 'nodeOptions' | 'environment'> = {},
): Promise<ProductOnOneServer> {
  const disk = canMount() ? smallDisk(diskFor(seconds)) : null
  const postgres = await startTemporaryPostgres('chaos', disk === null ? {} : { under: disk.folder })
  atEnd(() => postgres.stop())
  const { appUrl, ownerUrl, superuserUrl, temporaryFolder: folder } = postgres
  const network = await databaseProxy(appUrl)
  return {
    ...(await startProduct({ appUrl, ownerUrl, folder }, { ...options, servingUrl: network.url })),
    network,
    disk,
    beginLogSegment: () => administer(superuserUrl, 'SELECT pg_switch_wal()', 'CHECKPOINT'),
    killPostgres() {
      const [pid] = readFileSync(join(folder, 'data/postgres/data/postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
    },
  }
}

type Options = {
  /** DATABASE_URL of web and workers. */
  servingUrl?: string
  /** Of web and workers. */
  nodeOptions?: readonly string[]
  /** Further variables. */
  environment?: NodeJS.ProcessEnv | undefined
}

/** Migrates, and starts two web and two worker processes with the demonstration. */
export async function startProduct(
  { appUrl, ownerUrl, folder }: Logins,
  { servingUrl = appUrl, nodeOptions = [], environment: given = {} }: Options = {},
): Promise<Product> {
  const mail = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  atEnd(() => mail.stop())
  const prices = await openPriceSources(() => new Date())
  atEnd(() => prices.close())
  const environment = {
    PATH: process.env.PATH,
    DATA_DIR: join(folder, 'product'),
    TOKEN_SECRET: 'the same for all processes of the chaos run',
    DATABASE_CONNECTIONS: '10',
    RATE_LIMIT: 'off',
    // One person approves all that the clients request.
    LARGE_WITHDRAWAL_USD: '1000000000',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'Probity <no-reply@example.com>',
    PRICE_SOURCES: SOURCES.join(),
    PRICE_SOURCE_URLS: SOURCES.map(source => `${source}=${prices.urls[source]}`).join(),
    LOG_LEVEL: 'error',
    ...given,
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
    (['web', 'web', 'worker', 'worker'] as const).map((role, number) =>
      fillSeat(role, nodeOptions, {
        ...serving,
        CLOCK_AHEAD_FILE: join(folder, `product/clock-${number}`),
        MEMORY_FILE: join(folder, `product/memory-${number}`),
      }),
    ),
  )
  const stop = async () => {
    await Promise.all(filled.map(seat => seat.stop()))
  }
  atEnd(stop)
  return {
    seats: filled,
    origins: filled.filter(({ role }) => role === 'web').map(({ origin }) => origin),
    owner,
    mail,
    prices,
    async run(script, ...options) {
      const running = watch(process.execPath, [join(ROOT, script), ...options], { env: serving })
      if ((await running.ended()) !== 0) throw new Error(`${script} failed:\n${running.output()}`)
    },
    stop,
  }
}

async function fillSeat(
  role: Seat['role'],
  nodeOptions: readonly string[],
  env: NodeJS.ProcessEnv & { CLOCK_AHEAD_FILE: string; MEMORY_FILE: string },
): Promise<Seat & { stop: () => Promise<void> }> {
  const port = String(await freePort())
  const ownEnds: string[] = []
  const setClock = (ahead: number) => {
    writeFileSync(`${env.CLOCK_AHEAD_FILE}.next`, String(ahead))
    renameSync(`${env.CLOCK_AHEAD_FILE}.next`, env.CLOCK_AHEAD_FILE)
  }
  setClock(0)
  let isOver = false
  let isSignalled = false
  let running: Watched
  const start = () => {
    isSignalled = false
    running = watch(process.execPath, [...nodeOptions, '--import', SHIFT, MAIN, role], {
      env: { ...env, PORT: port },
    })
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
    memoryFile: env.MEMORY_FILE,
    setClock,
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
