import { useState } from 'react'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { ReasonField } from '#web/admin/actions/reason-field.tsx'
import { PersonName } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import { type Outcome, resultOf, useApprovals } from './approvals.ts'
import { type Bulk, type BulkRow, countOf } from './bulk.tsx'

type BulkDialogProps<Row> = { bulk: Bulk<Row>; rows: readonly Row[]; onClose: () => void }

/** Confirms several approvals with their total, then shows the outcome of each. */
export function BulkDialog<Row extends BulkRow>({ bulk, rows, onClose }: BulkDialogProps<Row>) {
  const [home] = useState(focusHomeHere)
  const [reason, setReason] = useState('')
  const { outcomes, isRunning, isOver, run } = useApprovals(bulk, rows)
  const unclear = rows.filter(({ _id }) => outcomes[_id]?.state === 'unclear').length
  return (
    <Dialog
      open
      // Stay open while running, to keep the outcomes.
      onClose={() => !isRunning && onClose()}
      title={isOver ? resultOf(rows, outcomes, bulk) : `Approve ${countOf(rows.length, bulk)}?`}
      description={
        isOver
          ? 'Each is processed separately. Refused items are unchanged.'
          : `${bulk.note ?? ''} Each is processed separately: a refusal does not affect the others.`.trim()
      }
      wide
      focusAfter={() => home}
    >
      <ul className="max-h-[50dvh] overflow-y-auto border-rule border-y" aria-label={bulk.many}>
        {rows.map(row => (
          <Line key={row._id} row={row} bulk={bulk} outcome={outcomes[row._id]} />
        ))}
      </ul>
      <p className="mt-4 flex items-baseline justify-between gap-4">
        <span className="text-ink-soft">Total</span>
        <strong className="font-semibold text-lg tabular-nums">{formatUsd(sumOf(rows))}</strong>
      </p>
      {/* A retry must be the same request (B-06), so the reason is fixed once sent. */}
      {!isRunning && !isOver && (
        <div className="mt-4">
          <ReasonField reader="investor" optional onText={setReason} />
        </div>
      )}
      <p role="status" className="sr-only">
        {isRunning ? 'Approving' : isOver ? resultOf(rows, outcomes, bulk) : ''}
      </p>
      <DialogActions>
        <Button tone="quiet" disabled={isRunning} onClick={onClose}>
          {isOver ? 'Close' : 'Cancel'}
        </Button>
        {(!isOver || unclear > 0) && (
          <Button busy={isRunning} onClick={() => run(reason)}>
            {isOver ? 'Retry those without an answer' : `Approve ${countOf(rows.length, bulk)}`}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

function sumOf(rows: readonly BulkRow[]): bigint {
  return rows.reduce((sum, { amount }) => sum + usdFromJson(amount)!, 0n)
}

const tones: Record<Outcome['state'], [Tone, string]> = {
  running: ['plain', 'Approving'],
  done: ['good', 'Done'],
  first: ['wait', 'Waiting'],
  refused: ['bad', 'Refused'],
  unclear: ['wait', 'No answer'],
}

type LineProps<Row> = { row: Row; bulk: Bulk<Row>; outcome: Outcome | undefined }

function Line<Row extends BulkRow>({ row, bulk, outcome }: LineProps<Row>) {
  const [tone, state] = outcome ? tones[outcome.state] : []
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 border-rule py-3 not-first:border-t">
      <span className="grid gap-0.5">
        <span className="font-medium">{row.invoiceId}</span>
        <span className="text-ink-soft text-sm">
          <PersonName row={row} />
        </span>
        {bulk.detail && <span className="wrap-anywhere text-sm">{bulk.detail(row)}</span>}
      </span>
      <span className="ml-auto grid justify-items-end gap-0.5">
        <span className="tabular-nums">
          <Usd value={row.amount} />
        </span>
        <span className="text-ink-faint text-xs">{bulk.moves(row)}</span>
      </span>
      {tone && state && (
        <span className="flex w-full flex-wrap items-center gap-2 text-sm">
          <Badge tone={tone}>{state}</Badge>
          {outcome?.words}
        </span>
      )}
    </li>
  )
}
