import { test } from 'vitest'
import { disturbancesOf } from './disturbances.ts'
import { mineOn, openNetworks } from './networks.ts'
import { Payer } from './payer.ts'
import { openProduct } from './product.ts'
import { actWhile, type Joining, keepTable, SECONDS, SEED } from './run.ts'
import { paymentsTable, table } from './table.ts'

/**
 * Investors and staff act, with an independent model of every balance, while processes, PostgreSQL and what they need fail.
 * `npm run chaos` runs longer and prints a table; `-- --seed=…` makes the choices of another run again.
 */
test(
  `[B-06] nothing acknowledged is lost or doubled, whatever fails (seed ${SEED})`,
  async () => {
    const networks = await openNetworks()
    const environment: Record<string, string> = Object.assign(
      // Two sources must show each payment, as for large ones otherwise.
      { CREDIT_SECOND_SOURCE_FROM: '1' },
      ...networks.map(network => network.environment),
    )
    const product = await openProduct(SECONDS, { environment })
    networks.forEach(mineOn)
    const payers: Payer[] = []
    const joins = networks.map(network => async (joining: Joining) => {
      const payer = await Payer.register(product, network, joining)
      payers.push(payer)
      return payer
    })
    const { injected, history } = await actWhile(product, disturbancesOf(product), joins)
    const rows = await Promise.all(payers.map(payer => payer.summary()))
    keepTable(`${table(injected, history, SEED)}\n${paymentsTable(rows)}`)
  },
  (SECONDS + 300) * 1000,
)
