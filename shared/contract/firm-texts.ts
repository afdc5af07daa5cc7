import { z } from 'zod'
import {
  entryLimits,
  type FirmBlock,
  type FirmLine,
  type FirmList,
  firmBlocks,
  firmLines,
  firmLists,
  firmTextNames,
  legalSentences,
  sectorDrawings,
} from '#shared/firm-texts.ts'
import type { TranslatedLanguage } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { textBlock, textLine } from './fields.ts'

/** The firm's own texts (D1, D2). Null or an empty list is not shown. */

const line = (name: FirmLine) => textLine(firmLines[name].label, firmLines[name].max).nullable()
const block = (name: FirmBlock) => textBlock(firmBlocks[name].label, firmBlocks[name].max).nullable()
function list<T extends z.ZodType>(name: FirmList, entry: T) {
  const { label, max } = firmLists[name]
  return listOf(label, entry, max)
}

const titled = z.object({
  title: textLine(msg('Title'), entryLimits.title),
  text: textBlock(msg('Text'), entryLimits.text),
})

const points = (label: string) => listOf(label, textLine(label, entryLimits.point), entryLimits.points)

function listOf<T extends z.ZodType>(label: string, entry: T, max: number) {
  return z.array(entry, { error: () => t('{label} must be a list', { label: translate(label) }) }).max(max, {
    error: () => t('{label} can have at most {max, number} entries', { label: translate(label), max }),
  })
}

const sector = z.object({
  title: textLine(msg('Title'), entryLimits.title),
  brief: textBlock(msg('Summary'), entryLimits.brief),
  text: textBlock(msg('Text'), entryLimits.sectorText).nullable(),
  seek: points(msg('What we look for')),
  avoid: points(msg('What we avoid')),
  evidence: textBlock(msg('Evidence we record'), entryLimits.brief).nullable(),
  drawing: z.enum(sectorDrawings, { error: () => t('Choose a drawing from the list') }).nullable(),
})

/** Sentences of the profile beside its texts. */
export const legalTexts = {
  unregulatedStatement: textLine(
    legalSentences.unregulatedStatement.label,
    legalSentences.unregulatedStatement.max,
  ).nullable(),
  jurisdictions: textLine(legalSentences.jurisdictions.label, legalSentences.jurisdictions.max),
  riskStatement: textBlock(legalSentences.riskStatement.label, legalSentences.riskStatement.max),
}

export const firmTexts = z.object({
  heading: line('heading'),
  introduction: block('introduction'),
  footerLine: line('footerLine'),
  description: line('description'),
  teaserHeading: line('teaserHeading'),
  teaser: block('teaser'),
  aboutHeading: line('aboutHeading'),
  aboutLead: block('aboutLead'),
  storyHeading: line('storyHeading'),
  story: block('story'),
  values: list('values', titled),
  services: list('services', titled),
  sectorsHeading: line('sectorsHeading'),
  sectorsLead: block('sectorsLead'),
  servicesLead: block('servicesLead'),
  sectors: list('sectors', sector),
  processLead: block('processLead'),
  questions: list('questions', titled),
  contactLead: block('contactLead'),
})
export type FirmTexts = z.output<typeof firmTexts>
export type FirmSector = FirmTexts['sectors'][number]

/**
 * The firm's texts in another language. What is null or left out is shown in the original. A list is translated as a
 * whole; its sectors keep the drawings of the original.
 */
export const translatedTexts = firmTexts
  .extend({
    values: firmTexts.shape.values.nullable(),
    services: firmTexts.shape.services.nullable(),
    sectors: list('sectors', sector.omit({ drawing: true })).nullable(),
    questions: firmTexts.shape.questions.nullable(),
    unregulatedStatement: legalTexts.unregulatedStatement,
    jurisdictions: legalTexts.jurisdictions.nullable(),
    riskStatement: legalTexts.riskStatement.nullable(),
  })
  .partial()
export type TranslatedTexts = z.output<typeof translatedTexts>

const translation = z.object({
  texts: translatedTexts,
  /** Texts whose original has changed since they were translated. */
  outdated: z.array(z.enum(firmTextNames)),
})
export type FirmTranslation = z.output<typeof translation>

export const firmTranslations = z
  .object({ de: translation, es: translation, ar: translation } satisfies Record<
    TranslatedLanguage,
    typeof translation
  >)
  .partial()
export type FirmTranslations = z.output<typeof firmTranslations>
