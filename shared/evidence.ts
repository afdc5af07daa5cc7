import { listed } from './i18n/listed.ts'
import { msg } from './i18n/t.ts'

/** Kinds of evidence of a recorded return (D1.2). */
export const evidenceKinds = ['link', 'transaction', 'file'] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

/** File types of evidence. */
export const evidenceTypes = ['application/pdf', 'image/png'] as const
export type EvidenceType = (typeof evidenceTypes)[number]

/** File types of what comes with a message; a telephone's pictures are JPEG. */
export const attachmentTypes = [...evidenceTypes, 'image/jpeg'] as const
export type AttachmentType = (typeof attachmentTypes)[number]

/** A firm's logo: what every browser and mail program shows, and carries no script. */
export const logoTypes = ['image/png'] as const satisfies readonly AttachmentType[]

/** How people call each type, and the ending of its files' names. */
export const fileKinds: Record<AttachmentType, { word: string; ending: string }> = {
  'application/pdf': { word: 'PDF', ending: '.pdf' },
  'image/png': { word: 'PNG', ending: '.png' },
  'image/jpeg': { word: 'JPEG', ending: '.jpg' },
}

/** 'PDF, PNG or JPEG' */
export function fileTypesInWords(types: readonly AttachmentType[]): string {
  return listed(
    types.map(type => fileKinds[type].word),
    'or',
  )
}

/** For `translate`. */
export const noEvidence = msg('Evidence must be a link (https://…) or the id of a transaction')

/** Kind of textual evidence: an http(s) link or a transaction id of a chain or bank; undefined for neither. */
export function evidenceKind(evidence: string): Exclude<EvidenceKind, 'file'> | undefined {
  if (URL.canParse(evidence) && /^https?:\/\/[^/\s]+\.[^/\s]+/i.test(evidence)) return 'link'
  if (/^(?=.*\d)[0-9A-Za-z][0-9A-Za-z._-]{5,127}$/.test(evidence)) return 'transaction'
  return undefined
}
