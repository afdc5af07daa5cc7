/** The firm's own texts: labels and limits for contract, configuration and console. */

type TextRule = { label: string /** Characters. */; max: number }

export const firmLines = {
  heading: { label: 'Home page heading', max: 80 },
  footerLine: { label: 'Footer line', max: 120 },
  description: { label: 'Description for search engines', max: 160 },
  teaserHeading: { label: 'Heading of the About us teaser', max: 120 },
  aboutHeading: { label: 'About us heading', max: 120 },
  storyHeading: { label: 'Story heading', max: 120 },
  sectorsHeading: { label: 'Sectors heading', max: 120 },
} as const satisfies Record<string, TextRule>
export type FirmLine = keyof typeof firmLines

/** Several lines; an empty line starts a new paragraph. */
export const firmBlocks = {
  introduction: { label: 'Home page introduction', max: 400 },
  teaser: { label: 'About us teaser', max: 1200 },
  aboutLead: { label: 'About us introduction', max: 400 },
  story: { label: 'Story', max: 4000 },
  sectorsLead: { label: 'Sectors introduction', max: 400 },
  servicesLead: { label: 'Services introduction', max: 400 },
  processLead: { label: 'Introduction to the three steps', max: 400 },
  contactLead: { label: 'Contact introduction', max: 400 },
} as const satisfies Record<string, TextRule>
export type FirmBlock = keyof typeof firmBlocks

/** Lists; `max` is the number of entries. */
export const firmLists = {
  values: { label: 'Values', one: 'value', max: 8 },
  services: { label: 'Services', one: 'service', max: 8 },
  sectors: { label: 'Sectors', one: 'sector', max: 6 },
  questions: { label: 'Questions', one: 'question', max: 24 },
} as const
export type FirmList = keyof typeof firmLists

/** Limits of a list entry, in characters; of a sector's points, in entries. */
export const entryLimits = { title: 120, text: 600, brief: 300, sectorText: 2000, point: 160, points: 8 }

/** Drawings for sectors. */
export const sectorDrawings = ['technology', 'property', 'retirement'] as const
export type SectorDrawing = (typeof sectorDrawings)[number]

/** Paragraphs of a text, split at empty lines. */
export function paragraphsOf(text: string | null): string[] {
  return text === null ? [] : text.split(/\n\s*\n/).map(paragraph => paragraph.trim())
}
