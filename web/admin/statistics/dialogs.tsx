import { type FormEvent, useState } from 'react'
import {
  listStatisticVersions,
  newStatistic,
  restoreStatistic,
  retireStatistic,
  updateStatistic,
  type WrittenStatistic,
} from '#shared/contract/firm.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { versionsAtOnce } from '#web/admin/tables/list-body.tsx'
import { changesBetween } from '#web/admin/versions/changes.ts'
import { VersionHistory } from '#web/admin/versions/history.tsx'
import { HistoryDialog } from '#web/admin/versions/history-dialog.tsx'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { useList } from '#web/api/list.ts'
import { utcToday } from '#web/components/days.ts'
import { Field } from '#web/ui/field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import {
  type FigureValues,
  figureBody,
  figureError,
  figureFields,
  shownValues,
  valuesOf,
} from './figure-form.ts'

const fields = [...figureFields, 'reason'] as const
type Values = FigureValues & { reason: string }

/** Adds a figure with its evidence (D1.3). */
export function AddFigure({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={newStatistic}
      title={t('Add a figure')}
      description={t('The home page shows it at once, with its source and date.')}
      entries={[]}
      fields={fields}
      check={(values: Values) => mergeErrors(figureError(values), reasonError(values))}
      confirm={t('Add figure')}
      input={values => ({ body: { ...figureBody(values), reason: values.reason.trim() } })}
      onClose={onClose}
    >
      <Fields of={valuesOf()} />
      <ReasonField />
    </ActionDialog>
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
    <ActionDialog
      call={updateStatistic}
      title={t('Edit {name}', { name: figure.label })}
      description={t('Creates version {version}, shown on the home page at once.', {
        version: figure.version + 1,
      })}
      entries={[]}
      fields={fields}
      check={(values: Values) =>
        mergeErrors(
          figureError(values),
          changesTo(values).length === 0 ? unchanged : undefined,
          reasonError(values),
        )
      }
      confirm={t('Create version {version}', { version: figure.version + 1 })}
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
    </ActionDialog>
  )
}

function Fields({ of }: { of: FigureValues }) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field name="label" label={t('Label')} hint={t('What is counted.')}>
        <Input defaultValue={of.label} maxLength={60} autoComplete="off" autoFocus />
      </Field>
      <Field name="value" label={t('Value')} hint={t('Exactly as shown on the page.')}>
        <Input defaultValue={of.value} maxLength={20} autoComplete="off" />
      </Field>
      <Field
        name="source"
        label={t('Source', {}, 'of a figure')}
        hint={t('Where it comes from. Shown beside it.')}
        className="sm:col-span-2"
      >
        <Input defaultValue={of.source} maxLength={200} autoComplete="off" />
      </Field>
      <Field
        name="evidence"
        label={t('Evidence')}
        hint={t('A link (https://…), shown on the page, or a reference.')}
        className="sm:col-span-2"
      >
        <Input defaultValue={of.evidence} maxLength={500} dir="auto" autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="asOf" label={t('As of')} hint={t('The date on which it was correct.')}>
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
      title={t('Hide {name}?', { name: figure.label })}
      description={t('The home page stops showing it. You can show it again later.')}
      entries={[[t('Value'), figure.value]]}
      confirm={t('Hide figure')}
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
      title={t('Show {name} again?', { name: figure.label })}
      description={t('The home page shows it again, unchanged.')}
      entries={[
        [t('Value'), figure.value],
        [t('Source', {}, 'of a figure'), figure.source],
        [t('As of'), figure.asOf],
      ]}
      confirm={t('Show figure')}
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
        origin={t('from the sample')}
      />
    </HistoryDialog>
  )
}

/** Actions on a figure. */
export function figureActions(figure: WrittenStatistic): Action[] {
  const of = figure.label
  const edit: Action = {
    label: t('Edit'),
    call: updateStatistic,
    of,
    blocked: figure.kind === 'sample' ? t('Sample figures cannot be edited') : undefined,
    dialog: close => <EditFigure figure={figure} onClose={close} />,
  }
  const retire: Action = {
    label: t('Hide'),
    call: retireStatistic,
    of,
    dialog: close => <Retire figure={figure} onClose={close} />,
  }
  const restore: Action = {
    label: t('Show'),
    call: restoreStatistic,
    of,
    dialog: close => <Restore figure={figure} onClose={close} />,
  }
  const history: Action = {
    label: t('History'),
    call: listStatisticVersions,
    of: t('of {name}', { name: of }, 'after an action'),
    dialog: close => <History figure={figure} onClose={close} />,
  }
  if (!figure.shown) return [restore, history]
  return figure.kind === 'sample' ? [retire, history] : [edit, retire, history]
}
