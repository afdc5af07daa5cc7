import { expect, test } from 'vitest'
import { ownPasswordError } from './account-rules.ts'

const ada = { name: 'Ada Lovelace', email: 'ada.l@probity.test' }

test('refuses a password that is or contains the name or the email address', () => {
  for (const password of ['Ada Lovelace', 'adalovelace', 'my-ada.lovelace-1815', 'ADA_LOVELACE!']) {
    expect(ownPasswordError(password, ada), password).toContain('your name')
  }
  for (const password of ['ada.l@probity.test', 'x ada.l@PROBITY.test x', 'ada.l@probity-test-7']) {
    expect(ownPasswordError(password, ada), password).toContain('your email address')
  }
  expect(ownPasswordError('longlocalpart', { name: 'Bo', email: 'long.local-part@probity.test' })).toContain(
    'your email address',
  )
})

test('accepts a password that only resembles them', () => {
  for (const password of ['correct horse', 'lovelace-1815', 'adamantine-7', 'probity.test']) {
    expect(ownPasswordError(password, ada), password).toBeUndefined()
  }
})

test('a very short name may be part of the password, but not all of it', () => {
  expect(ownPasswordError('brilliant-7', { name: 'Ian', email: 'x@y.example' })).toBeUndefined()
  expect(ownPasswordError('i-a-n!!', { name: 'Ian', email: 'x@y.example' })).toContain('your name')
})

test('accepts any password while name and email address are empty', () => {
  expect(ownPasswordError('correct horse', { name: '', email: '' })).toBeUndefined()
  expect(ownPasswordError('', { name: '', email: '' })).toBeUndefined()
  expect(ownPasswordError('......', { name: '--', email: '' })).toBeUndefined()
})
