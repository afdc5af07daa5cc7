import { afterEach, expect, test } from 'vitest'
import type { Deposit } from '#shared/contract/entities.ts'
import { languageFrom } from '#shared/i18n/language.ts'
import { type ReceiptForm, receiptBody, receiptError } from './manual-receipt.tsx'

/** What staff type about a payment that did not arrive as requested. */

afterEach(() => languageFrom(() => undefined))

const deposit = {
  status: 'pending',
  missing: null,
  seen: null,
  payment: { asset: 'BTC', amountCrypto: '0.20000000' },
} as Deposit
const form: ReceiptForm = { typed: {}, type: () => {}, preview: { state: 'open' } }
const typed = { received: '0.2', arrivedAt: '', rate: '', rateSource: '', transactionId: '' }

test.each([
  ['en', '1,000.5', '1000.5'],
  ['de', '0,0125', '0.0125'],
  ['de', '0.0125', '0.0125'],
  ['es', '1.000,5', '1000.5'],
  ['ar', '٠٫٥', '0.5'],
] as const)('[D5] in %s, %s coins are sent as %s', (language, received, sent) => {
  languageFrom(() => language)
  expect(receiptError(deposit, { ...typed, received }, form)).toBeUndefined()
  expect(receiptBody(deposit, { received })).toEqual({ received: sent })
})

test.each([
  ['en', '0,500', 'Enter the amount received in BTC, such as 0.0125'],
  ['de', '1.000', '1.000 kann zwei Zahlen bedeuten. Geben Sie 1 oder 1000 ein.'],
  ['es', '1,500', '1,500 puede significar dos números. Introduzca 1,5000 o 1500.'],
] as const)('[D5] in %s, %s coins are refused before anything is asked', (language, received, words) => {
  languageFrom(() => language)
  expect(receiptError(deposit, { ...typed, received }, form)?.fields).toEqual({ received: words })
})

test('[D5] a rate with two meanings is refused, and an empty one is for the server', () => {
  languageFrom(() => 'de')
  expect(receiptError(deposit, { ...typed, rate: '1.001' }, form)?.fields).toHaveProperty('rate')
  expect(receiptError(deposit, typed, form)).toBeUndefined()
})
