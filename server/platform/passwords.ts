import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash, verify } from '@node-rs/argon2'

/** Argon2id (the library's default) with OWASP's second recommendation: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** A hash that no password has: verifying against it costs the same as against a real one. */
let decoy: Promise<string> | undefined

/** @returns the hash in PHC string format, with salt and parameters */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), cost)
}

/** True if the password matches the hash. Without a hash (no such account) it is false and takes as long. */
export async function passwordIs(password: string, stored: string | undefined): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID())
  const matches = await verify(stored ?? (await decoy), password.normalize('NFC'))
  return matches && stored !== undefined
}

const common = readFileSync(join(import.meta.dirname, 'common-passwords.bin'))

/** One of the 100,000 passwords that attackers try first (ASVS 5.0 6.2.4); of others, one in 43,000 seems to be. */
export function isCommonPassword(password: string): boolean {
  const wanted = commonPasswordMark(password)
  let [from, to] = [0, common.length / 4]
  while (from < to) {
    const middle = (from + to) >>> 1
    const found = common.readUInt32BE(middle * 4)
    if (found === wanted) return true
    if (found < wanted) from = middle + 1
    else to = middle
  }
  return false
}

/** What the list keeps of a password, in any case: the first 32 bits of its SHA-256 (tools/common-passwords.ts). */
export function commonPasswordMark(password: string): number {
  return createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().readUInt32BE()
}
