import { Camera, X } from 'lucide-react'
import { type ChangeEvent, useId, useState } from 'react'
import { type IdentityFile, removeIdentityFile, uploadIdentityFile } from '#shared/contract/identity.ts'
import { attachmentTypes, fileKinds, fileTypesInWords } from '#shared/evidence.ts'
import { type IdentityFileKind, identityFileLabels } from '#shared/identity.ts'
import { maximumIdentityFileBytes, mostFundsFiles } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { buttonClass, IconButton } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'

const types = fileTypesInWords(attachmentTypes)
const megabytes = maximumIdentityFileBytes / 1024 / 1024

function fileError({ type, size }: File): string | undefined {
  if (!attachmentTypes.some(one => one === type)) return `Choose a ${types} file`
  return size > maximumIdentityFileBytes ? `This file has more than ${megabytes} MB` : undefined
}

type FileFieldProps = {
  kind: IdentityFileKind
  hint: string
  /** Those of this kind that are uploaded. */
  files: readonly IdentityFile[]
}

/** A document or a selfie, uploaded as soon as it is chosen; on phones also straight from the camera. */
export function FileField({ kind, hint, files }: FileFieldProps) {
  const [wrong, setWrong] = useState<string>()
  const { run, pending } = useMutation(uploadIdentityFile, {
    loading: 'Uploading the file',
    refusal: ({ message }) => {
      setWrong(message)
      return undefined
    },
  })
  function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    target.value = ''
    if (!file) return
    const error = fileError(file)
    setWrong(error)
    if (error === undefined) void run({ query: { kind }, body: file })
  }
  const isFull = kind === 'funds' && files.length >= mostFundsFiles
  return (
    <div className="grid gap-2">
      <Field
        name={kind}
        label={identityFileLabels[kind]}
        hint={`${hint} ${types}, at most ${megabytes} MB.`}
        {...(wrong === undefined ? {} : { error: wrong })}
      >
        <Input
          type="file"
          accept={attachmentTypes.join()}
          className="py-2"
          disabled={pending || isFull}
          onChange={choose}
        />
      </Field>
      {!isFull && <CameraButton kind={kind} disabled={pending} onChange={choose} />}
      <Uploaded files={files} />
    </div>
  )
}

type CameraProps = {
  kind: IdentityFileKind
  disabled: boolean
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

/** Where a finger is what one points with, there is a camera. The field before it chooses a file there, too. */
function CameraButton({ kind, disabled, onChange }: CameraProps) {
  const id = useId()
  return (
    <span className="hidden pointer-coarse:block">
      <input
        id={id}
        name={kind}
        type="file"
        accept="image/jpeg"
        capture={kind === 'selfie' ? 'user' : 'environment'}
        className="peer sr-only"
        disabled={disabled}
        onChange={onChange}
      />
      <label
        htmlFor={id}
        className={cx(
          buttonClass({ tone: 'quiet', size: 'sm' }),
          'peer-focus-visible:outline-2 peer-focus-visible:outline-accent',
        )}
      >
        <Camera aria-hidden="true" />
        Take a picture
        <span className="sr-only"> of it: {identityFileLabels[kind].toLowerCase()}</span>
      </label>
    </span>
  )
}

function Uploaded({ files }: { files: readonly IdentityFile[] }) {
  const { run, pending } = useMutation(removeIdentityFile)
  if (files.length === 0) return null
  return (
    <ul className="grid gap-1">
      {files.map(({ _id, kind, type, size }) => (
        <li key={_id} className="flex items-center justify-between gap-3 text-sm">
          <span>
            Uploaded:{' '}
            <span className="text-ink-faint">
              {fileKinds[type].word}, {Math.ceil(size / 1024).toLocaleString('en')} kB
            </span>
          </span>
          <IconButton
            label={`Remove ${identityFileLabels[kind].toLowerCase()}`}
            aria-disabled={pending || undefined}
            onClick={() => void run({ params: { id: _id } })}
          >
            <X aria-hidden="true" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
