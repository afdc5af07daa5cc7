import type { ClientBase, Pool } from 'pg'
import type { Services } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { dayOf } from '#shared/moments.ts'
import {
  type KeyRecord,
  newKey,
  OVERLAP_DAYS,
  type ProofKeyPurpose,
  proofKey,
  publicProofKeys,
} from './keys.ts'
import { signNote, vkeyOf } from './note.ts'

/** Why a key is replaced. Only a planned rotation is signed by the key before it, which a thief may have too. */
export const rotationReasons = ['planned', 'lost', 'stolen'] as const
export type RotationReason = (typeof rotationReasons)[number]

export const proofKeyPurposes = ['log', 'receipts'] as const

const DAY_MS = 86_400_000

/** A key cannot be replaced now. */
export class NoRotation extends Error {}

/**
 * Replaces a key of the public proof from the next epoch's end on, and states it for the log's (docs/proof-format.md, keys).
 * @param owner a connection of the database's owner: the application may not do this
 * @returns the new verifier key
 * @throws NoRotation before the first epoch, while an earlier rotation waits for its epoch, or a planned one of the log's key
 *   while the key before it still signs
 */
export async function rotateKey(
  { config, clock }: Pick<Services, 'config' | 'clock'>,
  owner: ClientBase,
  { purpose, reason }: { purpose: ProofKeyPurpose; reason: RotationReason },
): Promise<string> {
  // No epoch ends between reading its number and the key's beginning.
  await owner.query('SELECT pg_advisory_lock($1)', [lockKeys.publicLog])
  try {
    const epoch = await nextEpoch(owner, purpose)
    const before = (await publicProofKeys(owner, purpose)).at(-1)!
    if (purpose === 'log' && reason === 'planned') requireOneOverlap(before, clock.now())
    const made = newKey(config, purpose, before.name)
    const text = [
      'probity-log-key/v1',
      `log: ${before.name}`,
      `epoch: ${epoch}`,
      `date: ${dayOf(clock.now())}`,
      `reason: ${reason}`,
      `from: ${vkeyOf(before)}`,
      `to: ${vkeyOf(made)}`,
    ]
    const signers = reason === 'planned' ? [await proofKey(owner, config, purpose), made] : [made]
    const statement = purpose === 'log' ? signNote(`${text.join('\n')}\n`, ...signers) : null
    await owner.query(
      'SELECT ledger.replace_proof_key(ROW($1, $2, $3::bytea, $4::bytea, $5::bigint, $6::date, $7, $8)::app.proof_keys)',
      [purpose, before.name, made.publicKey, made.sealedSeed, epoch, dayOf(clock.now()), reason, statement],
    )
    return vkeyOf(made)
  } finally {
    await owner.query('SELECT pg_advisory_unlock($1)', [lockKeys.publicLog])
  }
}

/** Witnesses know one key before the newest. A lost or stolen key cannot wait for them. */
function requireOneOverlap({ reason, madeOn }: KeyRecord, now: Date): void {
  const until = Date.parse(madeOn) + OVERLAP_DAYS * DAY_MS
  if (reason === 'planned' && now.getTime() <= until)
    throw new NoRotation(
      `the key was replaced on ${madeOn}, and the one before it signs until ${dayOf(new Date(until))}: rotate after that`,
    )
}

/** A line for each key: what it signs, from which epoch and day on, why it replaced the one before. */
export async function listKeys(pool: Pool): Promise<string> {
  const lines: string[] = []
  for (const purpose of proofKeyPurposes)
    for (const key of await publicProofKeys(pool, purpose))
      lines.push(
        `${purpose} since epoch ${key.since}, ${key.madeOn} (${key.reason ?? 'first'}): ${vkeyOf(key)}`,
      )
  return lines.join('\n') || 'No key is published before the first epoch ends.'
}

async function nextEpoch(owner: ClientBase, purpose: ProofKeyPurpose): Promise<bigint> {
  const { rows } = await owner.query<{ epoch: bigint; newest: bigint | null }>(
    `SELECT max(number) + 1 AS epoch, (SELECT max(since_epoch) FROM app.proof_keys WHERE purpose = $1) AS newest
       FROM ledger.epochs`,
    [purpose],
  )
  const { epoch, newest } = rows[0]!
  if (epoch === null || newest === null)
    throw new NoRotation('no epoch has ended, so no key is published yet')
  if (newest === epoch)
    throw new NoRotation('the key was replaced already: it begins when the open epoch ends')
  return epoch
}
