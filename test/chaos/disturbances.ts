import { setTimeout as delay } from 'node:timers/promises'
import type { Product, Seat } from './product.ts'
import type { Random } from './random.ts'

const FREEZE_MS = 2_000
const SLOW_MS = 1_500
const SLOW_DELAY_MS = 150

type Disturbance = (product: Product, random: Random) => Promise<void> | void

const seatOf = (product: Product, random: Random, role: Seat['role']) =>
  random.pick(product.seats.filter(seat => seat.role === role))

const frozen = async (seat: Seat) => {
  seat.signal('SIGSTOP')
  await delay(FREEZE_MS)
  seat.signal('SIGCONT')
}

/** What is done to the product, by name. What only somebody can mend, it mends. */
export const disturbances: Record<string, Disturbance> = {
  'a web process is killed': (product, random) => seatOf(product, random, 'web').signal('SIGKILL'),
  'a web process is stopped (SIGTERM)': (product, random) => seatOf(product, random, 'web').signal('SIGTERM'),
  'a web process is frozen for 2 s': (product, random) => frozen(seatOf(product, random, 'web')),
  'a worker is killed': (product, random) => seatOf(product, random, 'worker').signal('SIGKILL'),
  'a worker is frozen for 2 s': (product, random) => frozen(seatOf(product, random, 'worker')),
  'PostgreSQL is killed': product => product.killPostgres(),
  "half of PostgreSQL's sessions are ended": async ({ owner }) => {
    await owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'probity' AND datname = current_database() AND random() < 0.5`,
    )
  },
  'all connections to PostgreSQL are cut': ({ network }) => network.breakConnections(),
  'the network to PostgreSQL swallows everything for 2 s, then cuts': async ({ network }) => {
    network.fallSilent()
    await delay(FREEZE_MS)
    network.recover()
    network.breakConnections()
  },
  'the network to PostgreSQL is slow (150 ms each way) for 1.5 s': async ({ network }) => {
    network.slow(SLOW_DELAY_MS)
    await delay(SLOW_MS)
    network.slow(0)
  },
}
