import { base32nopad } from '@scure/base'
import { stepAt, totpAt } from '#server/accounts/totp.ts'

/** An authenticator app's code at a moment, for a secret as people type it. */
export function appCode(secret: string, at: Date, stepsLater = 0): string {
  return totpAt(base32nopad.decode(secret.replaceAll(' ', '')), stepAt(at) + stepsLater)
}
