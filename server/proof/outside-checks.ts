import { checkDefinitions } from '#server/ledger/check-definitions.ts'
import { checkSeals } from '#server/ledger/check-seals.ts'
import type { MoreChecks } from '#server/ledger/invariants.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { checkCheckpoints } from './check-checkpoints.ts'

/** What the database cannot vouch for itself: signatures, and its own rules. */
export function outsideChecks(secrets: Secrets): MoreChecks {
  return async client => [
    await checkSeals(client, secrets),
    await checkCheckpoints(client),
    await checkDefinitions(client),
  ]
}
