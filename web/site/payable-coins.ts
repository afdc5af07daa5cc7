import { investmentMethodsOf } from '#shared/coins.ts'
import { anyMethod } from '#web/components/methods.ts'
import type { Site } from '#web/frame.ts'

/** The coins in which an investment can be paid here, 'Bitcoin or USDT TRC-20'; undefined if only from the balance. */
export function payableCoins({ depositMethods }: Pick<Site, 'depositMethods'>): string | undefined {
  const coins = investmentMethodsOf(depositMethods).filter(method => method !== 'balance')
  return coins.length === 0 ? undefined : anyMethod(coins)
}
