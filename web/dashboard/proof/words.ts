import type { Step } from './check.ts'

/** What a failed check says first: no more than its step shows. */
export function headlineOf(step: Step): string {
  if (step === 'recent') return 'Nothing new has been published for days'
  const isOfPublished = step === 'signature' || step === 'public' || step === 'witnesses'
  return isOfPublished ? 'The published books did not pass the check' : 'The published books do not fit yours'
}
