import { type DepositMethod, paymentMethods } from '#shared/coins.ts'
import type { PaymentRequest } from '#shared/contract/entities.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { assetDecimals, formatRounded, parseDecimal, withCommas } from '#shared/money.ts'
import { Amount } from './amounts.tsx'

/** Decimals of an amount to pay (D-20); stablecoins are quoted one to one, so cents are enough. */
const payDecimals: Record<DepositMethod, number> = {
  bitcoin: 7,
  usdt: 2,
  ethereum: 7,
  'usdt-erc20': 2,
  'usdc-erc20': 2,
}

/** A payment's coin amount: '0.0010296'. */
export function coinAmount({ asset, amountCrypto }: PaymentRequest, decimals: number): string {
  const units = parseDecimal(amountCrypto, assetDecimals[asset])
  if (units === undefined) throw new RangeError(`${amountCrypto} is not an amount of ${asset}`)
  return formatRounded(units, assetDecimals[asset], decimals)
}

/** Removes trailing zeros. */
export function shortDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** The amount to pay as wallets accept it, without commas. */
export function payAmount(method: DepositMethod, payment: PaymentRequest): string {
  return coinAmount(payment, payDecimals[method])
}

/** '1 BTC = $97,123.45'; none for ethereum (D-18). */
export function rateWords(method: DepositMethod, payment: PaymentRequest): string | undefined {
  return method === 'ethereum' ? undefined : `1 ${payment.asset} = ${localRate(payment.rate)}`
}

/** A coin amount with its symbol. */
export function Coin({
  method,
  payment,
  decimals = payDecimals[method],
}: {
  method: DepositMethod
  payment: PaymentRequest
  decimals?: number
}) {
  return <Amount>{`${withCommas(coinAmount(payment, decimals))} ${paymentMethods[method].asset}`}</Amount>
}
