import { useMemo, useRef, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { newReturn, returnSummary, uploadEvidence } from '#shared/contract/returns.ts'
import type { FieldErrors } from '#shared/errors.ts'
import { evidenceKind, evidenceTypes, noEvidence } from '#shared/evidence.ts'
import { enterUsd, localUsd, parseTypedUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { maximumEvidenceBytes } from '#shared/limits.ts'
import { usdFromJson, usdToJson } from '#shared/money.ts'
import { type Mutation, useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { futureDateError, utcToday } from '#web/components/days.ts'
import { FileFacts } from '#web/components/evidence.tsx'
import { Day } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import {
  Form,
  FormRefusal,
  fieldError,
  mergeErrors,
  missing,
  SubmitButton,
  type ValidationError,
} from '#web/ui/form.tsx'
import { Input, MoneyInput } from '#web/ui/input.tsx'

const fields = ['amount', 'source', 'realisedAt', 'evidence'] as const
const formFields = [...fields, 'file'] as const
type Values = Record<(typeof fields)[number], string>
/** A file uploaded as evidence. */
type Uploaded = CallData<typeof uploadEvidence>
type Draft = { amountCents: bigint; source: string; realisedAt: string; evidence: string | Uploaded }

const mostMegabytes = maximumEvidenceBytes / 1024 / 1024

/** Client-side validation before the confirmation. */
function check(values: Values, file: File | undefined): ValidationError | undefined {
  const { amount, realisedAt, evidence } = values
  const cents = parseTypedUsd(amount)
  const needed = file ? fields.filter(name => name !== 'evidence') : fields
  return mergeErrors(
    missing(values, needed, t('All fields are required')),
    cents === undefined || cents <= 0n ? fieldError('amount', noAmount()) : undefined,
    futureDateError('realisedAt', realisedAt),
    file ? fileError(file, evidence) : textError(evidence),
  )
}

function noAmount(): string {
  return enterUsd(2_500_000n)
}

function textError(evidence: string): ValidationError | undefined {
  return evidenceKind(evidence.trim()) ? undefined : fieldError('evidence', translate(noEvidence))
}

function fileError({ type, size }: File, evidence: string): ValidationError | undefined {
  if (evidence.trim() !== '') return fieldError('evidence', t('Leave this empty, or remove the file'))
  if (!evidenceTypes.some(known => known === type)) return fieldError('file', t('Choose a PDF or a PNG'))
  return size > maximumEvidenceBytes
    ? fieldError('file', t('A file can have at most {size}', { size: `${mostMegabytes} MB` }))
    : undefined
}

/**
 * Records a return that the firm has realised (N-11). Asks for confirmation first, since a record cannot be changed.
 */
export function RecordReturn() {
  const [draft, setDraft] = useState<Draft>()
  const [recorded, setRecorded] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const mutation = useMutation(newReturn, {
    onSuccess() {
      setDraft(undefined)
      setRecorded(recorded + 1)
    },
  })
  const upload = useUpload()
  const chosen = () => place.current?.querySelector<HTMLInputElement>('[type=file]')?.files?.[0]
  async function ask({ amount, source, realisedAt, evidence }: Values) {
    const file = chosen()
    const proof = file ? await upload.run(file) : evidence.trim()
    // The upload has reported its error; the form keeps its values.
    if (proof === undefined) return
    setDraft({ amountCents: parseTypedUsd(amount)!, source: source.trim(), realisedAt, evidence: proof })
  }
  return (
    <div ref={place}>
      <Form
        key={recorded}
        fields={formFields}
        linked={['evidence', 'file']}
        check={values => check(values, chosen())}
        onSubmit={values => void ask(values)}
        pending={mutation.pending || upload.pending}
        error={mutation.error ?? upload.error}
        className="max-w-3xl sm:grid-cols-2"
      >
        <Field name="amount" label={t('Amount')} hint={t('In US dollars.')}>
          <MoneyInput />
        </Field>
        <Field name="realisedAt" label={t('Date')} hint={t('The day it was realised.')}>
          <Input type="date" max={utcToday()} />
        </Field>
        <Field
          name="source"
          label={t('Source')}
          hint={t('The deal or asset that earned it.')}
          className="sm:col-span-2"
        >
          <Input maxLength={200} autoComplete="off" />
        </Field>
        <Field
          name="evidence"
          label={t('Evidence')}
          hint={t('A link (https://…) or a transaction id.')}
          className="sm:col-span-2"
        >
          <Input dir="ltr" required={false} maxLength={500} autoComplete="off" spellCheck={false} />
        </Field>
        <Field
          name="file"
          label={t('Or a file instead')}
          hint={t('A PDF or PNG of at most {size}. Investors whose earnings it pays can download it.', {
            size: `${mostMegabytes} MB`,
          })}
          className="sm:col-span-2"
        >
          <Input type="file" required={false} accept={evidenceTypes.join()} className="py-2" />
        </Field>
        <div className="grid justify-items-start gap-4 sm:col-span-2">
          <FormRefusal />
          <SubmitButton>{t('Record return')}</SubmitButton>
        </div>
      </Form>
      {draft && (
        <ConfirmRecord
          draft={draft}
          mutation={mutation}
          onClose={() => setDraft(undefined)}
          focusAfter={() => backInto(place.current)}
        />
      )}
    </div>
  )
}

type Refusal = { message: string; fields: FieldErrors }

/** Uploads the chosen file, once. */
function useUpload() {
  const {
    run,
    pending,
    error: refused,
  } = useMutation(uploadEvidence, {
    loading: t('Uploading the file'),
    success: t('File uploaded'),
  })
  const last = useRef<{ file: File; uploaded: Uploaded }>(undefined)
  const error = useMemo(
    (): Refusal | undefined => refused && { message: refused.message, fields: { file: refused.message } },
    [refused],
  )
  async function upload(file: File): Promise<Uploaded | undefined> {
    if (last.current?.file === file) return last.current.uploaded
    const uploaded = await run({ query: { name: file.name }, body: file })
    if (uploaded) last.current = { file, uploaded }
    return uploaded
  }
  return { run: upload, pending, error }
}

/** Where focus returns: the refused field, else the first; the button may be gone. */
function backInto(form: HTMLElement | null): HTMLElement | undefined {
  const fields = (selector: string) => form?.querySelector<HTMLElement>(selector)
  return fields('[aria-invalid]') ?? fields('input') ?? undefined
}

type ConfirmRecordProps = {
  draft: Draft
  mutation: Mutation<typeof newReturn>
  onClose: () => void
  focusAfter: () => HTMLElement | undefined
}

function ConfirmRecord({ draft, mutation, onClose, focusAfter }: ConfirmRecordProps) {
  const { amountCents, evidence, ...words } = draft
  const proof = typeof evidence === 'string' ? { evidence } : { evidenceFile: evidence._id }
  const { data } = useRead(returnSummary, {})
  const left = data && usdFromJson(data.left)
  const beyond = data?.alone && amountCents > usdFromJson(data.alone.left)! ? data.alone : undefined
  async function record() {
    const done = await mutation.run({ body: { ...words, ...proof, amount: usdToJson(amountCents) } })
    // The form behind the dialog shows the server's errors.
    if (!done) onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Record this return?')}
      confirm={t('Record return')}
      onConfirm={() => void record()}
      pending={mutation.pending}
      focusAfter={focusAfter}
    >
      <p className="mb-4 text-sm">
        {t('You cannot change it afterwards. Investors see its source with their earnings.')}
      </p>
      {beyond && (
        <p className="mb-4 rounded-md bg-wait-soft px-4 py-3 text-sm">
          {tr(
            'One person alone records up to {limit} in 24 hours, and you have {left} of it left. A second person must approve this return before earnings are paid from it.',
            { limit: <Usd value={beyond.limit} />, left: <Usd value={beyond.left} /> },
          )}
        </p>
      )}
      <DescriptionList
        entries={[
          [t('Amount'), localUsd(amountCents)],
          [t('Source'), words.source],
          [t('Date'), <Day key="date" on={words.realisedAt} />],
          [t('Evidence'), typeof evidence === 'string' ? evidence : <FileLine key="file" file={evidence} />],
          [t('Recorded returns now'), left === undefined ? '—' : localUsd(left)],
          [
            beyond ? t('Recorded returns once approved') : t('Recorded returns after'),
            left === undefined ? '—' : localUsd(left + amountCents),
          ],
        ]}
      />
    </ConfirmDialog>
  )
}

function FileLine({ file }: { file: Uploaded }) {
  return (
    <span className="grid gap-0.5">
      <bdi>{file.name}</bdi>
      <FileFacts file={file} />
    </span>
  )
}
