import type { Config } from '#server/config.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { bitcoinRail } from './bitcoin.ts'
import { ethereumRail } from './ethereum.ts'
import type { Rail } from './rail.ts'
import { tronRail } from './tron.ts'

type Maker = (address: string, settings: { testNetwork: boolean }) => Rail

/** Every payment method has its rail: a method without one does not compile. */
const makers: Record<DepositMethod, Maker> = {
  bitcoin: bitcoinRail,
  usdt: tronRail,
  ethereum: ethereumRail,
}

/** The rail of a payment method; undefined where no address is configured for it, which is how one is not offered. */
export function railOf(
  { mode, paymentAddresses }: Pick<Config, 'mode' | 'paymentAddresses'>,
  method: DepositMethod,
): Rail | undefined {
  const address = paymentAddresses[method]
  return address === undefined ? undefined : makers[method](address, { testNetwork: mode === 'demo' })
}
