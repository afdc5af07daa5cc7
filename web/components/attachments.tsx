import { X } from 'lucide-react'
import { type ChangeEvent, type Dispatch, type SetStateAction, useState } from 'react'
import { type Attachment, getAttachment, uploadAttachment } from '#shared/contract/conversations.ts'
import { attachmentTypes } from '#shared/evidence.ts'
import { maximumAttachmentBytes, maximumAttachments } from '#shared/limits.ts'
import { useDownload } from '#web/api/download.ts'
import { useMutation } from '#web/api/mutation.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const mostMegabytes = maximumAttachmentBytes / 1024 / 1024

function fileError({ name, type, size }: File): string | undefined {
  if (!attachmentTypes.some(one => one === type)) return `${name} is not a PDF, PNG or JPEG file`
  return size > maximumAttachmentBytes ? `${name} has more than ${mostMegabytes} MB` : undefined
}

/** Refuses to send a message whose files are still on their way. */
export function unfinished(isUploading: boolean) {
  return isUploading ? fieldError('files', 'Wait until your files are uploaded') : undefined
}

type AttachmentsFieldProps = {
  files: readonly Attachment[]
  onFiles: Dispatch<SetStateAction<Attachment[]>>
  /** Told when uploads begin and end: a message sent between would lose its files. */
  onUploading: (isUploading: boolean) => void
}

/** Files of a message about to be sent, uploaded as soon as they are chosen. */
export function AttachmentsField({ files, onFiles, onUploading }: AttachmentsFieldProps) {
  const [error, setError] = useState<string>()
  const upload = useMutation(uploadAttachment, { loading: 'Uploading the file', success: 'File uploaded' })
  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const chosen = [...(target.files ?? [])]
    target.value = ''
    setError(undefined)
    const wrong =
      files.length + chosen.length > maximumAttachments
        ? `A message can have at most ${maximumAttachments} files`
        : chosen.map(fileError).find(words => words !== undefined)
    if (wrong) return setError(wrong)
    onUploading(true)
    for (const file of chosen) {
      const uploaded = await upload.run({ query: { name: file.name }, body: file })
      if (!uploaded) break
      onFiles(now => [...now, uploaded])
    }
    onUploading(false)
  }
  return (
    <div className="grid gap-2">
      <Field
        name="files"
        label="Files"
        optional
        hint={`Up to ${maximumAttachments} PDF, PNG or JPEG files of at most ${mostMegabytes} MB each.`}
        {...((error ?? upload.error) ? { error: error ?? upload.error!.message } : {})}
      >
        <Input
          type="file"
          multiple
          accept={attachmentTypes.join()}
          className="py-2"
          disabled={upload.pending}
          onChange={event => void choose(event)}
        />
      </Field>
      {files.length > 0 && (
        <ul className="grid gap-1">
          {files.map(file => (
            <li key={file._id} className="flex items-center justify-between gap-3 text-sm">
              <span className="wrap-anywhere">
                {file.name} <Facts file={file} />
              </span>
              <IconButton
                label={`Remove ${file.name}`}
                onClick={() => onFiles(now => now.filter(({ _id }) => _id !== file._id))}
              >
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
            className="prose-link wrap-anywhere text-left"
            aria-busy={pending}
            onClick={() => void run({ params: { id: file._id } })}
          >
            {file.name}
            <span className="sr-only"> (saves the file)</span>
          </button>{' '}
          <Facts file={file} />
        </li>
      ))}
    </ul>
  )
}

const kinds: Record<Attachment['type'], string> = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
}

function Facts({ file: { type, size } }: { file: Attachment }) {
  return (
    <span className="whitespace-nowrap text-ink-faint text-xs">
      {kinds[type]}, {Math.ceil(size / 1024).toLocaleString('en')} kB
    </span>
  )
}
