import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/input.tsx'
import { type Matching, useMatching } from './matching.ts'

/** A record that can be approved in bulk. */
export type BulkRow = {
  _id: string
  invoiceId: string
  user: string
  userName: string | null
  amount: number
}

/** A bulk action. */
export type Bulk<Row> = {
  /** Approves several records. */
  call: CallDefinition
  /** The server's message about a record that needs no other approval. */
  done: string
  /** Singular and plural: 'deposit', 'deposits'. */
  one: string
  many: string
  isOpen: (row: Row) => boolean
  /** Which pending records qualify, if not all: 'pending paid from the balance'. */
  which?: string
  /** A warning that each single approval would show. */
  note?: string
  /** Where a row's money goes: 'To the available balance'. */
  moves: (row: Row) => string
  /** More to check per row, for example the address. */
  detail?: (row: Row) => ReactNode
}

type Chosen<Row> = {
  bulk: Bulk<Row>
  /** Selectable rows, and the selected ones. */
  open: readonly Row[]
  rows: readonly Row[]
  chosen: ReadonlySet<string>
  /** A row's checkbox; undefined if no row is selectable. */
  lead: ((row: Row) => ReactNode) | undefined
  chooseAll: (all: boolean) => void
  /** The dialog's rows as they were when it opened. */
  asked: readonly Row[] | undefined
  ask: (rows: readonly Row[]) => void
  close: () => void
}

/** Selection of a list's rows; undefined if the user may not approve them. */
export function useBulk<Row extends BulkRow>(
  bulk: Bulk<Row> | undefined,
  shown: readonly Row[] | undefined,
): Chosen<Row> | undefined {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<readonly Row[]>()
  const toggle = useCallback((id: string) => {
    setChosen(current => {
      const next = new Set(current)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const open = useMemo(() => (shown ?? []).filter(row => isOpenTo(bulk, row)), [bulk, shown])
  const lead = useCallback(
    (row: Row) => (isOpenTo(bulk, row) ? <Tick row={row} onToggle={toggle} /> : besideTicks),
    [bulk, toggle],
  )
  if (bulk === undefined || !mayCall(bulk.call)) return undefined
  // Ignore selected rows that are gone or already approved.
  const rows = open.filter(({ _id }) => chosen.has(_id))
  return {
    bulk,
    open,
    rows,
    chosen,
    lead: open.length > 0 ? lead : undefined,
    chooseAll: all => setChosen(all ? new Set(open.map(({ _id }) => _id)) : new Set()),
    asked,
    ask: setAsked,
    close() {
      setAsked(undefined)
      setChosen(new Set())
    },
  }
}

/** No one approves their own record. */
function isOpenTo<Row extends BulkRow>(bulk: Bulk<Row> | undefined, row: Row): boolean {
  return bulk?.isOpen(row) === true && !isOwn(row.user)
}

export const nobodyChosen: ReadonlySet<string> = new Set()
/** Selected ids; a context, so that a change redraws checkboxes instead of rows. */
export const ChosenRows = createContext(nobodyChosen)

/** Aligns rows without a checkbox. */
const besideTicks = <span className="hidden w-4.5 shrink-0 min-[44rem]:block" />

function Tick({ row, onToggle }: { row: BulkRow; onToggle: (id: string) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${row.invoiceId}`}
      className="mt-0.5 size-6 shrink-0 accent-accent min-[44rem]:size-4.5"
      checked={use(ChosenRows).has(row._id)}
      onChange={() => onToggle(row._id)}
    />
  )
}

type BulkBarProps<Row> = {
  bulk: Chosen<Row>
  /** Undefined if all matching rows are shown. */
  matching: Omit<Matching<Row>, 'isOpen'> | undefined
}

/** Selects all and opens the confirmation. */
export function BulkBar<Row extends BulkRow>({ bulk: chosen, matching }: BulkBarProps<Row>) {
  const { bulk, open, rows, chooseAll, ask } = chosen
  if (open.length === 0) return null
  const isAll = rows.length === open.length
  return (
    <div className="mb-1 flex flex-wrap items-center gap-x-6 gap-y-1">
      <Checkbox
        checked={isAll}
        ref={(tick: HTMLInputElement | null) => {
          if (tick) tick.indeterminate = rows.length > 0 && !isAll
        }}
        onChange={() => chooseAll(!isAll)}
      >
        Select all {bulk.which ?? 'pending'} ({open.length})
      </Checkbox>
      <Button tone="quiet" size="sm" disabled={rows.length === 0} onClick={() => ask(rows)}>
        {rows.length === 0 ? 'Approve selected' : `Approve ${countOf(rows.length, bulk)}`}
      </Button>
      {matching && <AllMatching bulk={chosen} matching={matching} />}
    </div>
  )
}

type AllMatchingProps<Row> = { bulk: Chosen<Row>; matching: Omit<Matching<Row>, 'isOpen'> }

/** Reads the rows that are not shown too, and opens the confirmation with them. */
function AllMatching<Row extends BulkRow>({ bulk: { bulk, ask }, matching }: AllMatchingProps<Row>) {
  const { found, read, stop } = useMatching({ ...matching, isOpen: row => isOpenTo(bulk, row) }, ask)
  if (found === undefined) {
    return (
      <Button tone="plain" size="sm" onClick={read}>
        Approve all that match
      </Button>
    )
  }
  return (
    <span className="flex items-center gap-3 text-sm">
      <span role="status">Reading: {countOf(found, bulk)} so far</span>
      <Button tone="plain" size="sm" onClick={stop}>
        Stop reading
      </Button>
    </span>
  )
}

/** '1 deposit', '12 deposits' */
export function countOf(count: number, { one, many }: Pick<Bulk<never>, 'one' | 'many'>): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
