import { expect, test } from 'vitest'
import { registrationError } from './register.tsx'

const filled = {
  name: 'Ada',
  email: 'ada@probity.test',
  country: 'Australia',
  phone: '+61 400 000 000',
  password: 'secret1',
  confirmPassword: 'secret1',
  referrer: '',
}

test('[A-03] a filled form has no error; the referral code is optional', () => {
  expect(registrationError(filled)).toBeUndefined()
})

test('[A-04] names each missing required field', () => {
  for (const name of ['name', 'email', 'country', 'phone', 'password', 'confirmPassword'] as const) {
    expect(Object.keys(registrationError({ ...filled, [name]: '  ' })?.fields ?? {})).toEqual([name])
  }
})

test('[A-05] refuses mismatched passwords with the specified text', () => {
  expect(registrationError({ ...filled, confirmPassword: 'secret2' })).toEqual({
    message: 'Password must be the same as its confirmation',
    fields: { confirmPassword: 'Password must be the same as its confirmation' },
  })
})

test('[A-04, A-05, A-06] reports every error at its field; the toast has the first', () => {
  const short = { password: 'abc', confirmPassword: 'abd' }
  const [mismatch, tooShort] = [
    'Password must be the same as its confirmation',
    'Password must be at least six characters long',
  ]
  expect(registrationError({ ...filled, ...short })).toEqual({
    message: mismatch,
    fields: { password: tooShort, confirmPassword: mismatch },
  })
  expect(registrationError({ ...filled, ...short, name: '', email: 'ada', phone: 'none' })).toEqual({
    message: 'Please complete all required fields',
    fields: {
      name: 'This field is required',
      email: 'Enter a valid email address',
      phone: 'Enter a valid phone number',
      password: tooShort,
      confirmPassword: mismatch,
    },
  })
})

test('refuses a password that contains the name or email', () => {
  const made = (password: string) => registrationError({ ...filled, password, confirmPassword: password })
  expect(made('x-ada@probity.test')?.fields).toEqual({
    password: 'The password contains your email address. Choose one that nobody can guess from it.',
  })
  expect(
    registrationError({
      ...filled,
      name: 'Ada Lovelace',
      password: 'AdaLovelace1',
      confirmPassword: 'AdaLovelace1',
    }),
  ).toEqual({
    message: 'The password contains your name. Choose one that nobody can guess from it.',
    fields: { password: 'The password contains your name. Choose one that nobody can guess from it.' },
  })
})

test('[A-06, K-04] five characters are too few, six are enough', () => {
  const short = registrationError({ ...filled, password: 'abcde', confirmPassword: 'abcde' })
  expect(short?.message).toBe('Password must be at least six characters long')
  expect(registrationError({ ...filled, password: 'abcdef', confirmPassword: 'abcdef' })).toBeUndefined()
})
