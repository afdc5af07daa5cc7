import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { toast } from '#web/ui/toast.ts'
import { written } from './act.ts'
import { call } from './call.ts'
import { ApiError, wordsOf } from './errors.ts'
import type { Answer } from './send.ts'
import { sessionBegan } from './session.ts'

/** C-29. */
const freshMs = 300
const cachedMs = 5 * 60_000
const triesMore = 3

/** The longest Retry-After that a read waits for, in milliseconds: nobody watches an empty page for longer. */
const longestWaitMs = 30_000

/** Retries what can succeed later. A refusal is the same however often a page asks (decision 76). */
function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= triesMore) return false
  if (!(error instanceof ApiError)) return true
  return error.isPassing && (error.retryAfterMs ?? 0) <= longestWaitMs
}

/** As long as the server asks, else 1, 2, then 4 seconds. */
function retryDelay(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  return asked ?? 1_000 * 2 ** failures
}

/** The reads of the signed-in pages. Used in the browser only: the server renders no page that reads. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { meta }) => meta?.beforehand || meta?.quiet || toast.error(wordsOf(error)),
  }),
  defaultOptions: {
    queries: { staleTime: freshMs, gcTime: cachedMs, retry: shouldRetry, retryDelay: retryDelay },
  },
})

/** One's own money may have moved with any write, so what is on show is read again after each. */
written.on(() => void queries.invalidateQueries())
sessionBegan.on(() => queries.clear())

/** Key and function of a read, for `useQuery` and for `queries.ensureQueryData` in the guard. */
export function readOf<C extends CallDefinition>(definition: C, input: CallInput<C>) {
  return {
    queryKey: [definition.id, input] as QueryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CallData<C>> =>
      (await call(definition, input, { signal })).data,
  }
}

type ReadOptions = {
  /** False while its input is not known yet. */
  enabled?: boolean
  /** Milliseconds between reads of their own accord. */
  every?: number
  /** Kept as it was first read, however long and wherever the visitor looks, until `refetch`. */
  held?: boolean
  /** While another input's answer is on its way, the last one's stays (`isPlaceholderData`). */
  keep?: boolean
  /** A refusal is told by the page itself and not by a toast. */
  quiet?: boolean
}

/** A read of the contract for a page: `data` once it is there, `isPending` until then, errors told by a toast. */
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

type Row<C extends CallDefinition> = CallData<C> extends (infer T)[] ? T : never

/** A row of a list that has been read by now, whatever part of it: what is known of a record before it is asked for. */
export function cachedRow<C extends CallDefinition & { list: true }>(
  definition: C,
  id: string,
): Row<C> | undefined {
  const lists = queries.getQueriesData<{ pages: { data: (Row<C> & { _id: string })[] }[] }>({
    queryKey: [definition.id],
  })
  return lists.flatMap(([, list]) => list?.pages.flatMap(page => page.data) ?? []).find(row => row._id === id)
}

type ListQuery = Record<string, string | number | undefined>
/** Of which record a list is, where its path names one. */
type ListParams = Record<string, string>

/** Key and function of a list, page after page. */
function pagesOf<C extends CallDefinition & { list: true }>(
  definition: C,
  query: ListQuery,
  params?: ListParams,
) {
  return {
    queryKey: [definition.id, query, 'pages', ...(params ? [params] : [])] as QueryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      call(definition, { params, query: { ...query, cursor: pageParam } } as unknown as CallInput<C>, {
        signal,
      }),
    getNextPageParam: (last: Answer<C>) => last.page?.nextCursor ?? undefined,
  }
}

/** Nobody has asked for it yet: if it fails, the page says so that then reads it. */
const beforehand = { retry: false, staleTime: freshMs, meta: { beforehand: true } }

/** What `useRead` will ask for on a page that somebody is about to open. */
export function prefetchRead<C extends CallDefinition>(definition: C, input: CallInput<C>) {
  void queries.prefetchQuery({ ...readOf(definition, input), ...beforehand })
}

/** What `useList` will ask for on such a page. */
export function prefetchList<C extends CallDefinition & { list: true }>(
  definition: C,
  query: ListQuery = {},
) {
  void queries.prefetchInfiniteQuery({ ...pagesOf(definition, query), ...beforehand })
}

/** What `useList` answers. */
export type List<Row> = {
  rows: Row[] | undefined
  total: number | undefined
  /** There are more than were counted. */
  totalIsAtLeast: boolean
  hasMore: boolean
  more: () => void
  loadingMore: boolean
  isPending: boolean
  isError: boolean
  isPlaceholderData: boolean
  refetch: () => void
}

/**
 * A list of the contract, page after page: `rows` so far, `total` of all, `more()` for the next page while `hasMore`.
 * While another search is on its way the rows of the last one stay (`isPlaceholderData`).
 */
export function useList<C extends CallDefinition & { list: true }>(
  definition: C,
  query: ListQuery = {},
  { enabled = true, every, params }: ReadOptions & { params?: ListParams } = {},
): List<Row<C>> {
  // Many rows take a while to draw: first the press or the key is answered that asks for others.
  const asked = useDeferredValue(JSON.stringify(query))
  const list = useInfiniteQuery(
    {
      ...pagesOf(definition, JSON.parse(asked) as ListQuery, params),
      placeholderData: keepPreviousData,
      enabled,
      refetchInterval: every ?? false,
    },
    queries,
  )
  const pages = list.data?.pages
  const latest = pages?.at(-1)?.page
  return {
    rows: pages?.flatMap(page => page.data as Row<C>[]),
    total: latest?.total,
    totalIsAtLeast: latest?.totalIsAtLeast === true,
    hasMore: list.hasNextPage,
    more: () => void list.fetchNextPage(),
    loadingMore: list.isFetchingNextPage,
    isPending: list.isPending,
    isError: list.isError,
    isPlaceholderData: list.isPlaceholderData,
    refetch: () => void list.refetch(),
  }
}
