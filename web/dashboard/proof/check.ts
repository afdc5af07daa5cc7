import type { OwnProof } from '#shared/contract/proof.ts'
import type { Hashes } from '#verifier/bytes.mjs'
import { fromBase64, utf8 } from '#verifier/bytes.mjs'
import { isEpochEnd, parseEpoch } from '#verifier/epoch.mjs'
import { checkHistory, checkShares, parseSavedProof, requireJournalsTotal } from '#verifier/investor.mjs'
import { leafHash, verifyConsistency, verifyInclusion } from '#verifier/merkle.mjs'
import { openCheckpoint, parseVerifierKey, sameHead } from '#verifier/note.mjs'

/** What this device keeps of a check: the log must go on from there. */
export type Seen = { vkey: string; checkpoint: string }

/** The steps of a check, in their order. */
export const steps = ['signature', 'public', 'continuation', 'lines', 'parts', 'total'] as const
export type Step = (typeof steps)[number]

/** Integers as text, since messages of workers are JSON. `lines`: how many entries of the investor's there are. */
export type Outcome =
  | {
      holds: true
      cents: string
      totalCents: string
      day: string
      lines: number
      isFirst: boolean
      seen: Seen
    }
  | { holds: false; step: Step; reason: string }

/** @param published the checkpoint that everybody gets @param seen what this device saw at its last check */
export type Question = { proof: OwnProof; published: string; seen: Seen | undefined }

/**
 * Checks on this device, with the verifier that anybody can read and run, that an investor's money is in the published total.
 * @param hashes of this platform
 */
export function checkProof({ proof, published, seen }: Question, hashes: Hashes): Outcome {
  let step: Step = 'signature'
  try {
    const saved = parseSavedProof(JSON.stringify(proof))
    const key = parseVerifierKey(seen?.vkey ?? saved.vkey, hashes)
    const head = openCheckpoint(saved.checkpoint, key, hashes)

    step = 'public'
    const everybodys = openCheckpoint(published, key, hashes)
    if (everybodys.size === head.size && !sameHead(everybodys, head)) {
      throw new Error('everybody else is shown another checkpoint of the same size')
    }

    step = 'continuation'
    if (seen !== undefined) {
      const path = proof.consistency.map(fromBase64)
      verifyConsistency(hashes, openCheckpoint(seen.checkpoint, key, hashes), head, path)
    }

    step = 'lines'
    for (const { leaf, index, path } of [saved.epoch, ...saved.transactions]) {
      const hashed = leafHash(hashes, utf8(leaf))
      verifyInclusion(hashes, { index, size: head.size, leaf: hashed, path, root: head.root })
    }
    const balances = checkHistory(hashes, saved.investor, saved.transactions)

    step = 'parts'
    if (saved.epoch.index !== head.size - 1 || !isEpochEnd(saved.epoch.leaf)) {
      throw new Error('the log does not end with the figures of an epoch')
    }
    const epoch = parseEpoch(saved.epoch.leaf)
    const cents = checkShares(hashes, saved.investor, saved.shares, epoch)
    if (cents !== balances.available + balances.held + balances.invested) {
      throw new Error('the published total has another balance of yours than your lines add up to')
    }

    step = 'total'
    requireJournalsTotal(epoch)
    return {
      holds: true,
      cents: cents.toString(),
      totalCents: (epoch.liabilities?.sum ?? 0n).toString(),
      day: epoch.date,
      lines: saved.transactions.reduce((sum, { legs }) => sum + legs.length, 0),
      isFirst: seen === undefined,
      seen: { vkey: seen?.vkey ?? saved.vkey, checkpoint: saved.checkpoint },
    }
  } catch (error) {
    return { holds: false, step, reason: (error as Error).message }
  }
}
