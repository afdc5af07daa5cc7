import type { OwnProof } from '#shared/contract/proof.ts'
import type { Hashes } from '#verifier/bytes.mjs'
import { fromBase64 } from '#verifier/bytes.mjs'
import { isEpochEnd, parseEpoch } from '#verifier/epoch.mjs'
import {
  balancesOf,
  checkShares,
  type History,
  historyAfter,
  parseSavedProof,
  requireJournalsTotal,
  type SavedProof,
  verifyIncluded,
} from '#verifier/investor.mjs'
import { followKey, UnknownKey } from '#verifier/log-keys.mjs'
import { verifyConsistency } from '#verifier/merkle.mjs'
import { openCheckpoint, parseVerifierKey, sameHead } from '#verifier/note.mjs'
import { judge, parsePolicy } from '#verifier/policy.mjs'
import { isSealed, openReceipt, parseReceipt, receiptInWords } from '#verifier/receipts.mjs'

/** What this device keeps of a check: the log must go on from there. */
export type Seen = { vkey: string; checkpoint: string; lines?: SeenLines }
/** The newest line of each kind of account that was checked, as [version, balance]: the next check goes on from there. */
export type SeenLines = { owner: string; newest: Record<string, [version: string, balance: string]> }
/** A receipt that this device keeps until its line is in the log, and the key that signed it. */
export type Receipt = { vkey: string; note: string }

/** The steps of a check, in their order. */
export const steps = [
  'signature',
  'public',
  'witnesses',
  'continuation',
  'lines',
  'receipts',
  'parts',
  'total',
  'recent',
] as const
export type Step = (typeof steps)[number]

/** Integers as text, since messages of workers are JSON. `lines`: how many entries of the investor's there are. */
export type Outcome =
  | {
      holds: true
      cents: string
      totalCents: string
      day: string
      /** The address that the parts of the balance are bound to. */
      email: string
      lines: number
      /** Newer lines of the account, each with a receipt, that are not published yet. */
      waiting: number
      isFirst: boolean
      /** Names of the firm's witnesses that have cosigned. */
      witnesses: string[]
      seen: Seen
      /** Receipts to keep: all that came and are not in the log yet. */
      receipts: Receipt[]
    }
  | { holds: false; step: Step; reason: string; isKeyUnknown: boolean; isMemoryDamaged: boolean }

/** @param published the checkpoint that everybody gets @param seen what this device saw at its last check */
export type Question = {
  /** The id of the account that is logged in. */
  owner: string
  proof: OwnProof
  published: string
  /** By which the firm names its witnesses; undefined if nobody has cosigned. */
  policy: string | undefined
  seen: Seen | undefined
  /** The log's new key, if the investor has heard it by another way. */
  heard: string | undefined
  /** True if the proof has only lines after those that this device has checked. */
  isContinued: boolean
  receipts: readonly Receipt[]
  /** YYYY-MM-DD, by this device's clock. */
  today: string
}

/**
 * Checks on this device, with the verifier that anybody can read and run, that an investor's money is in the published total.
 * @param hashes of this platform
 */
export function checkProof(question: Question, hashes: Hashes): Outcome {
  const { owner, proof, published, policy, seen, heard, isContinued, today } = question
  let step: Step = 'signature'
  try {
    const before = seen && rememberedHead(seen, hashes)
    const saved = parseSavedProof(JSON.stringify(proof))
    const known = seen?.vkey ?? saved.vkey
    if (heard !== undefined && heard !== saved.vkey) {
      throw new UnknownKey(`the key that you entered is not the one of these books, ${saved.vkey}`)
    }
    const key = followKey({ from: heard ?? known, to: saved.vkey, statements: saved.keys }, hashes)
    const head = openCheckpoint(saved.checkpoint, key, hashes)

    step = 'public'
    const everybodys = openPublic(published, key, hashes)
    if (everybodys.size !== head.size) {
      throw new Error(`your log has ${head.size} leaves, and everybody else's ${everybodys.size}`)
    }
    if (!sameHead(everybodys, head)) {
      throw new Error('everybody else is shown another checkpoint of the same size')
    }

    step = 'witnesses'
    const found =
      policy === undefined ? [] : judge(parsePolicy(policy, hashes), head, hashes, new Date()).found

    step = 'continuation'
    if (before !== undefined) verifyConsistency(hashes, before, head, proof.consistency.map(fromBase64))

    step = 'lines'
    if (saved.investor.owner !== owner) throw new Error('you were given the lines of another account')
    for (const included of [saved.epoch, ...saved.transactions]) verifyIncluded(hashes, included, head)
    const earlier = isContinued ? historyOf(seen?.lines) : undefined
    const history = historyAfter(hashes, saved.investor, saved.transactions, earlier)
    const balances = balancesOf(history)
    if (saved.epoch.index !== head.size - 1 || !isEpochEnd(saved.epoch.leaf)) {
      throw new Error('the log does not end with the figures of an epoch')
    }
    const epoch = parseEpoch(saved.epoch.leaf)

    step = 'receipts'
    const receipts = checkReceipts(question, { ...saved, ...epoch }, hashes)

    step = 'parts'
    const cents = checkShares(hashes, saved.investor, saved.shares, epoch)
    if (cents !== balances.available + balances.held + balances.invested) {
      throw new Error('the published total has another balance of yours than your lines add up to')
    }

    step = 'total'
    requireJournalsTotal(epoch)

    step = 'recent'
    if (daysFrom(epoch.date, today) > DAYS_UNTIL_LATE) {
      throw new Error(`the newest epoch ended on ${epoch.date}, and this device's date is ${today}`)
    }
    return {
      holds: true,
      cents: cents.toString(),
      totalCents: (epoch.liabilities?.sum ?? 0n).toString(),
      day: epoch.date,
      email: saved.investor.email,
      lines: [...history.values()].reduce((sum, { version }) => sum + Number(version), 0),
      waiting: receipts.filter(({ note }) => parseReceipt(note).owner === owner).length,
      isFirst: seen === undefined,
      witnesses: found.map(({ name }) => name),
      seen: {
        vkey: saved.vkey,
        checkpoint: saved.checkpoint,
        lines: { owner: proof.owner, newest: newestOf(history) },
      },
      receipts,
    }
  } catch (error) {
    return {
      holds: false,
      step,
      reason: (error as Error).message,
      isKeyUnknown: error instanceof UnknownKey,
      isMemoryDamaged: error instanceof DamagedMemory,
    }
  }
}

function openPublic(published: string, ...by: [ReturnType<typeof parseVerifierKey>, Hashes]) {
  try {
    return openCheckpoint(published, ...by)
  } catch (error) {
    throw new Error(`the checkpoint there is not one that we signed: ${(error as Error).message}`)
  }
}

/** What this device keeps was changed there: it says nothing about the published books. */
class DamagedMemory extends Error {}

function rememberedHead({ vkey, checkpoint }: Seen, hashes: Hashes) {
  try {
    return openCheckpoint(checkpoint, parseVerifierKey(vkey, hashes), hashes)
  } catch (error) {
    throw new DamagedMemory((error as Error).message)
  }
}

function newestOf(history: History): SeenLines['newest'] {
  return Object.fromEntries(
    [...history].map(([kind, { version, balance }]) => [kind, [version.toString(), balance.toString()]]),
  )
}

function historyOf(lines: SeenLines | undefined): History {
  return new Map(
    Object.entries(lines?.newest ?? {}).map(([kind, [version, balance]]) => [
      kind,
      { version: BigInt(version), balance: BigInt(balance) },
    ]),
  )
}

type Checked = Pick<SavedProof, 'investor' | 'transactions'> & { date: string; receipts: string | null }

/** Days by which an epoch may be late. */
const DAYS_UNTIL_LATE = 3
const DAY_MS = 86_400_000

/** Both YYYY-MM-DD. */
function daysFrom(day: string, later: string): number {
  return (Date.parse(later) - Date.parse(day)) / DAY_MS
}

/**
 * Checks the receipts that this device keeps and those that came now.
 * @returns those whose line is not in the log yet, and those of other accounts
 */
function checkReceipts(
  { proof, receipts: kept, today }: Question,
  { investor: { owner }, transactions, date, receipts: vkey }: Checked,
  hashes: Hashes,
): Receipt[] {
  const fresh = proof.receipts.map(note => {
    if (vkey === null) throw new Error('the books seal no key of receipts')
    return { vkey, note }
  })
  const known = new Set(kept.map(({ note }) => note))
  return [...kept, ...fresh.filter(({ note }) => !known.has(note))].filter(one => {
    if (known.has(one.note) && parseReceipt(one.note).owner !== owner) return true
    const receipt = openReceipt(one.note, parseVerifierKey(one.vkey, hashes), hashes)
    if (isSealed(receipt, { owner, transactions, date })) return false
    if (daysFrom(receipt.sealedBy, today) > DAYS_UNTIL_LATE) {
      throw new Error(
        `the receipt for ${receiptInWords(receipt)} promised its line by ${receipt.sealedBy}; nothing is published after ${date}`,
      )
    }
    return true
  })
}
