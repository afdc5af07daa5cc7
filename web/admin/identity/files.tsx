import { useState } from 'react'
import { type IdentityFile, identityFile } from '#shared/contract/identity.ts'
import { fileKinds } from '#shared/evidence.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type IdentityFileKind, identityFileLabels } from '#shared/identity.ts'
import { type Download, save, useDownload } from '#web/api/download.ts'
import { written } from '#web/api/mutation.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'

/** Each file within a sentence. */
const inSentence: Readonly<Record<IdentityFileKind, string>> = {
  front: msg('front of the document'),
  back: msg('back of the document'),
  selfie: msg('selfie'),
  funds: msg('proof of the source of funds'),
}

/** The files of a check: pictures are shown here, PDF files are saved. Each opening is logged. */
export function Files({ files }: { files: readonly IdentityFile[] }) {
  return (
    <ul className="grid content-start gap-6">
      {files.map(file => (
        <li key={file._id}>
          <File file={file} />
        </li>
      ))}
    </ul>
  )
}

function File({ file: { _id, kind, type, size } }: { file: IdentityFile }) {
  const [picture, setPicture] = useState<string>()
  const label = translate(identityFileLabels[kind])
  const words = translate(inSentence[kind])
  const isPicture = type !== 'application/pdf'
  const { run, pending } = useDownload(identityFile, {
    async take(file) {
      // Who opened it is on the page, too.
      written.emit()
      if (isPicture) setPicture(await addressOf(file))
      else save(file)
    },
    done: name => (isPicture ? t('{file} opened', { file: label }) : t('{file} saved', { file: name })),
  })
  return (
    <div className="grid justify-items-start gap-2">
      <p className="font-medium text-sm">
        {label}{' '}
        <span className="font-normal text-ink-faint">
          {t('{type}, {size, number} kB', {
            type: fileKinds[type].word,
            size: Math.ceil(size / 1024),
          })}
        </span>
      </p>
      {picture === undefined ? (
        <Button
          tone="quiet"
          size="sm"
          busy={pending}
          aria-label={isPicture ? t('Show {file}', { file: words }) : t('Save {file}', { file: words })}
          onClick={() => void run({ params: { id: _id } })}
        >
          {isPicture ? t('Show') : t('Save')}
        </Button>
      ) : (
        <Picture src={picture} label={label} words={words} />
      )}
    </div>
  )
}

/** Small print of a document is read at the picture's own size, in a dialog. */
function Picture({ src, label, words }: { src: string; label: string; words: string }) {
  const [isLarge, setLarge] = useState(false)
  return (
    <>
      <img className="max-h-[36rem] max-w-full border border-rule" src={src} alt={label} />
      <Button
        tone="quiet"
        size="sm"
        aria-label={t('Enlarge {file}', { file: words })}
        onClick={() => setLarge(true)}
      >
        {t('Enlarge')}
      </Button>
      <Dialog open={isLarge} onClose={() => setLarge(false)} title={label} wide>
        <section
          aria-label={t('{file}, full size', { file: label })}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what is larger than its frame.
          tabIndex={0}
          className="max-h-[70dvh] overflow-auto"
        >
          <img className="max-w-none" src={src} alt={label} />
        </section>
      </Dialog>
    </>
  )
}

/** As a data URL: the content security policy allows no other picture that is not ours, and nothing of it outlives the page. */
function addressOf({ content }: Download): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(content)
  })
}
