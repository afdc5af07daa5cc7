import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { call } from './call.ts'
import { beforehand, queries, type ReadOptions } from './read.ts'
import type { Answer } from './send.ts'

type Row<C extends CallDefinition> = CallData<C> extends (infer T)[] ? T : never

/** A row from any cached list, to show a record before it loads. */
export function cachedRow<C extends CallDefinition & { list: true }>(
  definition: C,
  id: string,
): Row<C> | undefined {
  const lists = queries.getQueriesData<{ pages: { data: (Row<C> & { _id: string })[] }[] }>({
    queryKey: [definition.id],
    predicate: ({ queryKey }) => queryKey[2] === 'pages',
  })
  return lists.flatMap(([, list]) => list?.pages.flatMap(page => page.data) ?? []).find(row => row._id === id)
}

type ListQuery = Record<string, string | number | undefined>
/** Path parameters of a list. */
type ListParams = Record<string, string>

/** Query options of a list, page by page. */
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

/** Prefetches what `useList` reads on the page. */
export function prefetchList<C extends CallDefinition & { list: true }>(
  definition: C,
  query: ListQuery = {},
) {
  void queries.prefetchInfiniteQuery({ ...pagesOf(definition, query), ...beforehand })
}

export type List<Row> = {
  rows: Row[] | undefined
  total: number | undefined
  /** More rows exist than were counted. */
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
 * A list, page by page: `rows` so far, `total`, and `more()` while `hasMore`. Rows of the last search stay while
 * another loads (`isPlaceholderData`).
 */
export function useList<C extends CallDefinition & { list: true }>(
  definition: C,
  query: ListQuery = {},
  { enabled = true, every, params }: ReadOptions & { params?: ListParams } = {},
): List<Row<C>> {
  // Drawing many rows is slow, so respond to input first.
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
