import { describe, expect, test } from 'vitest'
import { inLanguage } from '#server/platform/language.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { requestIn } from './deposits/confirm.tsx'
import { depositError } from './deposits/fund-dialog.tsx'
import { investmentError } from './investments/new.tsx'
import { amountForAddress, amountFromAddress, readAmount } from './typed-amount.ts'
import { withdrawalError } from './withdrawals/form.tsx'

describe('a typed amount', () => {
  test.each([
    ['1,000.50', 100_050n],
    ['$1000.5', 100_050n],
    [' 100 ', 10_000n],
    ['9,999,999,999.99', 999_999_999_999n],
  ])('%s is read as people mean it', (text, cents) => {
    expect(readAmount(text)).toEqual({ cents })
  })

  test.each([
    ['', 'Enter an amount in dollars, such as 1,000.50'],
    ['1e3', 'Enter an amount in dollars, such as 1,000.50'],
    ['1.234', 'Enter an amount in dollars, such as 1,000.50'],
    ['1,00', 'Enter an amount in dollars, such as 1,000.50'],
    ['1.000,50', 'Enter an amount in dollars, such as 1,000.50'],
    ['1 000.50', 'Enter an amount in dollars, such as 1,000.50'],
    ['0', 'Amount must be more than 0'],
    ['-5', 'Amount must be more than 0'],
    ['\uff11\uff10\uff10', 'Enter an amount in dollars, such as 1,000.50'],
    ['10000000000', 'Amount can be at most $9,999,999,999.99'],
  ])('%s is refused with words that help', (text, error) => {
    expect(readAmount(text)).toEqual({ error })
  })

  test('[D-17] amounts in an address have no trailing zeros', () => {
    expect(amountForAddress(50_000n)).toBe('500')
    expect(amountForAddress(100_050n)).toBe('1000.5')
    expect(amountForAddress(999_999_999_999n)).toBe('9999999999.99')
  })

  test.each(['en', 'de', 'es', 'ar'] as const)('in an address is read in %s as anywhere', language => {
    inLanguage(language, () => {
      expect(amountFromAddress('1000.5')).toEqual({ cents: 100_050n })
      const search = new URLSearchParams({ method: 'bitcoin', amount: amountForAddress(123_456n) })
      expect(requestIn(search)).toEqual({ method: 'bitcoin', cents: 123_456n })
    })
  })

  test('of another language is refused, not read as another amount', () => {
    inLanguage('de', () => {
      expect(readAmount('1.000,50')).toEqual({ cents: 100_050n })
      expect(readAmount('1,000.50')).toEqual({
        error: 'Geben Sie einen Betrag in Dollar ein, zum Beispiel 1.000,50',
      })
    })
  })
})

describe('a deposit', () => {
  test('[K-04] starts at $100', () => {
    expect(depositError('99.99')).toEqual({
      message: 'Minimum deposit is $100',
      fields: { amount: 'Minimum deposit is $100' },
    })
    expect(depositError('100')).toBeUndefined()
  })
})

const beginner: Plan = {
  _id: 'p',
  version: 1,
  name: 'Beginner',
  percentage: 3,
  minimum: 500,
  maximum: 1999,
  duration: '30 days',
  durationDays: 30,
  changedAt: '2026-01-01T00:00:00.000Z',
  note: null,
}

describe('an investment', () => {
  const values = { plan: 'Beginner', amount: '500', method: 'bitcoin' }

  test.each(['plan', 'amount', 'method'] as const)('[D-12] without %s is refused, at that field', name => {
    const error = investmentError({ ...values, [name]: '' }, beginner, 0n)
    expect(error?.message).toBe('Amount, payment method and plans are requred fields')
    expect(Object.keys(error?.fields ?? {})).toEqual([name])
  })

  test('[D-13] outside its plan’s range is refused with the range', () => {
    const words = 'Amount must be between $500 and $1,999 for the Beginner plan'
    expect(investmentError({ ...values, amount: '499.99' }, beginner, 0n)?.fields).toEqual({ amount: words })
    expect(investmentError({ ...values, amount: '1,999.01' }, beginner, 0n)?.message).toBe(words)
    expect(investmentError({ ...values, amount: '1,999' }, beginner, 0n)).toBeUndefined()
  })

  test('[K-04, D-13] paid by coin has at least the minimum deposit', () => {
    const small = { ...beginner, minimum: 10 }
    const words = 'Minimum deposit is $100. Pay less than that from your balance'
    expect(investmentError({ ...values, amount: '99.99' }, small, 0n)).toEqual({
      message: words,
      fields: { amount: words },
    })
    expect(investmentError({ ...values, amount: '100' }, small, 0n)).toBeUndefined()
    const fromBalance = { ...values, amount: '10', method: 'balance' }
    expect(investmentError(fromBalance, small, 1_000n)).toBeUndefined()
  })

  test('cannot exceed the balance that pays it', () => {
    const fromBalance = { ...values, method: 'balance' }
    expect(investmentError(fromBalance, beginner, 49_999n)?.message).toBe('Your available balance is $499.99')
    expect(investmentError(fromBalance, beginner, 50_000n)).toBeUndefined()
  })
})

describe('a withdrawal', () => {
  const values = {
    amount: '100',
    wallet: 'Bitcoin (BTC)',
    walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  }
  const limits = { balanceCents: 10_000n, minimumCents: 2_000n, testNetworks: false }

  test.each(['amount', 'wallet', 'walletAddress'] as const)(
    '[D-09] without %s is refused, at that field',
    name => {
      const error = withdrawalError({ ...values, [name]: ' ' }, limits)
      expect(error?.message).toBe('All fields are requred fields')
      expect(Object.keys(error?.fields ?? {})).toEqual([name])
    },
  )

  test('reports every invalid field and the first message', () => {
    expect(withdrawalError({ ...values, amount: '100.01', walletAddress: 'bc1q' }, limits)).toEqual({
      message: 'Your available balance is $100.00',
      fields: {
        amount: 'Your available balance is $100.00',
        walletAddress: 'This is not a valid Bitcoin (BTC) address',
      },
    })
  })

  test.each([
    ['19.99', 10_000n, 'Minimum withdrawal is $20, or your whole balance of $100.00'],
    ['20', 10_000n, undefined],
    ['13.49', 1_350n, 'Minimum withdrawal is $20, or your whole balance of $13.50'],
    ['13.50', 1_350n, undefined],
    ['13.51', 1_350n, 'Your available balance is $13.50'],
  ])('[D7] of $%s from a balance of %i cents: %s', (amount, balanceCents, message) => {
    expect(withdrawalError({ ...values, amount }, { ...limits, balanceCents })?.message).toBe(message)
  })

  test('[D-09] pasted addresses lose spaces, line breaks and invisible marks', () => {
    const grouped = values.walletAddress.replaceAll(/(.{4})/g, '$1\u00a0')
    for (const walletAddress of [` ${grouped}\r\n`, `\u200b${values.walletAddress}\ufeff`]) {
      expect(withdrawalError({ ...values, walletAddress }, limits)).toBeUndefined()
    }
  })

  test('accepts test network addresses in demonstration mode only', () => {
    const walletAddress = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
    expect(withdrawalError({ ...values, walletAddress }, limits)?.message).toBe(
      'This is not a valid Bitcoin (BTC) address',
    )
    expect(withdrawalError({ ...values, walletAddress }, { ...limits, testNetworks: true })).toBeUndefined()
  })
})

describe('the address of the confirmation', () => {
  const asked = (query: string) => requestIn(new URLSearchParams(query))

  test('[D-18] names a deposit or, with a plan, an investment', () => {
    expect(asked('method=ethereum&amount=100')).toEqual({ method: 'ethereum', cents: 10_000n })
    expect(asked('method=balance&amount=1000.5&plan=Enthusiast')).toEqual({
      method: 'balance',
      cents: 100_050n,
      plan: 'Enthusiast',
    })
  })

  test.each([
    ['', 'Enter an amount in dollars, such as 1,000.50'],
    ['method=bitcoin&amount=99', 'Minimum deposit is $100'],
    ['method=balance&amount=100', 'Choose a payment method for the deposit'],
    ['method=ethereum&amount=1000&plan=Enthusiast', 'Choose a payment method for the investment'],
    ['method=usdt&amount=99.99&plan=Basic', 'Minimum deposit is $100. Pay less than that from your balance'],
  ])('%s is no request', (query, error) => {
    expect(asked(query)).toEqual({ error })
  })
})
