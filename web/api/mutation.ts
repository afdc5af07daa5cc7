import { startTransition, useRef, useState } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { toast } from '#web/ui/toast.ts'
import { call } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'
import { withReauthentication } from './reauthentication.ts'
import { signal } from './signal.ts'

/** A write succeeded, so earlier reads may be out of date. */
export const written = signal()

/** Chooses the Idempotency-Key of a write (B-06). */
export type IdempotencyKeys = {
  keyFor(input: unknown): string
  /** Called after a definite answer to the last request. */
  succeeded(data: unknown): void
  refused(error: unknown): void
}

/**
 * One key per attempt: the same for retries without a definite answer, a new one after an answer or for other input.
 */
export function attemptKeys(): IdempotencyKeys {
  let last: { input: string; key: string } | undefined
  const forget = () => {
    last = undefined
  }
  return {
    keyFor(input: unknown): string {
      const text = JSON.stringify(input)
      if (last?.input !== text) last = { input: text, key: crypto.randomUUID() }
      return last.key
    },
    succeeded: forget,
    refused: forget,
  }
}

type Progress = ReturnType<typeof toast.loading>

export type MutationOptions<C extends CallDefinition> = {
  /** The success toast; default: the contract's message; false: none. */
  success?: string | false | ((data: CallData<C>) => string)
  /** If it navigates, return `go`'s promise, so that nothing is sent twice. */
  onSuccess?: (data: CallData<C>, message: string) => void | Promise<void>
  /** Words of the refusal's toast; default: the server's; false: the page shows its own. */
  refusal?: (error: ApiError) => string | false | undefined
  /** The toast while a slow write runs. */
  loading?: string
  /** Keys for writes that must happen once per visit (dashboard/visit.ts). */
  keys?: IdempotencyKeys
}

export type Mutation<C extends CallDefinition> = {
  /** Resolves with the data, or undefined after a refusal shown as a toast. */
  run(input: CallInput<C>): Promise<CallData<C> | undefined>
  pending: boolean
  /** The last refusal, until the next try. */
  error: ApiError | undefined
}

/** A write from a page: one at a time, with toasts, then fresh reads. */
export function useMutation<C extends CallDefinition>(
  definition: C,
  options: MutationOptions<C> = {},
): Mutation<C> {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<ApiError>()
  const keys = useRef(options.keys ?? attemptKeys())
  const busy = useRef(false)

  async function run(input: CallInput<C>): Promise<CallData<C> | undefined> {
    if (busy.current) return undefined
    busy.current = true
    setPending(true)
    setError(undefined)
    toast.beginAttempt()
    const progress = options.loading === undefined ? undefined : toast.loading(options.loading)
    try {
      const idempotencyKey = definition.money ? keys.current.keyFor(input) : undefined
      const { data, message } = await withReauthentication(() => call(definition, input, { idempotencyKey }))
      keys.current.succeeded(data)
      await succeed(data, message, progress)
      // Also a transition, so the button stays busy until the next page shows.
      startTransition(() => setPending(false))
      return data
    } catch (failure) {
      if (!(failure instanceof ApiError && failure.unclear)) keys.current.refused(failure)
      setPending(false)
      refuse(failure, progress)
      return undefined
    } finally {
      busy.current = false
    }
  }

  function succeed(data: CallData<C>, message: string, progress?: Progress) {
    const { success } = options
    toast.clearErrors()
    if (success === false) progress?.dismiss()
    else (progress ?? toast).success(typeof success === 'function' ? success(data) : (success ?? message))
    written.emit()
    return options.onSuccess?.(data, message)
  }

  function refuse(failure: unknown, progress?: Progress) {
    const refused = failure instanceof ApiError ? failure : undefined
    setError(refused)
    // Where the session is over, the app says so and goes to /login.
    const words = !refused?.isStaleToken && ((refused && options.refusal?.(refused)) ?? wordsOf(failure))
    if (words === false) progress?.dismiss()
    else (progress ?? toast).error(words)
  }

  return { run, pending, error }
}
