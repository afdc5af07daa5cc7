import { type DepositMethod, type InvestmentMethod, paymentMethods } from '#shared/coins.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'

/** Name of a payment method. */
export function methodLabel(method: DepositMethod | InvestmentMethod): string {
  return method === 'balance' ? t('Available balance') : paymentMethods[method].label
}

const either = perLanguage(({ dates }) => new Intl.ListFormat(dates, { type: 'disjunction' }))

/** 'Bitcoin, USDT TRC-20 or Ethereum' */
export function anyMethod(methods: readonly (DepositMethod | InvestmentMethod)[]): string {
  return either().format(methods.map(methodLabel))
}
