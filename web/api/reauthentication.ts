import { ApiError } from './errors.ts'

type Asker = () => Promise<boolean>

/** The open page's prompt for reauthentication. */
let asker: Asker | undefined
/** The open prompt; several writes share its answer. */
let question: Promise<boolean> | undefined

/**
 * Registers the prompt (components/reauthentication.tsx), which resolves with whether the user reauthenticated.
 * @returns unregisters it
 */
export function askBy(ask: Asker): () => void {
  asker = ask
  return () => {
    if (asker === ask) asker = undefined
  }
}

/**
 * Runs an action; if the server requires reauthentication, prompts for it and runs the action again.
 * @throws ApiError of the action; proof_required if the user cancelled
 */
export async function withReauthentication<T>(act: () => Promise<T>): Promise<T> {
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
