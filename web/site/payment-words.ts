import { investmentMethodsOf } from '#shared/coins.ts'
import { anyMethod } from '#web/components/methods.ts'
import type { Site } from '#web/frame.ts'

/** How an investment can be paid here: 'in Bitcoin or USDT TRC-20, or from your balance'. */
export function paymentWords({ depositMethods }: Pick<Site, 'depositMethods'>): string {
  const coins = investmentMethodsOf(depositMethods).filter(method => method !== 'balance')
  return coins.length === 0 ? 'from your balance' : `in ${anyMethod(coins)}, or from your balance`
}
