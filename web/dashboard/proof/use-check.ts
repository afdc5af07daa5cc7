import { useCallback, useEffect, useState } from 'react'
import { type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { call } from '#web/api/call.ts'
import { wordsOf } from '#web/api/errors.ts'
import { sessionBegan } from '#web/api/session.ts'
import type { Outcome, Question, Seen } from './check.ts'

export type CheckState =
  | { is: 'checking' }
  /** No epoch has ended yet. */
  | { is: 'early' }
  /** Nothing could be fetched: says nothing about the books. */
  | { is: 'unreached'; reason: string }
  | { is: 'done'; outcome: Outcome; proof: OwnProof; ms: number }

const LIMIT_MS = 60_000

/** The last check of this session: a page that one comes back to keeps its height while it is checked again. */
let latest: CheckState | undefined
sessionBegan.on(() => {
  latest = undefined
})

/** Checks at each visit, and again when asked. */
export function useProofCheck(): { state: CheckState; again: () => void } {
  const [state, setState] = useState<CheckState>(latest ?? { is: 'checking' })
  const [round, setRound] = useState(0)
  useEffect(() => {
    let left = false
    if (round > 0) setState({ is: 'checking' })
    // A new round is a new check.
    void check(round).then(found => {
      if (left) return
      latest = found
      setState(found)
    })
    return () => {
      left = true
    }
  }, [round])
  const again = useCallback(() => setRound(count => count + 1), [])
  return { state, again }
}

async function check(_round: number): Promise<CheckState> {
  const seen = lastSeen()
  try {
    const { data: proof } = await call(ownProof, {
      query: { since: seen === undefined ? '0' : sizeOf(seen) },
    })
    if (proof === null) return { is: 'early' }
    const published = await publishedCheckpoint()
    const begun = performance.now()
    const outcome = await inWorker({ proof, published, seen })
    const ms = performance.now() - begun
    // A failed check must not replace what this device knows to be true.
    if (outcome.holds) localStorage.setItem(KEY, JSON.stringify(outcome.seen))
    return { is: 'done', outcome, proof, ms }
  } catch (error) {
    return { is: 'unreached', reason: wordsOf(error) }
  }
}

/** Without the login, as everybody gets it. */
async function publishedCheckpoint(): Promise<string> {
  const answer = await fetch('/proof/checkpoint', { credentials: 'omit', cache: 'no-store' })
  if (!answer.ok) throw new Error('The published checkpoint could not be fetched.')
  return await answer.text()
}

function inWorker(question: Question): Promise<Outcome> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Outcome>((resolve, reject) => {
    const failed = () => reject(new Error('The check could not run in this browser.'))
    setTimeout(failed, LIMIT_MS)
    worker.onerror = failed
    worker.onmessage = ({ data }: MessageEvent<Outcome>) => resolve(data)
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}

/** The log is the same for everybody, so for all who use this device, too. */
const KEY = 'proof'

function lastSeen(): Seen | undefined {
  const text = localStorage.getItem(KEY)
  try {
    return text === null ? undefined : (JSON.parse(text) as Seen)
  } catch {
    return undefined
  }
}

/** The second line of a checkpoint. */
function sizeOf({ checkpoint }: Seen): string {
  return checkpoint.split('\n')[1] ?? '0'
}
