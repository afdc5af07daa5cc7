import type { Config } from '#server/config.ts'
import { checkDefinitions } from '#server/ledger/check-definitions.ts'
import { checkSeals } from '#server/ledger/check-seals.ts'
import type { MoreChecks } from '#server/ledger/invariants.ts'
import type { Secrets } from '#server/platform/encrypted.ts'
import { type Cosigners, checkCheckpoints } from './check-checkpoints.ts'
import { checkClosedLeaves } from './check-closed-leaves.ts'
import { checkStamps } from './check-stamps.ts'

export type OutsideConfig = Secrets & Cosigners & Pick<Config, 'closedLeaves' | 'timeAuthority'>

/** What the database cannot vouch for itself: signatures, settings, and its own rules. */
export function outsideChecks(config: OutsideConfig): MoreChecks {
  return async (client, point) => [
    await checkSeals(client, config, { verified: point?.before.seals }),
    await checkCheckpoints(client, config, point),
    await checkStamps(client, config.timeAuthority),
    await checkClosedLeaves(client, config.closedLeaves),
    await checkDefinitions(client),
  ]
}
