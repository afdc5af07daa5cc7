import { setTimeout as delay } from 'node:timers/promises'
import type { ProductOnOneServer, Seat } from './product.ts'
import type { Random } from './random.ts'
import type { Disturbance } from './run.ts'

const FREEZE_MS = 2_000
const SLOW_MS = 1_500
const SLOW_DELAY_MS = 150

const frozen = async (seat: Seat) => {
  seat.signal('SIGSTOP')
  await delay(FREEZE_MS)
  seat.signal('SIGCONT')
}

/** What is done to the product, by name. What only somebody can mend, it mends. */
export function disturbancesOf(product: ProductOnOneServer): Record<string, Disturbance> {
  const { network, owner, seats } = product
  const seatOf = (random: Random, role: Seat['role']) => random.pick(seats.filter(seat => seat.role === role))
  return {
    'a web process is killed': random => seatOf(random, 'web').signal('SIGKILL'),
    'a web process is stopped (SIGTERM)': random => seatOf(random, 'web').signal('SIGTERM'),
    'a web process is frozen for 2 s': random => frozen(seatOf(random, 'web')),
    'a worker is killed': random => seatOf(random, 'worker').signal('SIGKILL'),
    'a worker is frozen for 2 s': random => frozen(seatOf(random, 'worker')),
    'PostgreSQL is killed': () => product.killPostgres(),
    "half of PostgreSQL's sessions are ended": async () => {
      await owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'probity' AND datname = current_database() AND random() < 0.5`,
      )
    },
    'all connections to PostgreSQL are cut': () => network.breakConnections(),
    'the network to PostgreSQL swallows everything for 2 s, then cuts': async () => {
      network.fallSilent()
      await delay(FREEZE_MS)
      network.recover()
      network.breakConnections()
    },
    'the network to PostgreSQL is slow (150 ms each way) for 1.5 s': async () => {
      network.slow(SLOW_DELAY_MS)
      await delay(SLOW_MS)
      network.slow(0)
    },
  }
}
