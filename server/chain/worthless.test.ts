import { expect, test } from 'vitest'
import { openWatchedWorld } from '#test/support/watched.ts'

/** Above the dust limit but below one cent: credited together with another transfer. */
const worthless = 10_001n

async function opened() {
  const world = await openWatchedWorld('ethereum')
  await world.refreshPrices()
  // Ether at $400, as in 2018 to 2020.
  await world.owner("UPDATE app.price_readings SET usd_e8 = 40000000000 WHERE symbol = 'ETH'")
  const investor = await world.person('Ines Investor')
  await world.sync()
  const deposit = await world.ask(investor, 150)
  const send = (units: bigint) => world.network.send({ to: deposit.payment.address, units })
  return {
    world,
    send,
    asked: BigInt(deposit.payment.amountCrypto.replace('.', '')),
    state: async () => ({
      status: (await world.deposit(investor, deposit._id)).status,
      available: (await world.balances(investor)).available,
    }),
  }
}

test.each([
  ['after it', false],
  ['before it', true],
])('[D5] a payment is reversed with a part below one cent that arrived %s', async (_, isFirst) => {
  const { world, send, asked, state } = await opened()
  const sent: string[] = []
  for (const units of isFirst ? [worthless, asked] : [asked, worthless]) {
    sent.push(send(units))
    world.network.mine(2)
    await world.sync()
    world.clock.pass({ minutes: 1 })
  }
  expect(await state()).toEqual({ status: 'paid', available: 15_000n })
  world.network.reorg(4, { drop: sent })
  await world.sync()
  expect(await state()).toEqual({ status: 'pending', available: 0n })
  for (const units of [asked, worthless]) send(units)
  world.network.mine(2)
  await world.sync()
  expect(await state()).toEqual({ status: 'paid', available: 15_000n })
  await world.expectSoundBooks()
})
