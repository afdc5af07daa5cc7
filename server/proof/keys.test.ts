import { expect, test } from 'vitest'
import { openWorld } from '#test/support/world.ts'
import { proofKey } from './keys.ts'

/** The names of the keys that sign what is published. */

test.each([
  ['log', 'receipts'],
  ['receipts', 'log'],
] as const)('the key of the %s, made first, gives the one of the %s its name', async (first, second) => {
  const { services } = await openWorld()
  // A command may have another PUBLIC_URL or PORT than the product.
  const nameIn = async (purpose: 'log' | 'receipts', publicUrl: string) =>
    (await proofKey(services.pool, { ...services.config, publicUrl }, purpose)).name
  const names = {
    [first]: await nameIn(first, 'https://invest.example.com'),
    [second]: await nameIn(second, 'http://127.0.0.1:3000'),
  }
  expect(names).toEqual({
    log: 'invest.example.com/proof',
    receipts: 'invest.example.com/proof/receipts',
  })
})
