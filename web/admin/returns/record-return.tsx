import { useRef, useState } from 'react'
import { newReturn, returnSummary } from '#shared/contract/returns.ts'
import { evidenceKind, noEvidence } from '#shared/evidence.ts'
import { formatUsd, parseUsd, usdFromJson, usdToJson } from '#shared/money.ts'
import { type Act, useAct } from '#web/api/act.ts'
import { useRead } from '#web/api/read.ts'
import { Day } from '#web/components/when.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Fault, Form, faultAt, missing, SubmitButton, together } from '#web/ui/form.tsx'
import { Input, MoneyInput } from '#web/ui/input.tsx'

const fields = ['amount', 'source', 'realisedAt', 'evidence'] as const
type Values = Record<(typeof fields)[number], string>
type Draft = { amountCents: bigint; source: string; realisedAt: string; evidence: string }

const allRequired = 'All fields are required'
const noAmount = 'Enter an amount in dollars, like 25,000.00'
const inFuture = (day: string) => `The date cannot be in the future; today is ${day} (UTC)`

/** What can be seen without the server is told before anything is asked to be confirmed. */
function check(values: Values): Fault | undefined {
  const { amount, realisedAt, evidence } = values
  const cents = parseUsd(amount)
  return together(
    missing(values, fields, allRequired),
    cents === undefined || cents <= 0n ? faultAt('amount', noAmount) : undefined,
    realisedAt > today() ? faultAt('realisedAt', inFuture(today())) : undefined,
    evidenceKind(evidence.trim()) ? undefined : faultAt('evidence', noEvidence),
  )
}

/** Today as the server counts it, in UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/**
 * Records a return that the firm has realised (N-11): what is in the form is shown once more before it is recorded,
 * since a record cannot be changed afterwards.
 */
export function RecordReturn() {
  const [draft, setDraft] = useState<Draft>()
  const [recorded, setRecorded] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const act = useAct(newReturn, {
    onSuccess() {
      setDraft(undefined)
      setRecorded(recorded + 1)
    },
  })
  function ask({ amount, source, realisedAt, evidence }: Values) {
    setDraft({
      amountCents: parseUsd(amount)!,
      source: source.trim(),
      realisedAt,
      evidence: evidence.trim(),
    })
  }
  return (
    <div ref={place}>
      <Form
        key={recorded}
        fields={fields}
        check={check}
        onSubmit={ask}
        pending={act.pending}
        error={act.error}
        className="max-w-3xl sm:grid-cols-2"
      >
        <Field name="amount" label="Amount" hint="In US dollars.">
          <MoneyInput />
        </Field>
        <Field name="realisedAt" label="Date" hint="The day on which it was realised.">
          <Input type="date" max={today()} />
        </Field>
        <Field name="source" label="Source" hint="What the firm earned it on." className="sm:col-span-2">
          <Input maxLength={200} autoComplete="off" />
        </Field>
        <Field
          name="evidence"
          label="Evidence"
          hint="A link (https://…) or a transaction id."
          className="sm:col-span-2"
        >
          <Input maxLength={500} autoComplete="off" spellCheck={false} />
        </Field>
        <div>
          <SubmitButton>Record return</SubmitButton>
        </div>
      </Form>
      {draft && (
        <ConfirmRecord
          draft={draft}
          act={act}
          onClose={() => setDraft(undefined)}
          focusAfter={() => backInto(place.current)}
        />
      )}
    </div>
  )
}

/** The field that the server refused, else the first: the button that asked may be of a form that is gone. */
function backInto(form: HTMLElement | null): HTMLElement | undefined {
  const fields = (selector: string) => form?.querySelector<HTMLElement>(selector)
  return fields('[aria-invalid]') ?? fields('input') ?? undefined
}

type ConfirmRecordProps = {
  draft: Draft
  act: Act<typeof newReturn>
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

function ConfirmRecord({ draft, act, onClose, focusAfter }: ConfirmRecordProps) {
  const { amountCents, ...words } = draft
  const { data } = useRead(returnSummary, {})
  const left = data && usdFromJson(data.left)
  async function record() {
    const done = await act.run({ body: { ...words, amount: usdToJson(amountCents) } })
    // What the server finds wrong is shown at the fields behind the dialog.
    if (!done) onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Record this return?"
      confirm="Record return"
      onConfirm={() => void record()}
      pending={act.pending}
      focusAfter={focusAfter}
    >
      <p className="mb-4 text-sm">
        It cannot be changed afterwards, and investors see its source with their earnings.
      </p>
      <DescriptionList
        entries={[
          ['Amount', formatUsd(amountCents)],
          ['Source', words.source],
          ['Date', <Day key="date" on={words.realisedAt} />],
          ['Evidence', words.evidence],
          ['Left to pay earnings from, now', left === undefined ? '—' : formatUsd(left)],
          ['Left after it', left === undefined ? '—' : formatUsd(left + amountCents)],
        ]}
      />
    </ConfirmDialog>
  )
}
