import type { Services } from '#server/context.ts'
import { Invalid } from '#verifier/errors.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { cosignatures, parseCheckpoint, parseNote, parseVerifierKey } from '#verifier/note.mjs'
import { storeCosignature } from './cosignatures.ts'

/** A checkpoint and the lines that follow it: origin, size, root, an empty line, signatures. */
const CHECKPOINT = /^\S+\n\d+\n[A-Za-z0-9+/]{43}=\n\n(?:— .+\n)+/gmu

/**
 * Publishes the configured auditor's cosignature of an epoch's checkpoint.
 * @param printed what the auditor's verifier printed: the checkpoint with that line, alone or below the whole report
 * @throws Invalid if it has none, or one of another key, forged, or of a checkpoint that is not published here
 */
export async function addAuditorsCosignature(
  {
    pool,
    config: { auditor },
    clock,
  }: Pick<Services, 'pool' | 'clock'> & { config: { auditor: string | null } },
  printed: string,
): Promise<{ name: string; epoch: bigint }> {
  if (auditor === null) throw new Invalid('no auditor is configured: set PROOF_AUDITOR to their key')
  const key = parseVerifierKey(auditor, nodeHashes)
  const note = checkpointIn(printed)
  const cosigned = parseNote(note)
  const [cosignature] = cosignatures(cosigned, [key], nodeHashes, clock.now())
  if (cosignature === undefined) throw new Invalid(`it has no cosignature of ${auditor}`)
  const { rows } = await pool.query<{ number: bigint; checkpoint: string }>(
    'SELECT number, checkpoint FROM ledger.epochs WHERE size = $1',
    [parseCheckpoint(cosigned.text).size],
  )
  const [epoch] = rows
  if (epoch === undefined || parseNote(epoch.checkpoint).text !== cosigned.text) {
    throw new Invalid('the checkpoint is none that is published here')
  }
  const line = note.split('\n').find(text => text.startsWith(`— ${key.name} `))!
  const cosignedAt = new Date(cosignature.time * 1000)
  await storeCosignature(
    pool,
    { epoch: epoch.number, kind: 'auditor', vkey: auditor, line, cosignedAt },
    clock.now(),
  )
  return { name: key.name, epoch: epoch.number }
}

/** Emails and terminals may have changed line ends, or indented the lines. */
function checkpointIn(printed: string): string {
  const lines = printed.split('\n').map(line => line.trim())
  const note = `${lines.join('\n')}\n`.match(CHECKPOINT)?.at(-1)
  if (note === undefined) {
    throw new Invalid(
      'this file is not a checkpoint with a cosignature. Ask the auditor for all that the verifier printed with --cosign',
    )
  }
  return note
}
