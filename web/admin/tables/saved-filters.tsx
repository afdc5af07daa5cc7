import { X } from 'lucide-react'
import { useState } from 'react'
import {
  type FilteredList,
  listFilters,
  removeFilter,
  type SavedFilter,
  saveFilter,
} from '#shared/contract/filters.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { longestFilterName } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { tr } from '#web/tr.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { DialogFormEnd } from '#web/ui/dialog-form-end.tsx'
import { Field } from '#web/ui/field.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { Form, missing } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { type ListFilter, noValues, searchOf } from './list-filter.ts'
import { listName } from './list-names.ts'

type SavedFiltersProps = { list: FilteredList; filter: ListFilter }

/** The user's saved filters of a list, to apply, add to and delete. */
export function SavedFilters({ list, filter }: SavedFiltersProps) {
  const { data: saved = [] } = useRead(listFilters, { query: { list } })
  const [open, setOpen] = useState<'save' | SavedFilter>()
  const current = searchOf(filter)
  const isSaved = saved.some(one => searchOfSaved(one) === current)
  const close = () => setOpen(undefined)
  if (saved.length === 0 && current === '') return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields.
    <div
      role="group"
      aria-label={t('Saved filters of {records}', { records: listName(list) })}
      className="mb-4 flex flex-wrap items-center gap-2 outline-none"
      {...focusHome}
    >
      {saved.map(one => (
        <Chip
          key={one._id}
          saved={one}
          isOn={searchOfSaved(one) === current}
          onPress={on => filter.change(on ? { ...noValues, ...one.values } : noValues)}
          onDelete={() => setOpen(one)}
        />
      ))}
      {current !== '' && !isSaved && (
        <Button tone="plain" size="sm" onClick={() => setOpen('save')}>
          {t('Save filter')}
        </Button>
      )}
      {open === 'save' && <SaveDialog list={list} filter={filter} onClose={close} />}
      {open !== undefined && open !== 'save' && <DeleteDialog saved={open} onClose={close} />}
    </div>
  )
}

function searchOfSaved({ values }: SavedFilter): string {
  return searchOf({ values: { ...noValues, ...values } })
}

type ChipProps = {
  saved: SavedFilter
  isOn: boolean
  onPress: (on: boolean) => void
  onDelete: () => void
}

function Chip({ saved: { name }, isOn, onPress, onDelete }: ChipProps) {
  return (
    <span
      className={cx(
        'inline-flex max-w-full items-center rounded-sm border border-edge',
        isOn ? 'bg-accent-soft text-accent' : 'bg-surface',
      )}
    >
      <button
        type="button"
        aria-pressed={isOn}
        onClick={() => onPress(!isOn)}
        className="min-h-11 wrap-anywhere rounded-sm py-1 ps-3 text-start text-sm"
      >
        <bdi>{name}</bdi>
      </button>
      <IconButton label={t('Delete the filter {name}', { name })} onClick={onDelete}>
        <X aria-hidden="true" />
      </IconButton>
    </span>
  )
}

const fields = ['name'] as const
const noName = msg('Enter a name')

function SaveDialog({ list, filter, onClose }: SavedFiltersProps & { onClose: () => void }) {
  const { run, pending, error } = useMutation(saveFilter, { onSuccess: onClose })
  const values = Object.fromEntries(Object.entries(filter.values).filter(([, value]) => value !== ''))
  return (
    <Dialog open onClose={onClose} title={t('Save filter')}>
      <Form
        fields={fields}
        check={(typed: { name: string }) => missing(typed, fields, translate(noName), translate(noName))}
        onSubmit={({ name }) => run({ body: { list, name: name.trim(), values } })}
        pending={pending}
        error={error}
      >
        <Field
          name="name"
          label={t('Name')}
          hint={t('Only you see it. It replaces a filter with the same name.')}
        >
          <Input maxLength={longestFilterName} autoComplete="off" dir="auto" data-takes-focus="" />
        </Field>
        <DialogFormEnd onCancel={onClose}>{t('Save filter')}</DialogFormEnd>
      </Form>
    </Dialog>
  )
}

function DeleteDialog({ saved: { _id, name }, onClose }: { saved: SavedFilter; onClose: () => void }) {
  return (
    <ConfirmCall
      call={removeFilter}
      input={{ params: { id: _id } }}
      title={t('Delete this filter?')}
      confirm={t('Delete filter')}
      tone="danger"
      onClose={onClose}
    >
      {tr('“{name}” will be removed from your saved filters. No records change.', {
        name: <bdi>{name}</bdi>,
      })}
    </ConfirmCall>
  )
}
