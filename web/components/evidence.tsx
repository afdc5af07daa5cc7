import type { EarningReturn, EvidenceFile } from '#shared/contract/entities.ts'
import { returnEvidence } from '#shared/contract/returns.ts'
import { useDownload } from '#web/api/download.ts'

type Proven = Pick<EarningReturn, '_id' | 'evidence' | 'evidenceKind' | 'evidenceFile'>

/** Evidence of a recorded return (D1.2): a link, a transaction id or a file. */
export function Evidence({ of }: { of: Proven }) {
  if (of.evidenceFile) return <File id={of._id} file={of.evidenceFile} />
  if (of.evidenceKind === 'transaction') return <span className="text-sm">{of.evidence}</span>
  return (
    <a className="prose-link text-sm" href={of.evidence} target="_blank" rel="noopener noreferrer">
      {of.evidence}
      <span className="sr-only"> (opens in a new tab)</span>
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
        {file.name}
        <span className="sr-only"> (saves the file)</span>
      </button>
      <FileFacts file={file} />
    </span>
  )
}

const kinds: Record<EvidenceFile['type'], string> = { 'application/pdf': 'PDF', 'image/png': 'PNG' }

export function FileFacts({ file: { type, size, sha256 } }: { file: EvidenceFile }) {
  return (
    <span className="wrap-anywhere block text-ink-faint text-xs">
      {kinds[type]}, {Math.ceil(size / 1024).toLocaleString('en')} kB, SHA-256 {sha256}
    </span>
  )
}
