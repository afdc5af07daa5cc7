import { msg } from '#shared/i18n/t.ts'

/** The firm's own texts: labels (for `translate`) and limits for contract, configuration and console. */

type TextRule = { label: string /** Characters. */; max: number }

export const firmLines = {
  heading: { label: msg('Home page heading'), max: 80 },
  footerLine: { label: msg('Footer line'), max: 120 },
  description: { label: msg('Description for search engines'), max: 160 },
  teaserHeading: { label: msg('Heading of the About us teaser'), max: 120 },
  aboutHeading: { label: msg('About us heading'), max: 120 },
  storyHeading: { label: msg('Story heading'), max: 120 },
  sectorsHeading: { label: msg('Sectors heading'), max: 120 },
} as const satisfies Record<string, TextRule>
export type FirmLine = keyof typeof firmLines

/** Several lines; an empty line starts a new paragraph. */
export const firmBlocks = {
  introduction: { label: msg('Home page introduction'), max: 400 },
  teaser: { label: msg('About us teaser'), max: 1200 },
  aboutLead: { label: msg('About us introduction'), max: 400 },
  story: { label: msg('Story'), max: 4000 },
  sectorsLead: { label: msg('Sectors introduction'), max: 400 },
  servicesLead: { label: msg('Services introduction'), max: 400 },
  processLead: { label: msg('Introduction to the three steps'), max: 400 },
  contactLead: { label: msg('Contact introduction'), max: 400 },
} as const satisfies Record<string, TextRule>
export type FirmBlock = keyof typeof firmBlocks

/** Lists; `max` is the number of entries. */
export const firmLists = {
  values: { label: msg('Values'), max: 8 },
  services: { label: msg('Services'), max: 8 },
  sectors: { label: msg('Sectors'), max: 6 },
  questions: { label: msg('Questions'), max: 24 },
} as const
export type FirmList = keyof typeof firmLists

/** Sentences of the profile that are translated like the texts. */
export const legalSentences = {
  unregulatedStatement: { label: msg('Unregulated-status notice'), max: 300 },
  jurisdictions: { label: msg('Jurisdictions served'), max: 300 },
  riskStatement: { label: msg('Risk statement'), max: 600 },
} as const satisfies Record<string, TextRule>
export type LegalSentence = keyof typeof legalSentences

/** Everything that the firm can write in each language. */
export type FirmText = FirmLine | FirmBlock | FirmList | LegalSentence
export const firmTextRules = { ...firmLines, ...firmBlocks, ...firmLists, ...legalSentences }
export const firmTextNames = Object.keys(firmTextRules) as FirmText[]

/** Limits of a list entry, in characters; of a sector's points, in entries. */
export const entryLimits = { title: 120, text: 600, brief: 300, sectorText: 2000, point: 160, points: 8 }

/** Drawings for sectors. */
export const sectorDrawings = ['technology', 'property', 'retirement'] as const
export type SectorDrawing = (typeof sectorDrawings)[number]

/** Paragraphs of a text, split at empty lines. */
export function paragraphsOf(text: string | null): string[] {
  return text === null ? [] : text.split(/\n\s*\n/).map(paragraph => paragraph.trim())
}
