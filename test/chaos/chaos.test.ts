import { test } from 'vitest'
import { disturbancesOf } from './disturbances.ts'
import { openProduct } from './product.ts'
import { actWhile, keepTable, SECONDS, SEED } from './run.ts'
import { table } from './table.ts'

/**
 * Investors and staff act, with an independent model of every balance, while processes, PostgreSQL and what they need fail.
 * `npm run chaos` runs longer and prints a table; `-- --seed=…` makes the choices of another run again.
 */
test(
  `[B-06] nothing acknowledged is lost or doubled, whatever fails (seed ${SEED})`,
  async () => {
    const product = await openProduct(SECONDS)
    const { injected, history } = await actWhile(product, disturbancesOf(product))
    keepTable(table(injected, history, SEED))
  },
  (SECONDS + 300) * 1000,
)
