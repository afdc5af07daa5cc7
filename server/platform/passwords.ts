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

const commonest = new Set(
  readFileSync(join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
    .split('\n')
    .filter(Boolean),
)

/** One of the passwords that attackers try first (ASVS 2.1.7). */
export function isCommonPassword(password: string): boolean {
  return commonest.has(password.toLowerCase())
}
