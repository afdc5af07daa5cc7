/** The kinds of evidence that a recorded return can have (D1.2). */
export const evidenceKinds = ['link', 'transaction', 'file'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

/** What a file of evidence can be. */
export const evidenceTypes = ['application/pdf', 'image/png'] as const
export type EvidenceType = (typeof evidenceTypes)[number]

export const noEvidence = 'Evidence must be a link (https://…) or the id of a transaction'

/**
 * What kind of evidence a text is, where it is no file: a link goes to http or https; anything else must look like the id of a transaction,
 * on a chain or at a bank. Undefined for what is neither.
 */
export function evidenceKind(evidence: string): Exclude<EvidenceKind, 'file'> | undefined {
  if (URL.canParse(evidence) && /^https?:\/\/[^/\s]+\.[^/\s]+/i.test(evidence)) return 'link'
  if (/^(?=.*\d)[0-9A-Za-z][0-9A-Za-z._-]{5,127}$/.test(evidence)) return 'transaction'
  return undefined
}
