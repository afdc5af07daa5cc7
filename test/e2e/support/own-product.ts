import { test } from '@playwright/test'
import { journeyDemonstration } from '#test/support/journey-products.ts'
import { startTemporaryProduct } from '#test/support/temporary-product.ts'
import { freePort } from '#tools/free-port.ts'

/** Of the environment; a function may start first what they name. */
type Settings = NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>)
type Product = Awaited<ReturnType<typeof startTemporaryProduct>>

/**
 * A demonstration of its own for the journeys of the file or `describe` around: for what would change the firm for all
 * others, needs other settings, or takes the owner of the database.
 * @param options.settings of the environment, options.host as the browser names it (a passkey is bound to a name)
 * @returns asks for it, once a journey runs
 */
export function ownProduct(
  kind: string,
  { settings = {}, host = '127.0.0.1' }: { settings?: Settings; host?: string } = {},
): () => Product {
  let product: Product | undefined
  let origin: string
  test.beforeAll(async () => {
    const port = await freePort()
    origin = `http://${host}:${port}`
    const environment = typeof settings === 'function' ? await settings() : settings
    product = await startTemporaryProduct(`e2e-${kind}`, port, environment, {
      demonstration: journeyDemonstration,
    })
  })
  test.afterAll(() => product?.stop())
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures destructured, also where there are none.
  test.use({ baseURL: ({}, use) => use(origin) })
  return () => product!
}
