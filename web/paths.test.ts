import { expect, test } from 'vitest'
import { paths } from './paths.ts'

test('[A-03] the verification path shows the email address and escapes it', () => {
  expect(paths.verify('ada@probity.test')).toBe('/verify/ada@probity.test')
  expect(paths.verify('a/b?c#d+e@x.y')).toBe('/verify/a%2Fb%3Fc%23d%2Be@x.y')
})

test('[D-17] the confirmation link has method, amount and any plan', () => {
  expect(paths.dashboard.confirmDeposit({ method: 'usdt', amount: '100.00' })).toBe(
    '/dashboard/confirm-deposit?method=usdt&amount=100.00',
  )
  expect(paths.dashboard.confirmDeposit({ method: 'bitcoin', amount: '500.00', plan: 'Beginner' })).toBe(
    '/dashboard/confirm-deposit?method=bitcoin&amount=500.00&plan=Beginner',
  )
})

test('[D2] an email address stands in the fragment, which no server gets', () => {
  expect(paths.mailbox('ada@probity.test')).toBe('/mailbox#to=ada%40probity.test')
})
