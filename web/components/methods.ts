import { type DepositMethod, type InvestmentMethod, paymentMethods } from '#shared/coins.ts'

/** What the pages call the way in which a deposit or an investment is paid. */
export function methodLabel(method: DepositMethod | InvestmentMethod): string {
  return method === 'balance' ? 'Available balance' : paymentMethods[method].label
}

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** 'Bitcoin, USDT TRC-20 or Ethereum' */
export function anyMethod(methods: readonly (DepositMethod | InvestmentMethod)[]): string {
  return either.format(methods.map(methodLabel))
}
