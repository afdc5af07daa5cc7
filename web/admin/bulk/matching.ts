import { useRef, useState } from 'react'
import type { CallDefinition, CallInput, Page } from '#shared/contract/define.ts'
import { maximumMatching, maximumPageLimit } from '#shared/limits.ts'
import { call } from '#web/api/call.ts'
import { wordsOf } from '#web/api/errors.ts'
import { toast } from '#web/ui/toast.ts'

export type Matching<Row> = {
  /** The list's call and its filter. */
  call: CallDefinition & { list: true }
  query: Record<string, string | number | undefined>
  isOpen: (row: Row) => boolean
}

/**
 * Reads all rows of a list that can be acted on, `maximumMatching` at most, page by page: what is done afterwards is done
 * with what was shown, whatever is added meanwhile.
 */
export function useMatching<Row>(
  { call: list, query, isOpen }: Matching<Row>,
  onRows: (rows: Row[]) => void,
) {
  /** How many were found so far; undefined while nothing is read. */
  const [found, setFound] = useState<number>()
  const reading = useRef<AbortController>(undefined)

  async function read(): Promise<void> {
    reading.current = new AbortController()
    const { signal } = reading.current
    const rows: Row[] = []
    let cursor: string | undefined
    setFound(0)
    try {
      do {
        const input = { query: { ...query, limit: maximumPageLimit, cursor } }
        const answer = await call(list, input as unknown as CallInput<typeof list>, { signal })
        rows.push(...(answer.data as Row[]).filter(isOpen))
        setFound(rows.length)
        cursor = (answer.page as Page).nextCursor ?? undefined
      } while (cursor !== undefined && rows.length < maximumMatching)
      onRows(rows.slice(0, maximumMatching))
    } catch (error) {
      if (!signal.aborted) toast.error(wordsOf(error))
    } finally {
      setFound(undefined)
    }
  }

  return { found, read: () => void read(), stop: () => reading.current?.abort() }
}
