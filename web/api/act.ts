import { startTransition, useRef, useState } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { toast } from '#web/ui/toast.ts'
import { call } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'
import { withProof } from './proof.ts'
import { signal } from './signal.ts'

/** A write succeeded: what has been read may be out of date. */
export const written = signal()

/** Which Idempotency-Key goes with a write (B-06). */
export type IdempotencyKeys = {
  keyFor(input: unknown): string
  /** A clear answer came to what was sent last: the call's data, or why not. */
  succeeded(data: unknown): void
  refused(error: unknown): void
}

/**
 * A key for each attempt: the same while the same input is sent again because no clear answer came, a new one after
 * every clear answer or with other input.
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

type ActOptions<C extends CallDefinition> = {
  /** The toast of success: the contract's message unless said otherwise, by what came of it too; false for none. */
  success?: string | false | ((data: CallData<C>) => string)
  /** Where it leads to another page: what that promises, so that nothing is sent twice from the page that is left. */
  onSuccess?: (data: CallData<C>, message: string) => void | Promise<void>
  /** The words of a refusal's toast, where a page has better ones than the server; false for none: the page says it itself. */
  refusal?: (error: ApiError) => string | false | undefined
  /** The toast for as long as it takes, where that can be long; success or refusal replaces it. */
  loading?: string
  /** Where one attempt is not all that is to happen once (dashboard/visit.ts). */
  keys?: IdempotencyKeys
}

export type Act<C extends CallDefinition> = {
  /** Resolves with the data, or with undefined after a refusal, which has been told by a toast. */
  run(input: CallInput<C>): Promise<CallData<C> | undefined>
  pending: boolean
  /** The last refusal, for the fields of a form; gone when the next try starts. */
  error: ApiError | undefined
}

/** A write of the contract from a page: one at a time, success and refusal told by a toast, reads made again. */
export function useAct<C extends CallDefinition>(definition: C, options: ActOptions<C> = {}): Act<C> {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<ApiError>()
  const keys = useRef(options.keys ?? attemptKeys())
  const busy = useRef(false)

  async function run(input: CallInput<C>): Promise<CallData<C> | undefined> {
    if (busy.current) return undefined
    busy.current = true
    setPending(true)
    setError(undefined)
    const progress = options.loading === undefined ? undefined : toast.loading(options.loading)
    try {
      const idempotencyKey = definition.money ? keys.current.keyFor(input) : undefined
      const { data, message } = await withProof(() => call(definition, input, { idempotencyKey }))
      keys.current.succeeded(data)
      await succeed(data, message, progress)
      // As late as the page that it leads to shows, which is a transition too.
      startTransition(() => setPending(false))
      return data
    } catch (fault) {
      if (!(fault instanceof ApiError && fault.unclear)) keys.current.refused(fault)
      setPending(false)
      refuse(fault, progress)
      return undefined
    } finally {
      busy.current = false
    }
  }

  function succeed(data: CallData<C>, message: string, progress?: Progress) {
    const { success } = options
    if (success === false) progress?.dismiss()
    else (progress ?? toast).success(typeof success === 'function' ? success(data) : (success ?? message))
    written.emit()
    return options.onSuccess?.(data, message)
  }

  function refuse(fault: unknown, progress?: Progress) {
    const refused = fault instanceof ApiError ? fault : undefined
    setError(refused)
    const words = (refused && options.refusal?.(refused)) ?? wordsOf(fault)
    if (words === false) progress?.dismiss()
    else (progress ?? toast).error(words)
  }

  return { run, pending, error }
}
