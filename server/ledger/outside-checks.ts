import type { Secrets } from '#server/platform/encrypted.ts'
import { checkDefinitions } from './check-definitions.ts'
import { checkSeals } from './check-seals.ts'
import type { MoreChecks } from './invariants.ts'

/** What the database cannot vouch for itself: the signed chain of seals, and its own rules. */
export function outsideChecks(secrets: Secrets): MoreChecks {
  return async client => [await checkSeals(client, secrets), await checkDefinitions(client)]
}
