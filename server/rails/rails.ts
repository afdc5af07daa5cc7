import type { Config } from '#server/config.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { bitcoinRail } from './bitcoin.ts'
import { ethereumRail } from './ethereum.ts'
import type { Rail, Receiving } from './rail.ts'
import { tronRail } from './tron.ts'

export type RailConfig = Pick<Config, 'mode' | 'paymentAddresses' | 'rails'>

type Maker = (receiving: Receiving, settings: { testNetwork: boolean }) => Rail

/** Every payment method has its rail: a method without one does not compile. */
const makers: Record<DepositMethod, Maker> = {
  bitcoin: bitcoinRail,
  usdt: tronRail,
  ethereum: ethereumRail,
}

/** The rail of a payment method; undefined where no address is configured for it, which is how one is not offered. */
export function railOf({ mode, paymentAddresses }: RailConfig, method: DepositMethod): Rail | undefined {
  const address = paymentAddresses[method]
  const receiving = address === undefined ? undefined : ({ kind: 'fixed', address } as const)
  return receiving && makers[method](receiving, { testNetwork: mode === 'demo' })
}
