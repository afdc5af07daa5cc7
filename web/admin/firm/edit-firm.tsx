import { type FormEvent, type ReactNode, useState } from 'react'
import { updateFirm } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { legalSentences } from '#shared/firm-texts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { changesBetween } from '#web/admin/versions/changes.ts'
import { unchanged, WhatChanges } from '#web/admin/versions/what-changes.tsx'
import { Field } from '#web/ui/field.tsx'
import { mergeErrors } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'
import {
  type FirmValues,
  fieldNames,
  firmBody,
  firmError,
  firmFields,
  shownValues,
  valuesOf,
} from './firm-form.ts'

const fields = [...firmFields, 'reason'] as const
type Values = FirmValues & { reason: string }

type EditFirmProps = { firm: FirmProfile; version: number; onClose: () => void }

/** Edits the firm's profile and lists the changes before saving. */
export function EditFirm({ firm, version, onClose }: EditFirmProps) {
  const before = valuesOf(firm)
  const [after, setAfter] = useState(before)
  const changesTo = (values: FirmValues) => changesBetween(shownValues(before), shownValues(values))
  function edited({ target }: FormEvent<HTMLDivElement>) {
    const { name, value } = target as HTMLInputElement
    if (name in before) setAfter(current => ({ ...current, [name]: value }))
  }
  function check(values: Values) {
    return mergeErrors(
      firmError(values),
      changesTo(values).length === 0 ? unchanged : undefined,
      reasonError(values),
    )
  }
  return (
    <ActionDialog
      call={updateFirm}
      title={t('Edit firm profile')}
      description={t('Creates version {version}. Public pages and emails show it at once.', {
        version: version + 1,
      })}
      entries={[]}
      fields={fields}
      check={check}
      confirm={t('Create version {version}', { version: version + 1 })}
      input={values => ({
        body: { ...firmBody(values), texts: firm.texts, version, reason: values.reason.trim() },
      })}
      onClose={onClose}
      wide
    >
      <div className="grid gap-8" onInput={edited}>
        <Identity firm={before} />
        <Regulation firm={before} />
        <Reaching firm={before} />
      </div>
      <WhatChanges changes={changesTo(after)} />
      <ReasonField />
    </ActionDialog>
  )
}

type PartProps = { firm: FirmValues }

function Identity({ firm }: PartProps) {
  return (
    <Part legend={t('Identity')}>
      <Line name="productName" of={firm} max={40} autoFocus />
      <Line name="legalName" of={firm} max={120} />
      <Line name="registrationNumber" of={firm} max={80} optional />
      <Line name="streetAddress" of={firm} max={200} />
      <Line name="foundedYear" of={firm} max={4} hint={t('Shown on About us.')} numeric />
      <Line name="onlineSince" of={firm} max={4} hint={t('Shown in the footer.')} numeric />
      <Line name="jurisdictions" of={firm} max={legalSentences.jurisdictions.max} className="sm:col-span-2" />
    </Part>
  )
}

function Regulation({ firm }: PartProps) {
  return (
    <Part
      legend={t('Regulation')}
      note={t(
        'Enter the regulator and licence, or the unregulated-status notice, which every page then shows.',
      )}
    >
      <Line name="regulator" of={firm} max={120} optional />
      <Line name="licence" of={firm} max={80} optional />
      <Line
        name="unregulatedStatement"
        of={firm}
        max={legalSentences.unregulatedStatement.max}
        optional
        className="sm:col-span-2"
      />
    </Part>
  )
}

function Reaching({ firm }: PartProps) {
  return (
    <Part legend={t('Contact and risk')}>
      <Line name="supportEmail" of={firm} max={254} hint={t('Receives contact messages.')} ltr />
      <Line
        name="phones"
        of={firm}
        max={180}
        hint={t('Separate several numbers with commas.')}
        optional
        ltr
      />
      <Field
        name="riskStatement"
        label={translate(fieldNames.riskStatement)}
        hint={t('Shown at the end of every page, after the fixed risk line.')}
        className="sm:col-span-2"
      >
        <Textarea rows={3} maxLength={legalSentences.riskStatement.max} defaultValue={firm.riskStatement} />
      </Field>
    </Part>
  )
}

function Part({ legend, note, children }: { legend: string; note?: string; children: ReactNode }) {
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-3 font-medium">{legend}</legend>
      {note && <p className="text-ink-soft text-sm sm:col-span-2">{note}</p>}
      {children}
    </fieldset>
  )
}

type LineProps = {
  name: keyof FirmValues
  of: FirmValues
  max: number
  hint?: string
  optional?: boolean
  numeric?: boolean
  /** Read from left to right in every language. */
  ltr?: boolean
  autoFocus?: boolean
  className?: string
}

function Line({ name, of, max, hint, optional, numeric, ltr, autoFocus, className }: LineProps) {
  return (
    <Field
      name={name}
      label={translate(fieldNames[name])}
      hint={hint}
      optional={optional}
      className={className}
    >
      <Input
        defaultValue={of[name]}
        maxLength={max}
        autoComplete="off"
        inputMode={numeric ? 'numeric' : undefined}
        autoFocus={autoFocus}
        {...(ltr && { dir: 'ltr', className: 'rtl:text-end' })}
      />
    </Field>
  )
}
