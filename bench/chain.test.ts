import { expect, test } from 'vitest'
import { withoutAnvil } from '#test/support/anvil.ts'
import { withoutLitecoind } from '#test/support/litecoind.ts'
import { createProgress } from '#tools/console.ts'
import { benchChain } from './chain.ts'
import { smokeChain } from './chain-scale.ts'

const here = test.skipIf(withoutAnvil !== undefined || withoutLitecoind !== undefined)

here('every figure of payments on chains is measured', { timeout: 600_000 }, async () => {
  const { figures } = await benchChain(smokeChain, createProgress(), new AbortController().signal)
  expect(figures.map(({ name }) => name)).toEqual([
    'blockToCreditP95',
    'watchingPerTwoCores',
    'watchingDatabasePerTwoCores',
    'backfillEthereum',
    'backfillEthereumPerBare',
    'backfillBitcoin',
    'backfillBitcoinPerBare',
    'watchingBitcoinPerTwoCores',
  ])
  for (const { name, value } of figures) expect(value, name).toBeGreaterThan(0)
})
