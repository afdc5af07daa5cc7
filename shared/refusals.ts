import { AppError } from './errors.ts'

/** A domain's refusals in words: one function for each reason, over the reason's data. */
// biome-ignore lint/suspicious/noExplicitAny: each reason has data of its own
type Messages = Record<string, (data: any) => string>

/** One refusal of a domain, `{ reason: 'not_synced', network }`: a closed union over the domain's messages. */
export type RefusalOf<D extends { messages: Messages }> = RefusalIn<D['messages']>
type RefusalIn<M extends Messages> = {
  [R in keyof M & string]: { reason: R } & (Parameters<M[R]> extends [infer Data] ? Data : unknown)
}[keyof M & string]

/**
 * Declares why a domain refuses what its state does not allow. Guards answer a refusal or null, services throw `error`, pages and
 * tests compare `reason`.
 */
export function defineRefusals<const M extends Messages>(messages: M) {
  /** The refusal in words: what is the matter, and what to do about it. */
  const words = (refusal: RefusalIn<M>): string => messages[refusal.reason]!(refusal)
  return {
    messages,
    words,
    /** What a route throws: 409 `wrong_state`, with the reason beside the code. */
    error: (refusal: RefusalIn<M>): AppError =>
      new AppError('wrong_state', words(refusal), { reason: refusal.reason }),
  }
}
