import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/input.tsx'

/** A record that can be approved together with others. */
export type BulkRow = {
  _id: string
  invoiceId: string
  user: string
  userName: string | null
  amount: number
}

/** What can be done with several rows of a list at once: each by a call of its own. */
export type Bulk<Row> = {
  /** Approves one, by its id. */
  call: CallDefinition
  /** What a row is, and several: 'deposit', 'deposits'. */
  one: string
  many: string
  isOpen: (row: Row) => boolean
  /** Which of those that wait can be approved mergeFaults, where not all of them can: 'wait and are paid from the balance'. */
  which?: string
  /** What to look at before: approving together says of all what approving one asks. */
  note?: string
  /** What becomes of a row's money: 'To the available balance'. */
  moves: (row: Row) => string
  /** What else is to be looked at of each: where its money goes. */
  detail?: (row: Row) => ReactNode
}

type Chosen<Row> = {
  bulk: Bulk<Row>
  /** The rows on show that can be chosen, and those of them that are. */
  open: readonly Row[]
  rows: readonly Row[]
  chosen: ReadonlySet<string>
  /** A row's tick, for the table; undefined where none can be chosen. */
  lead: ((row: Row) => ReactNode) | undefined
  chooseAll: (all: boolean) => void
  /** The rows that the dialog is about, as they were when it opened: what it does takes them away from the list. */
  asked: readonly Row[] | undefined
  ask: () => void
  close: () => void
}

/** The rows of a list that are chosen; undefined where nothing can be done with them, or not by who is logged in. */
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
  // What is not on show any more, or was approved meanwhile, is not chosen.
  const rows = open.filter(({ _id }) => chosen.has(_id))
  return {
    bulk,
    open,
    rows,
    chosen,
    lead: open.length > 0 ? lead : undefined,
    chooseAll: all => setChosen(all ? new Set(open.map(({ _id }) => _id)) : new Set()),
    asked,
    ask: () => setAsked(rows),
    close() {
      setAsked(undefined)
      setChosen(new Set())
    },
  }
}

/** Nobody approves what is his own. */
function isOpenTo<Row extends BulkRow>(bulk: Bulk<Row> | undefined, row: Row): boolean {
  return bulk?.isOpen(row) === true && !isOwn(row.user)
}

export const nobodyChosen: ReadonlySet<string> = new Set()
/** The ids that are chosen in the list around: a tick that changes draws itself again, and not its row. */
export const ChosenRows = createContext(nobodyChosen)

/** Keeps the first value of a row without a tick in line with the others'. */
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

/** Chooses all that can be, and asks before what is chosen is approved. */
export function BulkBar<Row extends BulkRow>({ bulk: chosen }: { bulk: Chosen<Row> }) {
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
      <Button tone="quiet" size="sm" disabled={rows.length === 0} onClick={ask}>
        {rows.length === 0 ? 'Approve selected' : `Approve ${countOf(rows.length, bulk)}`}
      </Button>
    </div>
  )
}

/** '1 deposit', '12 deposits'. */
export function countOf(count: number, { one, many }: Pick<Bulk<never>, 'one' | 'many'>): string {
  return `${count} ${count === 1 ? one : many}`
}
