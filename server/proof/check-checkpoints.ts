import type { ClientBase, Pool } from 'pg'
import type { Config } from '#server/config.ts'
import type { InvariantCheck } from '#server/ledger/invariants.ts'
import type { VerifiedPoint } from '#server/ledger/verified-points.ts'
import { Invalid } from '#verifier/errors.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { cosignatures, openCheckpoint, parseNote, parseVerifierKey } from '#verifier/note.mjs'
import { ForkedLog } from './forked-log.ts'
import { vkeyOf } from './note.ts'

const MOST_EXAMPLES = 10

/** Whose cosignatures may be stored. */
export type Cosigners = Pick<Config, 'witnesses' | 'auditor' | 'formerCosigners'>

type SignedEpoch = { epoch: bigint; checkpoint: string; name: string; publicKey: Buffer }
type Cosigned = { epoch: bigint; checkpoint: string; vkey: string; received_at: Date }

const SIGNED = `
  SELECT e.number AS epoch, e.checkpoint, k.name, k.public_key AS "publicKey"
    FROM ledger.epochs e
   CROSS JOIN LATERAL (SELECT name, public_key FROM app.proof_keys
                        WHERE purpose = 'log' AND since_epoch <= e.number ORDER BY since_epoch DESC LIMIT 1) k`

/**
 * Verifies the signatures of the public log: those of the log's key on its checkpoints, and others' on them. The database has
 * no way to, so that a thief of the application's login can store one that is none, or is of a key that nobody knows.
 * @param client in a transaction with one snapshot
 * @param point where verified signatures end, which are not verified again; undefined: none was
 */
export async function checkCheckpoints(
  client: ClientBase,
  cosigners: Cosigners,
  point: VerifiedPoint | undefined,
): Promise<InvariantCheck> {
  const since = [point?.xid ?? null]
  const { rows: signed } = await client.query<SignedEpoch>(
    `${SIGNED} WHERE ${isNew('e')} ORDER BY epoch`,
    since,
  )
  const { rows: cosigned } = await client.query<Cosigned>(
    `SELECT c.epoch, e.checkpoint || c.line || E'\\n' AS checkpoint, c.vkey, c.received_at
       FROM ledger.cosignatures c JOIN ledger.epochs e ON e.number = c.epoch
      WHERE ${isNew('c')} ORDER BY c.epoch, c.vkey`,
    since,
  )
  const problems = [
    ...signed.flatMap(problemOf),
    ...cosigned.flatMap(problemOfCosignature),
    ...(await unnamed(client, cosigners)),
  ]
  return {
    name: 'checkpoints_signed',
    statement:
      "Every checkpoint of the public log is signed with the log's key, and every cosignature with one that is configured",
    examined: signed.length + cosigned.length,
    faults: problems.length,
    examples: problems.slice(0, MOST_EXAMPLES),
  }
}

/**
 * The newest epoch's checkpoint as the log's key signed it; undefined before the first epoch.
 * @throws ForkedLog if somebody else ended that epoch: to sign the next one, or to copy it, would vouch for it
 */
export async function newestOwnCheckpoint(client: Pool | ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<SignedEpoch>(`${SIGNED} ORDER BY epoch DESC LIMIT 1`)
  const [problem] = rows.flatMap(problemOf)
  if (problem !== undefined) throw new ForkedLog(`the newest epoch was not signed here: ${problem.problem}`)
  return rows[0]?.checkpoint
}

/** The cosignatures of keys that no setting names, new or not: the settings may have changed. */
async function unnamed(client: ClientBase, cosigners: Cosigners): Promise<Problem[]> {
  const named = [
    ...[...(cosigners.witnesses?.policy.witnesses.values() ?? [])].map(({ vkey }) => vkey),
    ...(cosigners.auditor === null ? [] : [cosigners.auditor]),
    ...cosigners.formerCosigners,
  ]
  const { rows } = await client.query<{ epoch: bigint; vkey: string }>(
    'SELECT epoch, vkey FROM ledger.cosignatures WHERE vkey <> ALL ($1) ORDER BY epoch, vkey',
    [named],
  )
  return rows.map(({ epoch, vkey }) => ({
    epoch: Number(epoch),
    problem: `no setting names the cosigner ${vkey}`,
  }))
}

/** As `ledger.check_scope` defines it; $1 is the point's transaction. */
function isNew(row: string): string {
  return `($1::text IS NULL OR age(${row}.xmin) <= age($1::text::xid8::xid))`
}

type Problem = { epoch: number; problem: string }

function problemOf({ epoch, checkpoint, ...key }: SignedEpoch): Problem[] {
  return problemIn(epoch, () =>
    openCheckpoint(checkpoint, parseVerifierKey(vkeyOf(key), nodeHashes), nodeHashes),
  )
}

function problemOfCosignature({ epoch, checkpoint, vkey, received_at }: Cosigned): Problem[] {
  return problemIn(epoch, () =>
    cosignatures(parseNote(checkpoint), [parseVerifierKey(vkey, nodeHashes)], nodeHashes, received_at),
  )
}

function problemIn(epoch: bigint, verify: () => unknown): Problem[] {
  try {
    verify()
    return []
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return [{ epoch: Number(epoch), problem: error.message }]
  }
}
