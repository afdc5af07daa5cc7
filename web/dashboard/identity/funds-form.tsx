import { useState } from 'react'
import { type FundsDetails, type IdentityFile, sendFunds } from '#shared/contract/identity.ts'
import { parseTypedUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import {
  experienceLabels,
  experiences,
  filesFor,
  fundsSourceLabels,
  fundsSources,
  lossBearings,
  lossLabels,
} from '#shared/identity.ts'
import { mostFundsFiles } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'
import { useMutation } from '#web/api/mutation.ts'
import { readAmount } from '#web/dashboard/typed-amount.ts'
import { Field } from '#web/ui/field.tsx'
import { FieldGroup } from '#web/ui/field-group.tsx'
import { focusHomeHere } from '#web/ui/focus-home.ts'
import {
  Form,
  FormRefusal,
  fieldError,
  mergeErrors,
  missing,
  SubmitButton,
  type ValidationError,
} from '#web/ui/form.tsx'
import { Input, MoneyInput, RadioTile, Select, Textarea } from '#web/ui/input.tsx'
import type { Begun } from './begun.tsx'
import { forgetDraft, keepDraft } from './draft.ts'
import { FileField } from './file-field.tsx'
import { idsToKeep, missingFiles } from './missing-files.ts'

const answers = ['occupation', 'source', 'explanation', 'yearly', 'experience', 'loss'] as const
const fields = [...answers, 'funds', 'uploading'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values, files: readonly IdentityFile[]): ValidationError | undefined {
  const { error } = readAmount(values.yearly)
  return mergeErrors(
    missing(values, answers, t('All fields are required')),
    error === undefined ? undefined : fieldError('yearly', error),
    missingFiles(filesFor({ kind: 'funds' }), files, values.uploading),
  )
}

/** Where the investor's money comes from, and whether investing here suits them. */
export function FundsForm({ files, begun }: { files: readonly IdentityFile[]; begun: Begun }) {
  const { answers: before } = begun
  const [kept, setKept] = useState(begun.kept)
  const [loss, setLoss] = useState(before.loss)
  const { run, pending, error } = useMutation(sendFunds, {
    onSuccess: () => {
      forgetDraft('funds')
      focusHomeHere()?.focus()
    },
  })
  return (
    <Form
      fields={fields}
      check={values => check(values, [...files, ...kept])}
      onSubmit={values => run({ body: { ...bodyOf(values), kept: idsToKeep(kept, files, ['funds']) } })}
      onInput={({ currentTarget }) => keepDraft('funds', currentTarget as HTMLFormElement, answers)}
      pending={pending}
      error={error}
    >
      <Field name="occupation" label={t('Occupation')}>
        <Input autoComplete="organization-title" maxLength={120} defaultValue={before.occupation} />
      </Field>
      <Field name="source" label={t('Where most of the money comes from')}>
        <Select defaultValue={before.source ?? ''}>
          <option value="">{t('Choose a source')}</option>
          {fundsSources.map(source => (
            <option key={source} value={source}>
              {translate(fundsSourceLabels[source])}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        name="explanation"
        label={t('Explanation')}
        hint={t('For example what you sold, when, and for how much.')}
      >
        <Textarea rows={4} maxLength={2000} defaultValue={before.explanation} />
      </Field>
      <Field name="yearly" label={t('How much you expect to invest in a year (USD)')}>
        <MoneyInput defaultValue={before.yearly} />
      </Field>
      <Choices
        name="experience"
        legend={t('How often have you invested in something that can lose money?')}
        options={experiences.map(value => [value, translate(experienceLabels[value])])}
        before={before.experience}
      />
      <div className="grid gap-2">
        <Choices
          name="loss"
          legend={t('What if you lost everything that you invest here?')}
          options={lossBearings.map(value => [value, translate(lossLabels[value])])}
          before={before.loss}
          onChoice={setLoss}
        />
        <div role="status">
          {loss === 'ruinous' && (
            <p className="border-bad border-s-4 bg-bad-soft px-4 py-3 text-sm">
              {t(
                'Investments here can lose money. Please do not invest money that you need. You can withdraw your balance at any time.',
              )}
            </p>
          )}
        </div>
      </div>
      <FileField
        kind="funds"
        hint={t('Such as a payslip, a bank statement or a contract of sale; up to {most} files.', {
          most: mostFundsFiles,
        })}
        files={files.filter(({ kind }) => kind === 'funds')}
        kept={kept}
        onRemoveKept={id => setKept(all => all.filter(({ _id }) => _id !== id))}
      />
      <FormRefusal />
      <SubmitButton className="justify-self-start">{t('Send for checking')}</SubmitButton>
    </Form>
  )
}

function bodyOf({ funds: _funds, uploading: _uploading, yearly, ...rest }: Values): FundsDetails {
  return { ...rest, yearly: usdToJson(parseTypedUsd(yearly)!) } as FundsDetails
}

type ChoicesProps = {
  name: string
  legend: string
  options: readonly (readonly [value: string, label: string])[]
  before: string | undefined
  onChoice?: (value: string) => void
}

function Choices({ name, legend, options, before, onChoice }: ChoicesProps) {
  return (
    <FieldGroup legend={legend} name={name} className="gap-2">
      {isInvalid =>
        options.map(([value, label]) => (
          <RadioTile
            key={value}
            name={name}
            value={value}
            defaultChecked={value === before}
            aria-invalid={isInvalid}
            onChange={() => onChoice?.(value)}
          >
            {label}
          </RadioTile>
        ))
      }
    </FieldGroup>
  )
}
