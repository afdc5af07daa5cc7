import { useRef, useState } from 'react'
import type { CallDefinition, CallInput, Page } from '#shared/contract/define.ts'
import { maximumMatching, maximumPageLimit } from '#shared/limits.ts'
import { call } from '#web/api/call.ts'
import { wordsOf } from '#web/api/errors.ts'
import { toast } from '#web/ui/toast.ts'

/** A list's call and its filter. */
export type Filtered = {
  call: CallDefinition & { list: true }
  query: Record<string, string | number | undefined>
}

type Matching<Row> = Filtered & {
  /** The statuses of the rows that are read: with all others, they would be read in vain. */
  statuses: readonly string[]
  isOpen: (row: Row) => boolean
}

/** Those of these statuses that the list's filter leaves. */
export function statusesLeft(statuses: readonly string[], { query }: Pick<Filtered, 'query'>): string[] {
  return statuses.filter(status => !query.status || query.status === status)
}

/**
 * Reads all rows of a list that can be acted on, `maximumMatching` at most, page by page: what is done afterwards is done
 * with what was shown, whatever is added meanwhile.
 */
export function useMatching<Row extends { _id: string }>(
  { call: list, query, statuses, isOpen }: Matching<Row>,
  onRows: (rows: Row[]) => void,
) {
  /** How many were found so far; undefined while nothing is read. */
  const [found, setFound] = useState<number>()
  const reading = useRef<AbortController>(undefined)

  async function read(): Promise<void> {
    reading.current = new AbortController()
    const { signal } = reading.current
    // By id: a row can have two of the statuses.
    const rows = new Map<string, Row>()
    setFound(0)
    try {
      for (const status of statuses) {
        let cursor: string | undefined
        do {
          const input = { query: { ...query, status, limit: maximumPageLimit, cursor } }
          const answer = await call(list, input as unknown as CallInput<typeof list>, { signal })
          for (const row of (answer.data as Row[]).filter(isOpen)) rows.set(row._id, row)
          setFound(rows.size)
          cursor = (answer.page as Page).nextCursor ?? undefined
        } while (cursor !== undefined && rows.size < maximumMatching)
      }
      onRows([...rows.values()].slice(0, maximumMatching))
    } catch (error) {
      if (!signal.aborted) toast.error(wordsOf(error))
    } finally {
      setFound(undefined)
    }
  }

  return { found, read: () => void read(), stop: () => reading.current?.abort() }
}
