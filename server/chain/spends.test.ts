import { beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '#test/support/world.ts'
import { disconnectSpends, storeSpends } from './spends.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

test('[K-03] what a Safe executes counts by the block that has it now', async () => {
  const { db, clock } = world.services
  const of = { slot: '0x5afe:7', sender: '0x5afe', transactionId: '0xbu1k' }
  const at = (height: number) => ({ height, hash: `${height}`, time: clock.now() })
  const store = (height: number, safeTxHash: string) =>
    db
      .transaction()
      .execute(tx =>
        storeSpends(tx, { rail: 'ethereum', now: clock.now() }, [{ ...of, block: at(height), safeTxHash }]),
      )
  await store(10, '0xpayment')
  await disconnectSpends(db, 'ethereum', 9)
  await store(11, '0xrejection')
  const { rows } = await world.database.owner.query(
    'SELECT block_height, safe_tx_hash FROM app.chain_spends WHERE slot = $1',
    [of.slot],
  )
  expect(rows).toEqual([{ block_height: 11, safe_tx_hash: '0xrejection' }])
})
