import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { entryLimits, type FirmList, firmLists, sectorDrawings } from '#shared/firm-texts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Input, Select, Textarea } from '#web/ui/input.tsx'
import { drawingName, type Entry, emptyEntry, entryLabels, entryName } from './texts-form.ts'

const additions: Record<FirmList, string> = {
  values: msg('Add a value'),
  services: msg('Add a service'),
  sectors: msg('Add a sector'),
  questions: msg('Add a question'),
}

type TextListProps = { list: FirmList; entries: readonly Entry[]; onChange: (entries: Entry[]) => void }

/** Edits a list: adds, moves and removes entries. */
export function TextList({ list, entries, onChange }: TextListProps) {
  const { label, max } = firmLists[list]
  const items = useRef<HTMLOListElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const [added, setAdded] = useState(0)
  useEffect(() => {
    if (added > 0) items.current?.lastElementChild?.querySelector('input')?.focus()
  }, [added])

  function move(place: number, by: 1 | -1) {
    onChange(entries.toSpliced(place, 1).toSpliced(place + by, 0, entries[place]!))
  }
  function remove(place: number) {
    onChange(entries.toSpliced(place, 1))
    addButton.current?.focus()
  }
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 font-medium">{translate(label)}</legend>
      <ol ref={items} className="grid gap-4 empty:hidden">
        {entries.map((entry, place) => {
          const name = entryName(list, place + 1)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: every field is controlled, and its place is its name.
            <li key={place} className="grid gap-4 rounded-md border border-rule p-4">
              <div className="flex items-center justify-between gap-4">
                <span className="text-ink-soft text-sm first-letter:uppercase">{name}</span>
                <span className="flex">
                  <IconButton
                    label={t('Move {name} up', { name })}
                    disabled={place === 0}
                    onClick={() => move(place, -1)}
                  >
                    <ArrowUp aria-hidden="true" />
                  </IconButton>
                  <IconButton
                    label={t('Move {name} down', { name })}
                    disabled={place === entries.length - 1}
                    onClick={() => move(place, 1)}
                  >
                    <ArrowDown aria-hidden="true" />
                  </IconButton>
                  <IconButton label={t('Remove {name}', { name })} onClick={() => remove(place)}>
                    <Trash2 aria-hidden="true" />
                  </IconButton>
                </span>
              </div>
              <EntryFields
                path={`texts.${list}.${place}`}
                entry={entry}
                isSector={list === 'sectors'}
                onChange={change => onChange(entries.with(place, { ...entry, ...change }))}
              />
            </li>
          )
        })}
      </ol>
      <Button
        ref={addButton}
        tone="quiet"
        size="sm"
        className="justify-self-start"
        disabled={entries.length === max}
        onClick={() => {
          onChange([...entries, emptyEntry(list)])
          setAdded(added + 1)
        }}
      >
        <Plus aria-hidden="true" />
        {translate(additions[list])}
      </Button>
    </fieldset>
  )
}

type EntryFieldsProps = {
  /** 'texts.values.0' */
  path: string
  entry: Entry
  isSector: boolean
  onChange: (change: Entry) => void
}

function EntryFields({ path, entry, isSector, onChange }: EntryFieldsProps) {
  const common = { path, entry, onChange }
  if (!isSector) {
    return (
      <>
        <EntryField name="title" max={entryLimits.title} {...common} />
        <EntryField name="text" max={entryLimits.text} rows={3} {...common} />
      </>
    )
  }
  const points = t('One per line, at most {count, number}.', { count: entryLimits.points })
  return (
    <>
      <EntryField name="title" max={entryLimits.title} {...common} />
      <EntryField name="brief" max={entryLimits.brief} rows={2} {...common} />
      <EntryField name="text" max={entryLimits.sectorText} rows={4} optional {...common} />
      <EntryField name="seek" hint={points} rows={3} optional {...common} />
      <EntryField name="avoid" hint={points} rows={3} optional {...common} />
      <EntryField name="evidence" max={entryLimits.brief} rows={2} optional {...common} />
      <Field name={`${path}.drawing`} label={translate(entryLabels.drawing!)} optional>
        <Select value={entry.drawing} onChange={event => onChange({ drawing: event.target.value })}>
          <option value="">{t('None', {}, 'no drawing')}</option>
          {sectorDrawings.map(name => (
            <option key={name} value={name}>
              {drawingName(name)}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}

type EntryFieldProps = Omit<EntryFieldsProps, 'isSector'> & {
  name: string
  hint?: string
  max?: number
  /** For multi-line texts. */
  rows?: number
  optional?: boolean
}

function EntryField({ path, entry, onChange, name, hint, max, rows, optional }: EntryFieldProps) {
  const control = {
    value: entry[name] ?? '',
    maxLength: max,
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  }
  return (
    <Field name={`${path}.${name}`} label={translate(entryLabels[name]!)} hint={hint} optional={optional}>
      {rows === undefined ? <Input autoComplete="off" {...control} /> : <Textarea rows={rows} {...control} />}
    </Field>
  )
}
