import { type DepositMethod, type InvestmentMethod, paymentMethods } from '#shared/coins.ts'
import { once } from '#shared/once.ts'

/** Name of a payment method. */
export function methodLabel(method: DepositMethod | InvestmentMethod): string {
  return method === 'balance' ? 'Available balance' : paymentMethods[method].label
}

const either = once(() => new Intl.ListFormat('en-GB', { type: 'disjunction' }))

/** 'Bitcoin, USDT TRC-20 or Ethereum' */
export function anyMethod(methods: readonly (DepositMethod | InvestmentMethod)[]): string {
  return either().format(methods.map(methodLabel))
}
