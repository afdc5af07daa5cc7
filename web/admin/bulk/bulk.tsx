import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { type ListName, listName } from '#web/admin/tables/list-names.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.ts'
import { type Filtered, statusesLeft, useMatching } from './matching.ts'
import type { OwnLines } from './own-lines.ts'
import { countOf, type Kind, kindsOf, verbs } from './words.ts'

/** A record that can be acted on in bulk. */
export type BulkRow = {
  _id: string
  user: string
  userName: string | null
  amount: number
}

/** What is done with several records in one press. */
export type BulkAction<Row> = {
  verb: keyof typeof verbs
  /** Acts on several records. */
  call: CallDefinition
  isOpen: (row: Row) => boolean
  /** The statuses of the rows that 'all that match' reads: every row that it is open to has one. */
  allWith: readonly Kind[]
  /** What the rows that it is open to are called, if not by those statuses: one of `kindsOf`. */
  which?: Kind
  /** What the request says of a row besides its id. */
  recordOf?: (row: Row) => object
  /** What the user says of each row. */
  own?: OwnLines<Row>
  /** What the rows' amounts add up to, if not simply the total: this and `note`, named by `msg`. */
  total?: string
  /** The investor reads why. */
  needsReason?: boolean
  /** What each single dialog would say. */
  note?: string
  /** Where a row's money goes: 'To the available balance'. */
  moves: (row: Row) => string
  /** More to check per row, for example the address. */
  detail?: (row: Row) => ReactNode
}

/** What can be done with several records of a list. */
export type Bulk<Row> = {
  /** A row's name, as the list shows it: its document number, if it has one. */
  nameOf: (row: Row) => string
  actions: readonly BulkAction<Row>[]
}

export type Asked<Row> = { action: BulkAction<Row>; rows: readonly Row[] }

type Chosen<Row> = {
  /** The list's name in the address. */
  list: ListName
  bulk: Bulk<Row>
  /** Selectable rows, and the selected ones. */
  open: readonly Row[]
  rows: readonly Row[]
  chosen: ReadonlySet<string>
  /** A row's checkbox; undefined if no row is selectable. */
  lead: ((row: Row) => ReactNode) | undefined
  chooseAll: (all: boolean) => void
  /** The actions that the user may do. */
  actions: readonly BulkAction<Row>[]
  /** The dialog's action and its rows as they were when it opened. */
  asked: Asked<Row> | undefined
  ask: (asked: Asked<Row>) => void
  close: () => void
}

/** Selection of a list's rows; undefined if the user may not act on them. */
export function useBulk<Row extends BulkRow>(
  list: ListName,
  bulk: Bulk<Row> | undefined,
  shown: readonly Row[] | undefined,
): Chosen<Row> | undefined {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<Asked<Row>>()
  const toggle = useCallback((id: string) => {
    setChosen(current => {
      const next = new Set(current)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  const actions = useMemo(() => bulk?.actions.filter(({ call }) => mayCall(call)) ?? [], [bulk])
  const open = useMemo(() => (shown ?? []).filter(row => isOpenToAny(actions, row)), [actions, shown])
  const nameOf = bulk?.nameOf
  const lead = useCallback(
    (row: Row) =>
      nameOf && isOpenToAny(actions, row) ? (
        <Tick id={row._id} name={nameOf(row)} onToggle={toggle} />
      ) : (
        besideTicks
      ),
    [actions, nameOf, toggle],
  )
  if (bulk === undefined || actions.length === 0) return undefined
  // Ignore selected rows that are gone or already decided.
  const rows = open.filter(({ _id }) => chosen.has(_id))
  return {
    list,
    bulk,
    actions,
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

/** No one decides on their own record. */
function isOpenTo<Row extends BulkRow>(action: BulkAction<Row>, row: Row): boolean {
  return action.isOpen(row) && !isOwn(row.user)
}

function isOpenToAny<Row extends BulkRow>(actions: readonly BulkAction<Row>[], row: Row): boolean {
  return actions.some(action => isOpenTo(action, row))
}

export const nobodyChosen: ReadonlySet<string> = new Set()
/** Selected ids; a context, so that a change redraws checkboxes instead of rows. */
export const ChosenRows = createContext(nobodyChosen)

/** Aligns rows without a checkbox. */
const besideTicks = <span className="hidden w-4.5 shrink-0 min-[44rem]:block" />

function Tick({ id, name, onToggle }: { id: string; name: string; onToggle: (id: string) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={t('Select {record}', { record: name })}
      className="mt-0.5 size-6 shrink-0 accent-accent min-[44rem]:size-4.5"
      checked={use(ChosenRows).has(id)}
      onChange={() => onToggle(id)}
    />
  )
}

type BulkBarProps<Row> = {
  bulk: Chosen<Row>
  /** Undefined if all matching rows are shown. */
  matching: Filtered | undefined
}

/** Selects all and opens the confirmation. */
export function BulkBar<Row extends BulkRow>({ bulk: chosen, matching }: BulkBarProps<Row>) {
  const { actions, open, rows, chooseAll } = chosen
  if (open.length === 0) return null
  const isAll = rows.length === open.length
  const possible = actions.filter(action => open.some(row => isOpenTo(action, row)))
  return (
    <div className="mb-1 flex flex-wrap items-center gap-x-6 gap-y-1">
      <Checkbox
        checked={isAll}
        ref={(tick: HTMLInputElement | null) => {
          if (tick) tick.indeterminate = rows.length > 0 && !isAll
        }}
        onChange={() => chooseAll(!isAll)}
      >
        {t('Select all {kinds} ({count, number})', { kinds: whichOf(possible), count: open.length })}
      </Checkbox>
      {possible.map(action => (
        <OneAction key={action.verb} action={action} bulk={chosen} />
      ))}
      {matching &&
        actions
          .filter(({ allWith }) => statusesLeft(allWith, matching).length > 0)
          .map(action => <AllMatching key={action.verb} action={action} bulk={chosen} matching={matching} />)}
    </div>
  )
}

/** 'pending and matured' */
function whichOf(actions: readonly Pick<BulkAction<never>, 'allWith' | 'which'>[]): string {
  return kindsOf(actions.flatMap(({ allWith, which }) => which ?? allWith))
}

type OneActionProps<Row> = { action: BulkAction<Row>; bulk: Chosen<Row> }

/** Opens the confirmation with those selected rows that the action can be done with. */
function OneAction<Row extends BulkRow>({ action, bulk: { list, rows, ask } }: OneActionProps<Row>) {
  const own = rows.filter(row => isOpenTo(action, row))
  const words = verbs[action.verb]
  return (
    <Button
      tone={action.verb === 'Decline' ? 'danger' : 'quiet'}
      size="sm"
      disabled={own.length === 0}
      onClick={() => ask({ action, rows: own })}
    >
      {own.length === 0 ? words.selected() : words.of(countOf(own.length, list))}
    </Button>
  )
}

type AllMatchingProps<Row> = OneActionProps<Row> & { matching: Filtered }

/** Reads the rows that are not shown too, and opens the confirmation with them. */
function AllMatching<Row extends BulkRow>({ action, bulk: { list, ask }, matching }: AllMatchingProps<Row>) {
  const words = verbs[action.verb]
  const { found, read, stop } = useMatching<Row>(
    { ...matching, statuses: statusesLeft(action.allWith, matching), isOpen: row => isOpenTo(action, row) },
    rows => {
      if (rows.length > 0) ask({ action, rows })
      else toast.error(words.none(listName(list)))
    },
  )
  if (found === undefined) {
    return (
      <Button tone="plain" size="sm" onClick={read}>
        {words.matching()}
      </Button>
    )
  }
  return (
    <span className="flex items-center gap-3 text-sm">
      <span role="status">{t('Reading: {records} so far', { records: countOf(found, list) })}</span>
      <Button tone="plain" size="sm" onClick={stop}>
        {t('Stop reading')}
      </Button>
    </span>
  )
}
