import { test } from 'vitest'
import { disturbancesOf } from './disturbances.ts'
import { openNetwork, Payer } from './payer.ts'
import { openProduct } from './product.ts'
import { actWhile, type Joining, keepTable, SECONDS, SEED } from './run.ts'
import { table } from './table.ts'

/**
 * Investors and staff act, with an independent model of every balance, while processes, PostgreSQL and what they need fail.
 * `npm run chaos` runs longer and prints a table; `-- --seed=…` makes the choices of another run again.
 */
test(
  `[B-06] nothing acknowledged is lost or doubled, whatever fails (seed ${SEED})`,
  async () => {
    const network = await openNetwork()
    const product = await openProduct(SECONDS, { environment: network?.environment })
    let payer: Payer | undefined
    const joins = async (joining: Joining) => {
      payer = await Payer.register(product, network!, joining)
      return payer
    }
    const { injected, history } = await actWhile(
      product,
      disturbancesOf(product),
      network ? joins : undefined,
    )
    keepTable(`${table(injected, history, SEED)}${payer ? `\n${await payer.summary()}\n` : ''}`)
  },
  (SECONDS + 300) * 1000,
)
