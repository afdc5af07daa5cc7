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
/** The first check that failed, until the investor has put it aside. */
const FAILED_KEY = 'proof-failed'
/** The same for what concerns one account alone: other accounts on this device are not told, and a logout removes it. */
const ownFailedKey = (owner: string) => `proof-failed-${owner}`
/** These steps are about one account. */
const OWN_STEPS: readonly Step[] = ['lines', 'receipts', 'parts']
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
    store(memory, SEEN_KEY, head)
    if (lines !== undefined) store(memory, LINES_KEY, lines)
  }
  const before = new Set([...asked, ...found.receipts].map(({ note }) => note))
  const others = receipts.filter(({ note }) => !before.has(note))
  store(memory, RECEIPTS_KEY, [...others, ...found.receipts].slice(-MOST_RECEIPTS))
  memory.removeItem(FAILING_KEY)
}

/** Forgets the key and checkpoint, which are damaged, and the lines after which a check would go on. */
export function forgetSeen(memory: Memory): void {
  memory.removeItem(SEEN_KEY)
  memory.removeItem(LINES_KEY)
}

/** A check that failed. @property day YYYY-MM-DD, by this device's clock */
export type Failed = { day: string; step: Step }

/** The first one stays: another after it may be its consequence. Books that are late only give way to any other. */
export function keepFailed(memory: Memory, owner: string, failed: Failed): void {
  const key = OWN_STEPS.includes(failed.step) ? ownFailedKey(owner) : FAILED_KEY
  const before = stored<Failed>(memory, key)
  if (before === undefined || before.step === 'recent') store(memory, key, failed)
}

export function keptFailed(memory: Memory, owner: string): Failed | undefined {
  return stored<Failed>(memory, ownFailedKey(owner)) ?? stored<Failed>(memory, FAILED_KEY)
}

/** @param step only a failure of this step, if given */
export function forgetFailed(memory: Memory, owner: string, step?: Step): void {
  for (const key of [ownFailedKey(owner), FAILED_KEY]) {
    if (step === undefined || stored<Failed>(memory, key)?.step === step) memory.removeItem(key)
  }
}

/** Keeps that a check could not be made. @param today YYYY-MM-DD @returns since which day none could */
export function failingSince(memory: Memory, today: string): string {
  const since = stored<string>(memory, FAILING_KEY) ?? today
  store(memory, FAILING_KEY, since)
  return since
}

/** A browser whose store is full or closed keeps nothing; what was found is as true. */
function store(memory: Memory, key: string, value: unknown): void {
  try {
    memory.setItem(key, JSON.stringify(value))
  } catch (error) {
    console.warn(`The check of the published books cannot keep ${key}:`, error)
  }
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
