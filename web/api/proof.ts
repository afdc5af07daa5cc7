import { ApiError } from './errors.ts'

type Asker = () => Promise<boolean>

/** Who asks the visitor, while a page is open that can. */
let asker: Asker | undefined
/** The question that is open: several acts wait for one answer. */
let question: Promise<boolean> | undefined

/**
 * Whoever can ask the visitor to prove who he is (components/proof.tsx): resolves with whether he did.
 * @returns ends it
 */
export function askBy(ask: Asker): () => void {
  asker = ask
  return () => {
    if (asker === ask) asker = undefined
  }
}

/**
 * Does a sensitive act; where the server wants a recent proof of identity first, asks for it and does the act once more.
 * @throws ApiError of the act; proof_required where the visitor gave none
 */
export async function withProof<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'proof_required')) throw error
    if (!(await ask())) throw error
    return act()
  }
}

async function ask(): Promise<boolean> {
  if (asker === undefined) return false
  question ??= asker().finally(() => {
    question = undefined
  })
  return question
}
