import { useState } from 'react'
import { confirmAsset, type ReserveDocument, stateAsset, withdrawAsset } from '#shared/contract/reserves.ts'
import { enterUsd, localUsdJson, parseTypedUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'
import { useMutation } from '#web/api/mutation.ts'
import { futureDateError, utcToday } from '#web/components/days.ts'
import { Day } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, fieldError, mergeErrors, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input, MoneyInput } from '#web/ui/input.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'

const states: Record<ReserveDocument['status'], [Tone, string]> = {
  stated: ['wait', msg('Needs a second person')],
  confirmed: ['good', msg('Confirmed')],
  withdrawn: ['plain', msg('Off the list')],
}

/** Assets that are on no network: the SHA-256 of a document stands for each. */
export function OtherAssets({ documents }: { documents: readonly ReserveDocument[] }) {
  return (
    <div className="grid grid-cols-1 gap-8">
      {documents.length === 0 ? (
        <EmptyState>{t('We list no other assets.')}</EmptyState>
      ) : (
        <Table caption={t('Other assets')} columns={columns} rows={documents} keyOf={({ _id }) => _id} />
      )}
      <StateAsset />
    </div>
  )
}

const columns: readonly Column<ReserveDocument>[] = [
  {
    header: msg('Asset'),
    cell: ({ title, source, sha256 }) => (
      <span>
        <bdi>{title}</bdi>
        <span className="wrap-anywhere block text-ink-faint text-xs">
          {tr('{source}; SHA-256 {hash}', {
            source: <bdi>{source}</bdi>,
            hash: <bdi dir="ltr">{sha256}</bdi>,
          })}
        </span>
      </span>
    ),
  },
  { header: msg('Amount'), cell: ({ amount }) => localUsdJson(amount), numeric: true },
  { header: msg('As of'), cell: ({ asOf }) => <Day on={asOf} /> },
  { header: msg('Stated by'), cell: ({ statedByName }) => <bdi>{statedByName}</bdi> },
  { header: msg('State'), cell: document => <State document={document} /> },
]

function State({ document: { _id, status } }: { document: ReserveDocument }) {
  const confirm = useMutation(confirmAsset)
  const withdraw = useMutation(withdrawAsset)
  const [tone, words] = states[status]
  const input = { params: { id: _id }, body: {} }
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={tone}>{translate(words)}</Badge>
      {status === 'stated' && (
        <Button tone="quiet" size="sm" busy={confirm.pending} onClick={() => void confirm.run(input)}>
          {t('Confirm')}
        </Button>
      )}
      {status !== 'withdrawn' && (
        <Button tone="plain" size="sm" busy={withdraw.pending} onClick={() => void withdraw.run(input)}>
          {t('Take off')}
        </Button>
      )}
    </span>
  )
}

const fields = ['title', 'amount', 'asOf', 'sha256', 'source'] as const
type Values = Record<(typeof fields)[number], string>

function check(values: Values) {
  const cents = parseTypedUsd(values.amount)
  return mergeErrors(
    missing(values, fields, t('All fields are required')),
    cents === undefined || cents <= 0n ? fieldError('amount', enterUsd(2_500_000n)) : undefined,
    futureDateError('asOf', values.asOf),
  )
}

function StateAsset() {
  const [done, setDone] = useState(0)
  const { run, pending, error } = useMutation(stateAsset, { onSuccess: () => setDone(done + 1) })
  return (
    <Form
      key={done}
      fields={fields}
      check={check}
      onSubmit={({ amount, ...body }) =>
        void run({ body: { ...body, amount: usdToJson(parseTypedUsd(amount)!) } })
      }
      pending={pending}
      error={error}
      className="max-w-3xl sm:grid-cols-2"
    >
      <Field name="title" label={t('Asset')} hint={t('What it is. Everybody can read this.')}>
        <Input dir="auto" maxLength={200} autoComplete="off" />
      </Field>
      <Field name="source" label={t('Source')} hint={t('Who issued the document.')}>
        <Input dir="auto" maxLength={200} autoComplete="off" />
      </Field>
      <Field name="amount" label={t('Amount')} hint={t('In US dollars.')}>
        <MoneyInput />
      </Field>
      <Field name="asOf" label={t('As of')} hint={t('The day for which the document states the amount.')}>
        <Input type="date" max={utcToday()} />
      </Field>
      <Field
        name="sha256"
        label={t('SHA-256 of the document')}
        hint={t('The document stays with you. Anyone who gets it can compare its hash.')}
        className="sm:col-span-2"
      >
        <Input dir="ltr" maxLength={64} autoComplete="off" spellCheck={false} className="font-mono text-sm" />
      </Field>
      <FormRefusal />
      <div className="sm:col-span-2">
        <SubmitButton tone="quiet">{t('Add this asset')}</SubmitButton>
      </div>
    </Form>
  )
}
