import { expect, test } from 'vitest'
import { faultOf } from './register.tsx'

const filled = {
  name: 'Ada',
  email: 'ada@probity.test',
  country: 'Australia',
  phone: '+61 400 000 000',
  password: 'secret1',
  confirmPassword: 'secret1',
  referrer: '',
}

test('[A-03] a filled form has no fault; the referral code is optional', () => {
  expect(faultOf(filled)).toBeUndefined()
})

test('[A-04] each required field is missed by name', () => {
  for (const name of ['name', 'email', 'country', 'phone', 'password', 'confirmPassword'] as const) {
    expect(Object.keys(faultOf({ ...filled, [name]: '  ' })?.fields ?? {})).toEqual([name])
  }
})

test('[A-05] mismatched passwords are refused with the specified words, before their length is looked at', () => {
  expect(faultOf({ ...filled, password: 'abc', confirmPassword: 'abd' })).toEqual({
    message: 'Password must be the same as its confirmation',
    fields: { confirmPassword: 'Password must be the same as its confirmation' },
  })
})

test('[A-06, K-04] five characters are too few, six are enough', () => {
  const short = faultOf({ ...filled, password: 'abcde', confirmPassword: 'abcde' })
  expect(short?.message).toBe('Password must be at least six characters long')
  expect(faultOf({ ...filled, password: 'abcdef', confirmPassword: 'abcdef' })).toBeUndefined()
})
