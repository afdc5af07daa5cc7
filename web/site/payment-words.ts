import { investmentMethodsOf, paymentMethods } from '#shared/coins.ts'
import type { Site } from '#web/frame.ts'

/** How an investment can be paid here: 'in Bitcoin or USDT (TRC20), or from your balance'. */
export function paymentWords({ depositMethods }: Pick<Site, 'depositMethods'>): string {
  const coins = investmentMethodsOf(depositMethods).flatMap(method =>
    method === 'balance' ? [] : [paymentMethods[method].label],
  )
  return coins.length === 0 ? 'from your balance' : `in ${coins.join(' or ')}, or from your balance`
}
