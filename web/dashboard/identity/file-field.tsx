import { Camera, Check, X } from 'lucide-react'
import { type ChangeEvent, type ReactNode, useId, useRef, useState } from 'react'
import { type IdentityFile, removeIdentityFile, uploadIdentityFile } from '#shared/contract/identity.ts'
import { attachmentTypes, fileKinds, fileTypesInWords } from '#shared/evidence.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { type IdentityFileKind, identityFileLabels, isSingle } from '#shared/identity.ts'
import { maximumIdentityFileBytes, mostFundsFiles } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { tr } from '#web/tr.ts'
import { buttonClass, IconButton } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'
import { waitWords } from './missing-files.ts'

const megabytes = maximumIdentityFileBytes / 1024 / 1024

/** A name within a sentence: without its capital in English, as it is in other languages. */
function within(label: string): string {
  return languageNow() === sourceLanguage ? label.toLowerCase() : translate(label)
}

function fileError({ type, size }: File): string | undefined {
  if (!attachmentTypes.some(one => one === type)) {
    return t('Choose a {types} file', { types: fileTypesInWords(attachmentTypes) })
  }
  return size > maximumIdentityFileBytes
    ? t('This file has more than {megabytes} MB', { megabytes })
    : undefined
}

type FileFieldProps = {
  kind: IdentityFileKind
  hint: string
  /** Those of this kind that are uploaded. */
  files: readonly IdentityFile[]
  /** Those that were sent before, and are sent again. */
  kept: readonly IdentityFile[]
  /** Removes one of them, where there can be several. An only one is replaced by an upload. */
  onRemoveKept?: (id: string) => void
}

/** A document or a selfie, uploaded as soon as it is chosen; on phones also straight from the camera. */
export function FileField({ kind, hint, files, kept: all, onRemoveKept }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const canReplace = isSingle(kind) && files.length > 0
  const kept = canReplace ? [] : all
  const { wrong, names, pending, choose } = useUpload(kind, files.length + kept.length)
  const focusInput = () => input.current?.focus()
  return (
    <div className="grid gap-2">
      <Field
        name={kind}
        label={translate(identityFileLabels[kind])}
        hint={
          canReplace
            ? t('Choose another file to replace it.')
            : `${hint} ${t('{types}, at most {megabytes} MB.', { types: fileTypesInWords(attachmentTypes), megabytes })}`
        }
        {...(wrong === undefined ? {} : { error: wrong })}
      >
        <Kept files={kept} onRemove={onRemoveKept} onRemoved={focusInput} />
        <Uploaded files={files} names={names} onRemoved={focusInput} />
        <Input
          ref={input}
          type="file"
          accept={attachmentTypes.join()}
          // Beside an uploaded file, the browser's 'No file chosen' would be wrong.
          className={cx('py-2', files.length + kept.length > 0 && 'text-transparent file:text-ink')}
          onChange={choose}
        />
      </Field>
      <CameraButton kind={kind} onChange={choose} />
      {pending && <input type="hidden" name="uploading" value={kind} />}
    </div>
  )
}

/** Uploads what was chosen, and remembers its name, which the server does not keep. */
function useUpload(kind: IdentityFileKind, count: number) {
  const [wrong, setWrong] = useState<string>()
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const { run, pending } = useMutation(uploadIdentityFile, {
    loading: t('Uploading the file'),
    refusal: ({ message }) => {
      setWrong(message)
      return undefined
    },
  })
  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    target.value = ''
    if (!file) return
    const isFull = !isSingle(kind) && count >= mostFundsFiles
    const error = pending
      ? waitWords()
      : isFull
        ? t('You can add at most {most} files. Remove one first.', { most: mostFundsFiles })
        : fileError(file)
    setWrong(error)
    if (error !== undefined) return
    const uploaded = await run({ query: { kind }, body: file })
    if (uploaded) setNames(now => new Map(now).set(uploaded._id, file.name))
  }
  return { wrong, names, pending, choose }
}

type CameraProps = {
  kind: IdentityFileKind
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

/** Where a finger is what one points with, there is a camera. The field before it chooses a file there, too. */
function CameraButton({ kind, onChange }: CameraProps) {
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
        {tr('Take a picture<hidden> of it: {file}</hidden>', {
          file: within(identityFileLabels[kind]),
          hidden: words => <span className="sr-only">{words}</span>,
        })}
      </label>
    </span>
  )
}

type KeptProps = {
  files: readonly IdentityFile[]
  onRemove: ((id: string) => void) | undefined
  onRemoved: () => void
}

function Kept({ files, onRemove, onRemoved }: KeptProps) {
  if (files.length === 0) return null
  const remove = (id: string) => {
    onRemove?.(id)
    onRemoved()
  }
  return (
    <ul className="grid gap-1">
      {files.map(({ _id, kind, type, size }) => (
        <FileRow key={_id} kind={kind} onRemove={onRemove && (() => remove(_id))}>
          {sentBefore(kind, { type: fileKinds[type].word, kilobytes: Math.ceil(size / 1024) })}
        </FileRow>
      ))}
    </ul>
  )
}

function sentBefore(kind: IdentityFileKind, values: { type: string; kilobytes: number }): string {
  return isSingle(kind)
    ? t('Sent before ({type}, {kilobytes, number} kB). We take it again unless you add another file.', values)
    : t('Sent before ({type}, {kilobytes, number} kB). We take it again unless you remove it.', values)
}

type UploadedProps = {
  files: readonly IdentityFile[]
  /** Of those chosen since the page was opened, by id. */
  names: ReadonlyMap<string, string>
  onRemoved: () => void
}

function Uploaded({ files, names, onRemoved }: UploadedProps) {
  const { run, pending } = useMutation(removeIdentityFile, { onSuccess: onRemoved })
  if (files.length === 0) return null
  return (
    <ul className="grid gap-1">
      {files.map(({ _id, kind, type, size }) => (
        <FileRow key={_id} kind={kind} busy={pending} onRemove={() => void run({ params: { id: _id } })}>
          <span className="wrap-anywhere">
            {tr('Uploaded: {name} <details>{type}, {kilobytes, number} kB</details>', {
              name: <bdi>{names.get(_id)}</bdi>,
              type: fileKinds[type].word,
              kilobytes: Math.ceil(size / 1024),
              details: words => <span className="whitespace-nowrap text-ink-faint">{words}</span>,
            })}
          </span>
        </FileRow>
      ))}
    </ul>
  )
}

type FileRowProps = {
  kind: IdentityFileKind
  busy?: boolean
  onRemove: (() => void) | undefined
  children: ReactNode
}

function FileRow({ kind, busy = false, onRemove, children }: FileRowProps) {
  return (
    <li className="flex items-center justify-between gap-3 text-sm">
      <span className="flex min-w-0 items-center gap-2">
        <Check aria-hidden="true" className="size-4 shrink-0 text-good" />
        {children}
      </span>
      {onRemove && (
        <IconButton
          label={t('Remove {file}', { file: within(identityFileLabels[kind]) })}
          aria-disabled={busy || undefined}
          onClick={onRemove}
        >
          <X aria-hidden="true" />
        </IconButton>
      )}
    </li>
  )
}
