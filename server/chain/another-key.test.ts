import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect, test } from 'vitest'
import { openWatchedWorld } from '#test/support/watched.ts'

const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

test('[D5] an address of a previous key is still watched and credited', async () => {
  const world = await openWatchedWorld('usdt')
  const investor = await world.person('Ines Investor')
  await world.sync()
  const former = await world.ask(investor, 250)
  const xpub = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase)).derive("m/44'/195'/0'").publicExtendedKey
  Object.assign(world.services.config.rails.usdt, { xpub })
  const next = await world.ask(investor, 150)
  expect(next.payment.address).not.toBe(former.payment.address)
  world.network.send({ to: former.payment.address, units: 250_000_000n })
  world.network.send({ to: next.payment.address, units: 150_000_000n })
  world.network.mine(2)
  await world.sync()
  expect(await world.deposit(investor, former._id)).toMatchObject({ status: 'paid', credited: 250 })
  expect(await world.deposit(investor, next._id)).toMatchObject({ status: 'paid', credited: 150 })
  expect((await world.balances(investor)).available).toBe(40_000n)
})
