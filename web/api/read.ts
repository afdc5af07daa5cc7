import { keepPreviousData, QueryCache, QueryClient, type QueryKey, useQuery } from '@tanstack/react-query'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { toast } from '#web/ui/toast.ts'
import { call } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'
import { written } from './mutation.ts'
import { sessionBegan } from './session.ts'

/** C-29. */
const freshMs = 300
const cachedMs = 5 * 60_000
const triesMore = 3

/** Longest Retry-After that a read waits for, in milliseconds. */
const longestWaitMs = 30_000

/** Retries only what may succeed later (decision 76). */
function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= triesMore) return false
  if (!(error instanceof ApiError)) return true
  return error.isPassing && (error.retryAfterMs ?? 0) <= longestWaitMs
}

/** The server's Retry-After, else 1, 2, then 4 seconds. */
function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  return asked ?? 1_000 * 2 ** failures
}

/** The page itself, or the app on its way to /login, explains it; the toast of a 503 would call it an error. */
function isExplained(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'method_paused' || error.isStaleToken)
}

/** Reads of the signed-in pages, in the browser only. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { meta }) =>
      meta?.beforehand || meta?.quiet || isExplained(error) || toast.error(wordsOf(error)),
  }),
  defaultOptions: {
    queries: { staleTime: freshMs, gcTime: cachedMs, retry: shouldRetry, retryDelay: retryDelay },
  },
})

/** Any write may have moved money, so refresh everything shown. */
written.on(() => void queries.invalidateQueries())
sessionBegan.on(() => queries.clear())

/** Query options of a read, for `useQuery` and the guard. */
export function readOf<C extends CallDefinition>(definition: C, input: CallInput<C>) {
  return {
    queryKey: [definition.id, input] as QueryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CallData<C>> =>
      (await call(definition, input, { signal })).data,
  }
}

export type ReadOptions = {
  /** False while its input is unknown. */
  enabled?: boolean
  /** Polling interval in milliseconds. */
  every?: number
  /** Keeps the first answer until `refetch`. */
  held?: boolean
  /** Shows the last answer while another input loads (`isPlaceholderData`). */
  keep?: boolean
  /** The page itself shows errors, without a toast. */
  quiet?: boolean
}

/** A read for a page: `data` once loaded, `isPending` until then; errors become toasts. */
export function useRead<C extends CallDefinition>(
  definition: C,
  input: CallInput<C>,
  { enabled = true, every, held, keep, quiet }: ReadOptions = {},
) {
  const staleTime = held ? Number.POSITIVE_INFINITY : freshMs
  return useQuery(
    {
      ...readOf(definition, input),
      enabled,
      staleTime,
      refetchInterval: every ?? false,
      placeholderData: keep ? keepPreviousData : undefined,
      ...(quiet ? { meta: { quiet } } : {}),
    },
    queries,
  )
}

/** No toast for a failed prefetch: the page that reads it will report it. */
export const beforehand = { retry: false, staleTime: freshMs, meta: { beforehand: true } }

/** Prefetches what `useRead` reads on the page. */
export function prefetchRead<C extends CallDefinition>(definition: C, input: CallInput<C>) {
  void queries.prefetchQuery({ ...readOf(definition, input), ...beforehand })
}
