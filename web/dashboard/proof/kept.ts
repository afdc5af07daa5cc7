import type { Receipt, Seen, SeenLines, Step } from './check.ts'

/**
 * The key and checkpoint that this device saw last. The log is the same for everybody, so for all who use this device, too:
 * it stays when they log out (web/api/session.ts).
 */
const SEEN_KEY = 'proof'
const LINES_KEY = 'proof-lines'
/** Receipts not found in the log yet. They name an account and its amounts, so they leave once they are. */
const RECEIPTS_KEY = 'proof-receipts'
/** The first day of checks that could not be made, since one held; by this device's clock. */
const FAILING_KEY = 'proof-failing'
/** The latest check that failed, until the investor has read it; it names nobody and no amount. */
const FAILED_KEY = 'proof-failed'
const MOST_RECEIPTS = 500

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
/** `isDamaged`: it is not what a check has kept. */
export type Kept = { seen: Seen | undefined; receipts: Receipt[]; isDamaged: boolean }

export function kept(memory: Memory): Kept {
  const seen = stored<Seen>(memory, SEEN_KEY)
  const lines = stored<SeenLines>(memory, LINES_KEY)
  return {
    seen: seen && (lines === undefined ? seen : { ...seen, lines }),
    receipts: stored<Receipt[]>(memory, RECEIPTS_KEY) ?? [],
    isDamaged: seen === undefined && memory.getItem(SEEN_KEY) !== null,
  }
}

/**
 * Keeps what a check has found to be true. Another page may have checked meanwhile: a longer log is never replaced by a
 * shorter one, and no receipt that it got is lost.
 * @param found by a check that held
 * @param asked the receipts that the check began with
 */
export function keep(
  memory: Memory,
  found: { seen: Seen; receipts: readonly Receipt[] },
  asked: readonly Receipt[],
): void {
  const { seen, receipts } = kept(memory)
  if (seen === undefined || sizeOf(seen) <= sizeOf(found.seen)) {
    const { lines, ...head } = found.seen
    memory.setItem(SEEN_KEY, JSON.stringify(head))
    if (lines !== undefined) memory.setItem(LINES_KEY, JSON.stringify(lines))
  }
  const before = new Set([...asked, ...found.receipts].map(({ note }) => note))
  const others = receipts.filter(({ note }) => !before.has(note))
  memory.setItem(RECEIPTS_KEY, JSON.stringify([...others, ...found.receipts].slice(-MOST_RECEIPTS)))
  memory.removeItem(FAILING_KEY)
}

/** Forgets the key and checkpoint, which are damaged, and the lines after which a check would go on. */
export function forgetSeen(memory: Memory): void {
  memory.removeItem(SEEN_KEY)
  memory.removeItem(LINES_KEY)
}

/** A check that failed. @property day YYYY-MM-DD, by this device's clock */
export type Failed = { day: string; step: Step }

export function keepFailed(memory: Memory, failed: Failed): void {
  memory.setItem(FAILED_KEY, JSON.stringify(failed))
}

export function keptFailed(memory: Memory): Failed | undefined {
  return stored<Failed>(memory, FAILED_KEY)
}

export function forgetFailed(memory: Memory): void {
  memory.removeItem(FAILED_KEY)
}

/** Keeps that a check could not be made. @param today YYYY-MM-DD @returns since which day none could */
export function failingSince(memory: Memory, today: string): string {
  const since = stored<string>(memory, FAILING_KEY) ?? today
  memory.setItem(FAILING_KEY, JSON.stringify(since))
  return since
}

function stored<Value>(memory: Memory, key: string): Value | undefined {
  const text = memory.getItem(key)
  try {
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

/** The leaves of a checkpoint's log: its second line. */
export function sizeOf({ checkpoint }: Pick<Seen, 'checkpoint'>): number {
  return Number(checkpoint.split('\n')[1] ?? 0)
}
