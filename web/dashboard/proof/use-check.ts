import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { t } from '#shared/i18n/t.ts'
import { call } from '#web/api/call.ts'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { sessionBegan } from '#web/api/session.ts'
import { signal } from '#web/api/signal.ts'
import { idLoggedIn } from '#web/api/tokens.ts'
import type { Outcome, Question, Receipt, Seen, SeenLines } from './check.ts'
import {
  type Failed,
  failingSince,
  forgetFailed,
  forgetSeen,
  type Kept,
  keep,
  keepFailed,
  kept,
  keptFailed,
  sizeOf,
} from './kept.ts'

export type CheckState =
  | { is: 'checking' }
  /** No epoch has ended yet. */
  | { is: 'early' }
  /** The secret of this account was erased. */
  | { is: 'erased'; reason: string }
  | Unreached
  | Hidden
  | Done

/**
 * Nothing could be fetched: says nothing about the books.
 * @property overdue for how many days, if they are many
 * @property last the last check of this session that said something
 */
type Unreached = { is: 'unreached'; reason: string; overdue: number | null; last?: Done | Hidden }

/** This device has seen a log of so many leaves, and now none is shown. */
export type Hidden = { is: 'hidden'; leaves: number }

/**
 * @property whole the proof from the first line on, to keep
 * @property isDamaged true if what this device had kept of earlier checks was
 */
export type Done = {
  is: 'done'
  outcome: Outcome
  whole: () => Promise<SavedProof>
  ms: number
  at: Date
  isDamaged: boolean
}

/** What a failed check saves: with what this device knew, and what should lead from there. */
type SavedProof = OwnProof & { seen?: Seen }

const LIMIT_MS = 60_000
/** Books that nobody can check for so long are a reason to worry. */
const DAYS_UNTIL_ALARM = 3
const DAY_MS = 86_400_000

/** The last check of this session: a page that one comes back to keeps its height while it is checked again. */
let latest: CheckState | undefined
const changed = signal()
sessionBegan.on(() => remember(undefined))

function remember(found: CheckState | undefined) {
  latest = found?.is === 'unreached' ? withLast(found) : found
  changed.emit()
}

/** A check that could not be made takes nothing away from the one before. */
function withLast(found: Unreached): Unreached {
  const last = latest?.is === 'unreached' ? latest.last : latest
  return last?.is === 'done' || last?.is === 'hidden' ? { ...found, last } : found
}

/**
 * The last check of this session. Makes the first one, and another on each page after one that could not be made.
 * @param page where the investor is; null if that page checks itself
 */
export function useSessionsCheck(page: string | null): CheckState | undefined {
  const state = useSyncExternalStore(changed.on, () => latest)
  const isMissing = state === undefined
  const tried = useRef<string>(null)
  useEffect(() => {
    const isAgain = latest?.is === 'unreached' && tried.current !== page
    if (page === null || !(isMissing || isAgain)) return
    tried.current = page
    let left = false
    void check().then(found => {
      if (!left) remember(found)
    })
    return () => {
      left = true
    }
  }, [page, isMissing])
  return state
}

/** What a check has found last, if the newest one could not be made. */
export function lastOf(state: CheckState): CheckState {
  return (state.is === 'unreached' && state.last) || state
}

/** A check that failed on this device and that the investor has not put aside. */
export function useFailedBefore(): { failed: Failed | undefined; putAside: () => void } {
  const owner = idLoggedIn()
  const text = useSyncExternalStore(changed.on, () =>
    JSON.stringify(owner === undefined ? undefined : keptFailed(localStorage, owner)),
  )
  const putAside = () => {
    if (owner !== undefined) forgetFailed(localStorage, owner)
    changed.emit()
  }
  return { failed: text === undefined ? undefined : (JSON.parse(text) as Failed), putAside }
}

const FIRST = {}
const CHECKING: CheckState = { is: 'checking' }

/** Checks at each visit, and again when asked; then with the log's new key, if the investor has heard one. */
export function useProofCheck(): { state: CheckState; again: (heard?: string) => void } {
  const found = useSyncExternalStore(changed.on, () => latest)
  const [isChecking, setIsChecking] = useState(false)
  const [round, setRound] = useState<{ heard?: string }>(FIRST)
  useEffect(() => {
    let left = false
    if (round !== FIRST) setIsChecking(true)
    void check(round.heard).then(found => {
      if (left) return
      remember(found)
      setIsChecking(false)
    })
    return () => {
      left = true
    }
  }, [round])
  const again = useCallback((heard?: string) => setRound(heard === undefined ? {} : { heard }), [])
  return { state: isChecking || found === undefined ? CHECKING : found, again }
}

async function check(heard?: string, memory = kept(localStorage)): Promise<CheckState> {
  const { seen, receipts, isDamaged } = memory
  // A check that ends after a logout must leave nothing of the investor's in the browser.
  const owner = idLoggedIn()
  const isHere = () => owner !== undefined && owner === idLoggedIn()
  const today = new Date().toISOString().slice(0, 10)
  try {
    if (owner === undefined) throw new Error(t('You are logged out.'))
    const found = await bothLogs(seen, receipts)
    if (found === null) return await withoutOwn(seen)
    const { proof, isContinued, published } = found
    const policy = isCosigned(proof.checkpoint) ? await publishedFile('policy') : undefined
    const begun = performance.now()
    const outcome = await inWorker({
      owner,
      proof,
      published,
      policy,
      seen,
      heard,
      isContinued,
      receipts,
      today,
    })
    const ms = performance.now() - begun
    const again = outcome.holds ? undefined : withoutDamage(memory, outcome, isContinued)
    if (again !== undefined) return await check(heard, again)
    // A failed check must not replace what this device knows to be true.
    if (outcome.holds && isHere()) keep(localStorage, outcome, receipts)
    if (!outcome.holds && isHere()) keepFailed(localStorage, owner, { day: today, step: outcome.step })
    // The investor has heard of the new key, so of the reason too.
    if (outcome.holds && heard !== undefined) forgetFailed(localStorage, owner, 'signature')
    const whole = async () => {
      const saved = withReceipts((isContinued ? await proofSince({}) : undefined) ?? proof, receipts)
      if (outcome.holds || seen === undefined) return saved
      const { lines, ...head } = seen
      return { ...saved, consistency: proof.consistency, seen: head }
    }
    return { is: 'done', outcome, whole, ms, at: new Date(), isDamaged }
  } catch (error) {
    const reason = wordsOf(error)
    const isErased = error instanceof ApiError && error.reason === 'secret_erased'
    if (isErased) return { is: 'erased', reason }
    if (!isHere()) return { is: 'unreached', reason, overdue: null }
    const days = (Date.parse(today) - Date.parse(failingSince(localStorage, today))) / DAY_MS
    return { is: 'unreached', reason, overdue: days < DAYS_UNTIL_ALARM ? null : days }
  }
}

/** What to check with once more, if this check may have failed by what this device kept alone. */
function withoutDamage(
  memory: Kept,
  { step, isMemoryDamaged }: Outcome & { holds: false },
  isContinued: boolean,
): Kept | undefined {
  const { seen } = memory
  if (isMemoryDamaged) {
    forgetSeen(localStorage)
    return { ...memory, seen: undefined, isDamaged: true }
  }
  if (seen === undefined || !isContinued || !['lines', 'receipts', 'parts'].includes(step)) return undefined
  const { lines, ...head } = seen
  return { ...memory, seen: head }
}

/** The books have no lines of this investor yet, or none are shown that this device has seen before. */
async function withoutOwn(seen: Seen | undefined): Promise<CheckState> {
  if (seen === undefined) return { is: 'early' }
  const answer = await fetch('/proof/checkpoint', { cache: 'no-store' })
  if (!answer.ok && answer.status !== 404)
    throw new Error(t('The server answered {status}.', { status: answer.status }))
  const leaves = answer.ok ? sizeOf({ checkpoint: await answer.text() }) : 0
  return leaves < sizeOf(seen) ? { is: 'hidden', leaves: sizeOf(seen) } : { is: 'early' }
}

/** The proof and the checkpoint that everybody gets; both once more if an epoch seems to have ended between them. */
async function bothLogs(seen: Seen | undefined, receipts: readonly Receipt[]) {
  const first = await bothLogsOnce(seen, receipts)
  const isSame = first === null || sizeOf({ checkpoint: first.published }) === sizeOf(first.proof)
  return isSame ? first : await bothLogsOnce(seen, receipts)
}

async function bothLogsOnce(seen: Seen | undefined, receipts: readonly Receipt[]) {
  const found = await continued(seen, receipts)
  return found && { ...found, published: await publishedFile('checkpoint') }
}

/**
 * The proof of the lines after those that this device has checked; of all lines on another account's device, or if a
 * receipt is kept for a line that was checked already.
 */
async function continued(seen: Seen | undefined, receipts: readonly Receipt[]) {
  const since = seen === undefined ? '0' : sizeOf(seen).toString()
  if (seen?.lines !== undefined && !receipts.some(({ note }) => isBefore(note, seen.lines!))) {
    const proof = await proofSince({ since, from: since })
    if (proof === null || proof.owner === seen.lines.owner) return proof && { proof, isContinued: true }
  }
  const proof = await proofSince({ since })
  return proof && { proof, isContinued: false }
}

/** True if a receipt is for a line that has been checked. */
function isBefore(note: string, { owner, newest }: SeenLines): boolean {
  const field = (name: string) => new RegExp(`^${name}: (\\S+)$`, 'm').exec(note)?.[1] ?? ''
  if (field('owner') !== owner) return false
  return BigInt(field('version') || 0) <= BigInt(newest[field('kind')]?.[0] ?? 0)
}

/** All parts of a proof. */
async function proofSince(query: { since?: string; from?: string }): Promise<OwnProof | null> {
  const { data: first } = await call(ownProof, { query })
  if (first === null) return null
  const transactions = [...first.transactions]
  for (let { next } = first; next !== null; ) {
    const { data: part } = await call(ownProof, { query: { from: next, size: sizeOf(first).toString() } })
    if (part === null) break
    transactions.push(...part.transactions)
    next = part.next
  }
  return { ...first, transactions, next: null }
}

/** With the receipts that this device keeps for its owner: what proves a fault must be in the file. */
function withReceipts(proof: OwnProof, kept: readonly Receipt[]): OwnProof {
  const own = kept.map(({ note }) => note).filter(note => note.includes(`\nowner: ${proof.owner}\n`))
  return { ...proof, receipts: [...new Set([...own, ...proof.receipts])] }
}

/** True if there is a line of somebody else's below the log's own. */
function isCosigned(checkpoint: string): boolean {
  const [origin, ...lines] = checkpoint.split('\n')
  return lines.some(line => line.startsWith('— ') && !line.startsWith(`— ${origin} `))
}

/** Without the login, as everybody gets it. */
async function publishedFile(name: 'checkpoint' | 'policy'): Promise<string> {
  const answer = await fetch(`/proof/${name}`, { credentials: 'omit', cache: 'no-store' })
  if (!answer.ok) throw new Error(t('The published {file} could not be fetched.', { file: name }))
  return await answer.text()
}

function inWorker(question: Question): Promise<Outcome> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Outcome>((resolve, reject) => {
    const failed = () => reject(new Error(t('The check could not run in this browser.')))
    setTimeout(failed, LIMIT_MS)
    worker.onerror = failed
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data)
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}
