import { useId, useMemo, useState } from 'react'
import { type PayoutDetail, signPayout } from '#shared/contract/payouts.ts'
import { t } from '#shared/i18n/t.ts'
import { longestSigned } from '#shared/limits.ts'
import type { ApiError } from '#web/api/errors.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, fieldError, SubmitButton } from '#web/ui/form.tsx'
import { Input, Textarea } from '#web/ui/input.tsx'

/** One of them is enough, so neither is required. */
const formFields = ['file', 'signed'] as const

/** Takes a signed file, chosen or pasted. The server compares it with the batch before it broadcasts anything. */
export function SignPayout({ batch }: { batch: PayoutDetail }) {
  const [done, setDone] = useState(0)
  const [fromFile, setFromFile] = useState(false)
  const place = useId()
  const { run, pending, error } = useMutation(signPayout, {
    loading: t('Checking the signed file'),
    onSuccess: () => setDone(done + 1),
  })
  const refusal = useMemo(() => atItsField(error, fromFile), [error, fromFile])
  const chosen = () => document.querySelector<HTMLInputElement>(`[id="${place}"] [type=file]`)?.files?.[0]
  const submit = async ({ signed }: { signed: string }) => {
    const file = chosen()
    const text = file ? await textOf(file) : signed.trim()
    setFromFile(file !== undefined)
    await run({ params: { id: batch._id }, body: { signed: text } })
  }
  return (
    <div id={place}>
      <Form
        key={done}
        fields={formFields}
        linked={formFields}
        check={({ signed }) => problemOf(chosen(), signed)}
        onSubmit={values => void submit(values)}
        pending={pending}
        error={refusal}
      >
        <Field name="file" label={t('Signed file')} hint={fileHint(batch)}>
          <Input type="file" required={false} className="py-2" />
        </Field>
        <Field name="signed" label={t('Or paste it')} hint={pasteHint(batch)}>
          <Textarea
            dir="ltr"
            rows={3}
            required={false}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-sm"
          />
        </Field>
        <FormRefusal />
        <div>
          <SubmitButton>{t('Check and broadcast')}</SubmitButton>
        </div>
      </Form>
    </div>
  )
}

/** The server knows the text alone, not where it came from. */
function atItsField(error: ApiError | undefined, fromFile: boolean) {
  if (!fromFile || error?.fields?.signed === undefined) return error
  return { message: error.message, fields: { file: error.fields.signed } }
}

function problemOf(file: File | undefined, pasted: string) {
  if (file === undefined && pasted.trim() === '')
    return fieldError('file', t('Choose the signed file, or paste it'))
  if (file !== undefined && pasted.trim() !== '')
    return fieldError('signed', t('Leave this empty, or remove the file'))
  const tooLarge = (file?.size ?? pasted.length) > longestSigned
  return tooLarge
    ? fieldError(file ? 'file' : 'signed', t('This is too large to be a signed file'))
    : undefined
}

/** Text as it is; a binary file, such as a PSBT, in base64. */
async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const isText = bytes.every(byte => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127))
  if (isText) return new TextDecoder().decode(bytes).trim()
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

function fileHint({ wallet }: PayoutDetail): string {
  return wallet === 'Bitcoin (BTC)'
    ? t('The PSBT as your wallet saved it (.psbt), or the finished transaction.')
    : t('The file with the signed transactions.')
}

function pasteHint({ wallet }: PayoutDetail): string {
  if (wallet === 'Bitcoin (BTC)')
    return t('Instead of the file: a PSBT in base64, or a raw transaction in hexadecimal.')
  return wallet === 'USDT TRC-20'
    ? t('Instead of the file: the signed transactions as JSON.')
    : t('Instead of the file: signed transactions, 0x…, one on each line.')
}
