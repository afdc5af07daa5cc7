import { type DepositMethod, type InvestmentMethod, paymentMethods } from '#shared/coins.ts'
import { listed } from '#shared/i18n/listed.ts'
import { t } from '#shared/i18n/t.ts'

/** Name of a payment method. */
export function methodLabel(method: DepositMethod | InvestmentMethod): string {
  return method === 'balance' ? t('Available balance') : paymentMethods[method].label
}

/** 'Bitcoin, USDT TRC-20 or Ethereum' */
export function anyMethod(methods: readonly (DepositMethod | InvestmentMethod)[]): string {
  return listed(methods.map(methodLabel), 'or')
}
