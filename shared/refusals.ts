import { AppError } from './errors.ts'

/** A domain's refusal messages: one function per reason over its data. */
// biome-ignore lint/suspicious/noExplicitAny: each reason has data of its own
type Messages = Record<string, (data: any) => string>

/** One refusal of a domain, `{ reason: 'not_synced', network }`: a closed union over the domain's messages. */
export type RefusalOf<D extends { messages: Messages }> = RefusalIn<D['messages']>
type RefusalIn<M extends Messages> = {
  [R in keyof M & string]: { reason: R } & (Parameters<M[R]> extends [infer Data] ? Data : unknown)
}[keyof M & string]

/**
 * Declares a domain's refusals. Guards return a refusal or null, services throw `error`, pages and tests compare
 * `reason`.
 */
export function defineRefusals<const M extends Messages>(messages: M) {
  /** The refusal's message: what is wrong and what to do. */
  const words = (refusal: RefusalIn<M>): string => messages[refusal.reason]!(refusal)
  return {
    messages,
    words,
    /**
     * The error to throw: 409 `wrong_state` with the reason.
     * @param field of the request, to show the message at it too
     */
    error: (refusal: RefusalIn<M>, field?: string): AppError => {
      const message = words(refusal)
      const fields = field === undefined ? undefined : { [field]: message }
      return new AppError('wrong_state', message, { reason: refusal.reason, fields })
    },
  }
}
