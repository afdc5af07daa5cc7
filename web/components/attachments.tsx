import { X } from 'lucide-react'
import { type ChangeEvent, useState } from 'react'
import { type Attachment, getAttachment, uploadAttachment } from '#shared/contract/conversations.ts'
import { attachmentTypes, fileKinds, fileTypesInWords } from '#shared/evidence.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { maximumAttachmentBytes, maximumAttachments } from '#shared/limits.ts'
import { useDownload } from '#web/api/download.ts'
import { useMutation } from '#web/api/mutation.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const mostMegabytes = maximumAttachmentBytes / 1024 / 1024
/** 'PDF, PNG or JPEG' */
const types = () => fileTypesInWords(attachmentTypes)

function fileError({ name, type, size }: File): string | undefined {
  if (!attachmentTypes.some(one => one === type))
    return t('{name} is not a {types} file', { name, types: types() })
  return size > maximumAttachmentBytes
    ? t('{name} has more than {mostMegabytes} MB', { name, mostMegabytes })
    : undefined
}

type Choice = ReturnType<typeof useAttachments>

/** Files of a message about to be sent, uploaded as soon as they are chosen. */
export function useAttachments() {
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const [refused, refuse] = useState<string>()
  const [isUploading, setUploading] = useState(false)
  const upload = useMutation(uploadAttachment, {
    loading: t('Uploading the file'),
    success: t('File uploaded'),
    refusal: ({ message }) => {
      refuse(message)
      return undefined
    },
  })
  async function choose(chosen: readonly File[]) {
    const wrong =
      files.length + chosen.length > maximumAttachments
        ? t('A message can have at most {maximumAttachments} files', { maximumAttachments })
        : chosen.map(fileError).find(words => words !== undefined)
    refuse(wrong)
    if (wrong) return
    setUploading(true)
    for (const file of chosen) {
      const uploaded = await upload.run({ query: { name: file.name }, body: file })
      if (!uploaded) break
      setFiles(now => [...now, uploaded])
    }
    setUploading(false)
  }
  /** Refuses to send while files are on their way; and once after one was refused, because its sender may not have seen that. */
  function check() {
    if (isUploading) return fieldError('files', t('Wait until your files are uploaded'))
    if (refused === undefined) return undefined
    refuse(undefined)
    return fieldError(
      'files',
      t('{refused}. To send the message without it, press the button again', { refused }),
    )
  }
  return {
    files,
    ids: files.map(({ _id }) => _id),
    refused,
    isUploading,
    choose,
    remove: (id: string) => setFiles(now => now.filter(({ _id }) => _id !== id)),
    clear: () => setFiles([]),
    check,
  }
}

export function AttachmentsField({ of }: { of: Choice }) {
  function changed({ target }: ChangeEvent<HTMLInputElement>) {
    void of.choose([...(target.files ?? [])])
    target.value = ''
  }
  return (
    <div className="grid gap-2">
      <Field
        name="files"
        label={t('Files')}
        optional
        hint={t('Up to {maximumAttachments} {types} files of at most {mostMegabytes} MB each.', {
          maximumAttachments,
          types: types(),
          mostMegabytes,
        })}
        {...(of.refused ? { error: of.refused } : {})}
      >
        <Input
          type="file"
          multiple
          accept={attachmentTypes.join()}
          className="py-2"
          disabled={of.isUploading}
          onChange={changed}
        />
      </Field>
      {of.files.length > 0 && (
        <ul className="grid gap-1">
          {of.files.map(file => (
            <li key={file._id} className="flex items-center justify-between gap-3 text-sm">
              <span className="wrap-anywhere">
                <bdi>{file.name}</bdi> <Facts file={file} />
              </span>
              <IconButton label={t('Remove {name}', { name: file.name })} onClick={() => of.remove(file._id)}>
                <X aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Files that came with a message, to save. */
export function Attachments({ files }: { files: readonly Attachment[] }) {
  const { run, pending } = useDownload(getAttachment)
  if (files.length === 0) return null
  return (
    <ul className="grid gap-1 text-sm">
      {files.map(file => (
        <li key={file._id}>
          <button
            type="button"
            className="prose-link wrap-anywhere text-start"
            aria-busy={pending}
            onClick={() => void run({ params: { id: file._id } })}
          >
            <bdi>{file.name}</bdi>
            <span className="sr-only">{t(' (saves the file)')}</span>
          </button>{' '}
          <Facts file={file} />
        </li>
      ))}
    </ul>
  )
}

function Facts({ file: { type, size } }: { file: Attachment }) {
  return (
    <span className="whitespace-nowrap text-ink-faint text-xs">
      {t('{type}, {size} kB', { type: fileKinds[type].word, size: number(Math.ceil(size / 1024)) })}
    </span>
  )
}
