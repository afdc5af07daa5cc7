import { useState } from 'react'
import { type IdentityFile, identityFile } from '#shared/contract/identity.ts'
import { fileKinds } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { identityFileLabels } from '#shared/identity.ts'
import { type Download, save, useDownload } from '#web/api/download.ts'
import { written } from '#web/api/mutation.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'

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
  const label = identityFileLabels[kind]
  const isPicture = type !== 'application/pdf'
  const { run, pending } = useDownload(identityFile, {
    async take(file) {
      // Who opened it is on the page, too.
      written.emit()
      if (isPicture) setPicture(await addressOf(file))
      else save(file)
    },
    done: name => (isPicture ? `${label} opened` : `${name} saved`),
  })
  return (
    <div className="grid justify-items-start gap-2">
      <p className="font-medium text-sm">
        {label}{' '}
        <span className="font-normal text-ink-faint">
          {t('{word}, {toLocaleString} kB', {
            word: fileKinds[type].word,
            toLocaleString: Math.ceil(size / 1024).toLocaleString('en'),
          })}
        </span>
      </p>
      {picture === undefined ? (
        <Button
          tone="quiet"
          size="sm"
          busy={pending}
          aria-label={`${isPicture ? 'Show' : 'Save'} ${label.toLowerCase()}`}
          onClick={() => void run({ params: { id: _id } })}
        >
          {isPicture ? t('Show') : t('Save')}
        </Button>
      ) : (
        <Picture src={picture} label={label} />
      )}
    </div>
  )
}

/** Small print of a document is read at the picture's own size, in a dialog. */
function Picture({ src, label }: { src: string; label: string }) {
  const [isLarge, setLarge] = useState(false)
  return (
    <>
      <img className="max-h-[36rem] max-w-full border border-rule" src={src} alt={label} />
      <Button
        tone="quiet"
        size="sm"
        aria-label={`Enlarge ${label.toLowerCase()}`}
        onClick={() => setLarge(true)}
      >
        {t('Enlarge')}
      </Button>
      <Dialog open={isLarge} onClose={() => setLarge(false)} title={label} wide>
        <section
          aria-label={`${label}, full size`}
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
