import type { DepositMethod } from './coins.ts'

/** Configuration names of the payment methods in tokens (PAYMENT_TOKENS). */
export const paymentTokens = {
  'USDT-ERC20': 'usdt-erc20',
  'USDC-ERC20': 'usdc-erc20',
} as const satisfies Record<string, DepositMethod>
export type PaymentToken = (typeof paymentTokens)[keyof typeof paymentTokens]
export const paymentTokenNames = Object.keys(paymentTokens) as (keyof typeof paymentTokens)[]

/** True for a token of a rail with a coin of its own: its payments go to addresses of that coin. */
export function isToken(method: DepositMethod): method is PaymentToken {
  return Object.values<DepositMethod>(paymentTokens).includes(method)
}
