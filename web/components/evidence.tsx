import type { RealisedReturn } from '#shared/contract/entities.ts'

/** What proves a recorded return (D1.2): a link, or the id of a transaction. */
export function Evidence({ of }: { of: Pick<RealisedReturn, 'evidence' | 'evidenceKind'> }) {
  if (of.evidenceKind === 'transaction') return <span className="text-sm">{of.evidence}</span>
  return (
    <a className="prose-link text-sm" href={of.evidence} target="_blank" rel="noopener noreferrer">
      {of.evidence}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  )
}
