import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCommonPassword } from '#server/platform/passwords.ts'
import { commonPasswordFile, commonPasswords } from './common-passwords.ts'

test('[A-20] the list is the one this command writes, of at least 100,000 passwords', () => {
  const passwords = commonPasswords()
  expect(passwords.length).toBeGreaterThanOrEqual(100_000)
  const stored = readFileSync(join(import.meta.dirname, '../server/platform/common-passwords.bin'))
  expect(stored.equals(commonPasswordFile())).toBe(true)
  expect(passwords.filter(password => !isCommonPassword(password))).toEqual([])
})
