import { setTimeout as delay } from 'node:timers/promises'
import { priceSources } from '#server/config/price-sources.ts'
import type { ProductOnOneServer, Seat } from './product.ts'
import type { Random } from './random.ts'
import type { Disturbance } from './run.ts'

const FREEZE_MS = 2_000
const SLOW_MS = 1_500
const SLOW_DELAY_MS = 150
const DAY_MS = 86_400_000

/** Ten times the usual prices. */
const lies = { BTC: '971234', ETH: '34215', LTC: '985', XRP: '21', DOGE: '2.1' }

const onWrongDay = async (seat: Seat, ahead: number) => {
  seat.setClock(ahead)
  await delay(FREEZE_MS)
  seat.setClock(0)
}

const frozen = async (seat: Seat) => {
  seat.signal('SIGSTOP')
  await delay(FREEZE_MS)
  seat.signal('SIGCONT')
}

/** What is done to the product, by name. What only somebody can mend, it mends. */
export function disturbancesOf(product: ProductOnOneServer): Record<string, Disturbance> {
  const { disk, mail, network, owner, prices, seats } = product
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
    "a web process's clock is a day ahead for 2 s": random => onWrongDay(seatOf(random, 'web'), DAY_MS),
    "a web process's clock is a day behind for 2 s": random => onWrongDay(seatOf(random, 'web'), -DAY_MS),
    "a worker's clock is a day ahead for 2 s": random => onWrongDay(seatOf(random, 'worker'), DAY_MS),
    "a worker's clock is a day behind for 2 s": random => onWrongDay(seatOf(random, 'worker'), -DAY_MS),
    'the mail server is down for 2 s': async () => {
      await mail.stop()
      await delay(FREEZE_MS)
      await mail.start()
    },
    'all price sources hang up for 2 s': async () => {
      for (const source of priceSources) prices.behave(source, 'hangs up')
      await delay(FREEZE_MS)
      prices.forget()
    },
    'a price source reports ten times the price for 2 s': async () => {
      prices.say('kraken', lies)
      await delay(FREEZE_MS)
      prices.forget()
    },
    ...(disk && {
      "PostgreSQL's disk is full for 2 s": async () => {
        await product.beginLogSegment()
        await disk.fill()
        await delay(FREEZE_MS)
        disk.free()
      },
    }),
  }
}
