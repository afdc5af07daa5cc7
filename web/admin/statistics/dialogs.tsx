import { type FormEvent, useState } from 'react'
import {
  listStatisticVersions,
  newStatistic,
  restoreStatistic,
  retireStatistic,
  updateStatistic,
  type WrittenStatistic,
} from '#shared/contract/firm.ts'
import { ActDialog } from '#web/admin/acts/act-dialog.tsx'
import type { Action } from '#web/admin/acts/actions.tsx'
import { ReasonDialog } from '#web/admin/acts/reason.tsx'
import { ReasonField, reasonFault } from '#web/admin/acts/reason-field.tsx'
import { versionsAtOnce } from '#web/admin/list-body.tsx'
import { changesBetween } from '#web/admin/versions/changes.ts'
import { VersionHistory } from '#web/admin/versions/history.tsx'
import { HistoryDialog } from '#web/admin/versions/history-dialog.tsx'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { useList } from '#web/api/read.ts'
import { utcToday } from '#web/components/days.ts'
import { Field } from '#web/ui/field.tsx'
import { together } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import {
  type FigureValues,
  figureBody,
  figureFault,
  figureFields,
  shownValues,
  valuesOf,
} from './figure-form.ts'

const fields = [...figureFields, 'reason'] as const
type Values = FigureValues & { reason: string }

/** Enters a figure for the public site, with what proves it (D1.3). */
export function AddFigure({ onClose }: { onClose: () => void }) {
  return (
    <ActDialog
      call={newStatistic}
      title="Add a figure"
      description="The home page shows it at once, with its source and its day."
      entries={[]}
      fields={fields}
      check={(values: Values) => together(figureFault(values), reasonFault(values))}
      confirm="Add figure"
      input={values => ({ body: { ...figureBody(values), reason: values.reason.trim() } })}
      onClose={onClose}
    >
      <Fields of={valuesOf()} />
      <ReasonField />
    </ActDialog>
  )
}

type OneProps = { figure: WrittenStatistic; onClose: () => void }

function EditFigure({ figure, onClose }: OneProps) {
  const before = valuesOf(figure)
  const [after, setAfter] = useState(before)
  const changesTo = (values: FigureValues) => changesBetween(shownValues(before), shownValues(values))
  function edited({ target }: FormEvent<HTMLDivElement>) {
    const { name, value } = target as HTMLInputElement
    if (name in before) setAfter(current => ({ ...current, [name]: value }))
  }
  return (
    <ActDialog
      call={updateStatistic}
      title={`Edit ${figure.label}`}
      description={`Makes version ${figure.version + 1}, which the home page shows at once.`}
      entries={[]}
      fields={fields}
      check={(values: Values) =>
        together(
          figureFault(values),
          changesTo(values).length === 0 ? unchanged : undefined,
          reasonFault(values),
        )
      }
      confirm={`Make version ${figure.version + 1}`}
      input={values => ({
        params: { id: figure._id },
        body: { ...figureBody(values), version: figure.version, reason: values.reason.trim() },
      })}
      onClose={onClose}
    >
      <div onInput={edited}>
        <Fields of={before} />
      </div>
      <WhatChanges changes={changesTo(after)} />
      <ReasonField />
    </ActDialog>
  )
}

function Fields({ of }: { of: FigureValues }) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field name="label" label="Label" hint="What is counted.">
        <Input defaultValue={of.label} maxLength={60} autoComplete="off" autoFocus />
      </Field>
      <Field name="value" label="Value" hint="As the page shows it.">
        <Input defaultValue={of.value} maxLength={20} autoComplete="off" />
      </Field>
      <Field
        name="source"
        label="Source"
        hint="Where it comes from; shown beside it."
        className="sm:col-span-2"
      >
        <Input defaultValue={of.source} maxLength={200} autoComplete="off" />
      </Field>
      <Field
        name="evidence"
        label="Evidence"
        hint="A link (https://…), which the page then leads to, or a reference."
        className="sm:col-span-2"
      >
        <Input defaultValue={of.evidence} maxLength={500} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="asOf" label="As of" hint="The day on which it was true.">
        <Input type="date" defaultValue={of.asOf} max={utcToday()} />
      </Field>
    </div>
  )
}

function Retire({ figure, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={retireStatistic}
      reader="log"
      title={`Take ${figure.label} off the site?`}
      description="The home page does not show it any more. It can be put back."
      entries={[['Value', figure.value]]}
      confirm="Take off the site"
      tone="danger"
      input={reason => ({ params: { id: figure._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function Restore({ figure, onClose }: OneProps) {
  return (
    <ReasonDialog
      call={restoreStatistic}
      reader="log"
      title={`Put ${figure.label} back on the site?`}
      description="The home page shows it again, as it was."
      entries={[
        ['Value', figure.value],
        ['Source', figure.source],
        ['As of', figure.asOf],
      ]}
      confirm="Put back"
      input={reason => ({ params: { id: figure._id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function History({ figure, onClose }: OneProps) {
  const list = useList(listStatisticVersions, { limit: versionsAtOnce }, { params: { id: figure._id } })
  return (
    <HistoryDialog title={figure.label} onClose={onClose}>
      <VersionHistory
        list={list}
        valuesOf={version => shownValues(valuesOf(version))}
        origin="from the sample"
      />
    </HistoryDialog>
  )
}

/** What may be done with a figure. */
export function figureActions(figure: WrittenStatistic): Action[] {
  const of = figure.label
  const edit: Action = {
    label: 'Edit',
    call: updateStatistic,
    of,
    blocked: figure.kind === 'sample' ? 'A sample is not edited' : undefined,
    dialog: close => <EditFigure figure={figure} onClose={close} />,
  }
  const retire: Action = {
    label: 'Take off',
    call: retireStatistic,
    of,
    dialog: close => <Retire figure={figure} onClose={close} />,
  }
  const restore: Action = {
    label: 'Put back',
    call: restoreStatistic,
    of,
    dialog: close => <Restore figure={figure} onClose={close} />,
  }
  const history: Action = {
    label: 'History',
    call: listStatisticVersions,
    of: `of ${of}`,
    dialog: close => <History figure={figure} onClose={close} />,
  }
  if (!figure.shown) return [restore, history]
  return figure.kind === 'sample' ? [retire, history] : [edit, retire, history]
}
