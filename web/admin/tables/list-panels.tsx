import { type ReactNode, useId } from 'react'
import { t, translate } from '#shared/i18n/t.ts'
import { DayInput, Part } from '#web/components/day-input.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox, Select } from '#web/ui/input.tsx'
import { readAmount, writeAmount } from './amount-text.ts'
import type { ColumnChoice, ListColumn } from './columns.ts'
import { DebouncedInput } from './debounced-input.tsx'
import { type FilterField, type ListFilter, partsOf, rangeErrors, type SortOption } from './list-filter.ts'

function Panel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="mb-4 grid gap-4 rounded-md border border-rule bg-sunken p-4">
      <legend className="sr-only">{label}</legend>
      {children}
    </fieldset>
  )
}

type FilterPanelProps = {
  of: string
  filter: ListFilter
  fields: readonly FilterField[]
  sorts: readonly SortOption[]
}

/** Filters and sort order, applied at once. */
export function FilterPanel({ of, filter, fields, sorts }: FilterPanelProps) {
  const errors = rangeErrors(filter.values)
  return (
    <Panel label={t('Filter and sort {records}', { records: of })}>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4">
        {fields.map(field => (
          <FieldParts key={field.label} field={field} filter={filter} />
        ))}
        {sorts.length > 0 && <SortPart filter={filter} sorts={sorts} />}
      </div>
      {errors.map(words => (
        <p key={words} role="alert" className="text-bad text-sm">
          {translate(words)}
        </p>
      ))}
      {filter.fieldsSet > 0 && (
        <Button
          tone="plain"
          size="sm"
          className="justify-self-start"
          onClick={() => filter.change(Object.fromEntries(fields.flatMap(partsOf).map(part => [part, ''])))}
        >
          {t('Clear filters')}
        </Button>
      )}
    </Panel>
  )
}

function FieldParts({ field, filter: { values, change } }: { field: FilterField; filter: ListFilter }) {
  const { label } = field
  switch (field.kind) {
    case 'period':
      return (
        <>
          <Part label={t('{field} from', { field: label }, 'a day')}>
            <DayInput day={values.from || undefined} onDay={day => change({ from: day ?? '' })} />
          </Part>
          <Part label={t('{field} to', { field: label }, 'a day')}>
            <DayInput day={values.to || undefined} onDay={day => change({ to: day ?? '' })} />
          </Part>
        </>
      )
    case 'amount':
      return (
        <>
          <AmountPart
            label={t('{field} from', { field: label }, 'an amount')}
            value={values.amountFrom}
            onValue={amountFrom => change({ amountFrom })}
          />
          <AmountPart
            label={t('{field} to', { field: label }, 'an amount')}
            value={values.amountTo}
            onValue={amountTo => change({ amountTo })}
          />
        </>
      )
    case 'choice':
      return (
        <Part label={label}>
          <Select value={values[field.part]} onChange={event => change({ [field.part]: event.target.value })}>
            <option value="">{field.all}</option>
            {field.options.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        </Part>
      )
  }
}

type AmountPartProps = { label: string; value: string; onValue: (value: string) => void }

/** The error stands below the field, outside its label. */
function AmountPart({ label, ...props }: AmountPartProps) {
  const id = useId()
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="font-medium text-sm">
        {label}
      </label>
      <DebouncedInput
        id={id}
        inputMode="decimal"
        placeholder="$"
        className="tabular-nums"
        read={readAmount}
        write={writeAmount}
        error={t('Enter an amount in dollars, above 0')}
        {...props}
      />
    </div>
  )
}

function SortPart({ filter, sorts }: { filter: ListFilter; sorts: readonly SortOption[] }) {
  return (
    <Part label={t('Sort by')}>
      <Select value={filter.sort} onChange={event => filter.change({ sort: event.target.value })}>
        <option value="">{t('Newest first')}</option>
        {sorts.flatMap(({ key, ascending, descending }) => [
          <option key={key} value={key}>
            {ascending}
          </option>,
          <option key={`-${key}`} value={`-${key}`}>
            {descending}
          </option>,
        ])}
      </Select>
    </Part>
  )
}

type ColumnPanelProps = { of: string; columns: readonly ListColumn<never>[]; choice: ColumnChoice }

/** Choice of visible columns, kept in this browser. */
export function ColumnPanel({ of, columns, choice: { shown, toggle, isOwn, reset } }: ColumnPanelProps) {
  const hint = useId()
  return (
    <Panel label={t('Columns of {records}', { records: of })}>
      <div className="grid grid-cols-2 gap-x-4 sm:grid-cols-3 lg:grid-cols-4">
        {columns.map(({ key, header }) => (
          <Checkbox
            key={key}
            checked={shown.includes(key)}
            aria-disabled={(shown.length === 1 && shown.includes(key)) || undefined}
            aria-describedby={hint}
            onChange={() => toggle(key)}
          >
            {translate(header)}
          </Checkbox>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <p id={hint} className="text-ink-faint text-sm">
          {t('Saved in this browser. At least one column must stay visible.')}
        </p>
        {isOwn && (
          <Button tone="plain" size="sm" onClick={reset}>
            {t('Reset columns')}
          </Button>
        )}
      </div>
    </Panel>
  )
}
