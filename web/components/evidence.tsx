import type { EarningReturn, EvidenceFile } from '#shared/contract/entities.ts'
import { returnEvidence } from '#shared/contract/returns.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { useDownload } from '#web/api/download.ts'

type Proven = Pick<EarningReturn, '_id' | 'evidence' | 'evidenceKind' | 'evidenceFile'>

/** Evidence of a recorded return (D1.2): a link, a transaction id or a file. */
export function Evidence({ of }: { of: Proven }) {
  if (of.evidenceFile) return <File id={of._id} file={of.evidenceFile} />
  if (of.evidenceKind === 'transaction') return <bdi className="text-sm">{of.evidence}</bdi>
  return (
    <a className="prose-link text-sm" href={of.evidence} target="_blank" rel="noopener noreferrer">
      <bdi>{of.evidence}</bdi>
      <span className="sr-only">{t(' (opens in a new tab)')}</span>
    </a>
  )
}

/** A file to save, with its hash for comparison with the upload, aligned like the text around them. */
function File({ id, file }: { id: string; file: EvidenceFile }) {
  const { run, pending } = useDownload(returnEvidence)
  return (
    <span className="text-sm">
      <button
        type="button"
        className="prose-link wrap-anywhere mb-0.5 [text-align:inherit]"
        aria-busy={pending}
        onClick={() => void run({ params: { id } })}
      >
        <bdi>{file.name}</bdi>
        <span className="sr-only">{t(' (saves the file)')}</span>
      </button>
      <FileFacts file={file} />
    </span>
  )
}

const kinds: Record<EvidenceFile['type'], string> = { 'application/pdf': 'PDF', 'image/png': 'PNG' }

export function FileFacts({ file: { type, size, sha256 } }: { file: EvidenceFile }) {
  return (
    <span className="wrap-anywhere block text-ink-faint text-xs">
      {t('{type}, {size} kB, SHA-256 {sha256}', {
        type: kinds[type],
        size: number(Math.ceil(size / 1024)),
        sha256,
      })}
    </span>
  )
}
