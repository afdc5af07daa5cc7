import { useId, useRef, useState } from 'react'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { bulkStep } from '#shared/limits.ts'
import { usdFromJson } from '#shared/money.ts'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { type ListName, listName } from '#web/admin/tables/list-names.ts'
import { PersonName } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { Textarea } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.ts'
import type { Asked, Bulk, BulkAction, BulkRow } from './bulk.tsx'
import { linesToComplete, type OwnLines, readLines } from './own-lines.ts'
import { type Outcome, type Outcomes, openRows, resultOf, useBulkRun } from './run.ts'
import { countOf, verbs } from './words.ts'

type BulkDialogProps<Row> = { list: ListName; bulk: Bulk<Row>; asked: Asked<Row>; onClose: () => void }

/** Lines of the dialog: more would only make it slow. */
const mostLines = 200

/** Confirms an action on several records with their total, then shows the outcome of each. */
export function BulkDialog<Row extends BulkRow>({ list, bulk, asked, onClose }: BulkDialogProps<Row>) {
  const { action, rows } = asked
  const [home] = useState(focusHomeHere)
  const [reason, setReason] = useState('')
  const named = { rows, nameOf: bulk.nameOf }
  const [lines, setLines] = useState(() => (action.own ? linesToComplete(named) : ''))
  const [errors, setErrors] = useState<{ reason?: string; lines?: string }>({})
  const { outcomes, isRunning, isStopping, isOver, run, stop } = useBulkRun(list, action, rows)
  const shown = linesOf(rows, outcomes, isOver)
  const left = openRows(rows, outcomes)
  const done = resultOf(rows, outcomes, list, action)
  const words = verbs[action.verb].of(countOf(rows.length, list))
  const each = t('Each is processed separately: a refusal does not affect the others.')
  const place = useRef<HTMLDivElement>(null)
  const refuse = (field: 'lines' | 'reason', words: string) => {
    setErrors({ [field]: words })
    toast.error(words)
    place.current?.querySelector<HTMLElement>(`[name=${field}]`)?.focus()
  }
  const start = () => {
    const read = action.own ? readLines(lines, named, action.own) : { values: [] }
    const missing = action.needsReason ? reasonError({ reason }, 'investor')?.message : undefined
    if ('error' in read) return refuse('lines', read.error)
    if (missing !== undefined) return refuse('reason', missing)
    setErrors({})
    void run({ reason, own: read.values })
  }
  return (
    <Dialog
      open
      // Stay open while running, to keep the outcomes.
      onClose={() => !isRunning && onClose()}
      title={isOver ? done : t('{action}?', { action: words })}
      description={
        isOver
          ? t('Each is processed separately. Refused items are unchanged.')
          : action.note === undefined
            ? each
            : `${translate(action.note)} ${each}`
      }
      wide
      focusAfter={() => home}
    >
      <ul
        className="max-h-[50dvh] overflow-y-auto border-rule border-y"
        aria-label={listName(list)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the list cannot be scrolled by keyboard.
        tabIndex={0}
      >
        {shown.map(row => (
          <Line
            key={row._id}
            row={row}
            name={bulk.nameOf(row)}
            action={action}
            outcome={outcomes.get(row._id)}
          />
        ))}
      </ul>
      {shown.length < rows.length && (
        <p className="mt-2 text-ink-soft text-sm">
          {t('{shown, number} of {records} are listed here.', {
            shown: shown.length,
            records: countOf(rows.length, list),
          })}
        </p>
      )}
      <p className="mt-4 flex items-baseline justify-between gap-4">
        <span className="text-ink-soft">
          {action.total === undefined ? t('Total') : translate(action.total)}
        </span>
        <strong className="font-semibold text-lg tabular-nums">{localUsd(sumOf(rows))}</strong>
      </p>
      {/* A retry must be the same request (B-06), so what it says is fixed once sent. */}
      {!isRunning && !isOver && (
        <div ref={place} className="mt-4 grid gap-4">
          {action.own && <LinesField own={action.own} text={lines} error={errors.lines} onText={setLines} />}
          <ReasonField
            reader="investor"
            optional={!action.needsReason}
            error={errors.reason}
            onText={setReason}
          />
        </div>
      )}
      {isRunning && <Progress rows={rows} outcomes={outcomes} />}
      <p role="status" className="sr-only">
        {isRunning ? verbs[action.verb].doing() : isOver ? done : ''}
      </p>
      <DialogActions>
        {isRunning ? (
          <Button tone="quiet" disabled={isStopping || rows.length <= bulkStep} onClick={stop}>
            {isStopping ? t('Stopping') : t('Stop')}
          </Button>
        ) : (
          <Button tone="quiet" onClick={onClose}>
            {isOver ? t('Close') : t('Cancel')}
          </Button>
        )}
        {(!isOver || left > 0) && (
          <Button tone={action.verb === 'Decline' ? 'danger' : 'primary'} busy={isRunning} onClick={start}>
            {isOver ? retryWords(rows, outcomes) : words}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

type LinesFieldProps<Row> = {
  own: OwnLines<Row>
  text: string
  error: string | undefined
  onText: (text: string) => void
}

function LinesField<Row>({ own: { hint }, text, error, onText }: LinesFieldProps<Row>) {
  return (
    <Field
      name="lines"
      label={t('Transaction ids')}
      hint={translate(hint)}
      {...(error === undefined ? {} : { error })}
    >
      <Textarea
        rows={Math.min(8, Math.max(3, text.split('\n').length))}
        className="font-mono text-sm"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={event => onText(event.target.value)}
      />
    </Field>
  )
}

/** Afterwards, what was not simply done comes first. */
function linesOf<Row extends BulkRow>(
  rows: readonly Row[],
  outcomes: Outcomes,
  isOver: boolean,
): readonly Row[] {
  if (rows.length <= mostLines) return rows
  const isDone = ({ _id }: Row) => outcomes.get(_id)?.state === 'done'
  const ordered = isOver ? [...rows.filter(row => !isDone(row)), ...rows.filter(isDone)] : rows
  return ordered.slice(0, mostLines)
}

function retryWords(rows: readonly BulkRow[], outcomes: Outcomes): string {
  const isUnsent = rows.some(({ _id }) => !outcomes.has(_id))
  return isUnsent ? t('Continue') : t('Retry those without an answer')
}

function Progress({ rows, outcomes }: { rows: readonly BulkRow[]; outcomes: Outcomes }) {
  const id = useId()
  const answered = [...outcomes.values()].filter(({ state }) => state !== 'running').length
  return (
    <p className="mt-4 grid gap-1.5 text-sm">
      <label htmlFor={id}>
        {t('{answered, number} of {all, number} processed', { answered, all: rows.length })}
      </label>
      <progress id={id} className="w-full accent-accent" max={rows.length} value={answered} />
    </p>
  )
}

function sumOf(rows: readonly BulkRow[]): bigint {
  return rows.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)
}

const outcomeWords: Record<Outcome['state'], [Tone, () => string]> = {
  running: ['plain', () => t('Running', {}, 'a record in a bulk action')],
  done: ['good', () => t('Done', {}, 'a record in a bulk action')],
  first: ['wait', () => t('Waiting', {}, 'a record in a bulk action')],
  refused: ['bad', () => t('Refused', {}, 'a record in a bulk action')],
  unclear: ['wait', () => t('No answer', {}, 'a record in a bulk action')],
}

type LineProps<Row> = { row: Row; name: string; action: BulkAction<Row>; outcome: Outcome | undefined }

function Line<Row extends BulkRow>({ row, name, action, outcome }: LineProps<Row>) {
  const [tone, state] = outcome ? outcomeWords[outcome.state] : []
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 border-rule py-3 not-first:border-t">
      <span className="grid gap-0.5">
        <span className="font-medium">{name}</span>
        <span className="text-ink-soft text-sm">
          <PersonName row={row} />
        </span>
        {action.detail && <span className="wrap-anywhere text-sm">{action.detail(row)}</span>}
      </span>
      <span className="ms-auto grid justify-items-end gap-0.5">
        <span className="tabular-nums">
          <Usd value={row.amount} />
        </span>
        <span className="text-ink-faint text-xs">{action.moves(row)}</span>
      </span>
      {tone && state && (
        <span className="flex w-full flex-wrap items-center gap-2 text-sm">
          <Badge tone={tone}>{state()}</Badge>
          {outcome?.words}
        </span>
      )}
    </li>
  )
}
