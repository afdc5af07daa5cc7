import type { FirmSector, FirmTexts } from '#shared/contract/firm-texts.ts'
import {
  type FirmBlock,
  type FirmLine,
  type FirmList,
  type FirmText,
  firmBlocks,
  firmLines,
  firmLists,
  firmTextRules,
  type LegalSentence,
  legalSentences,
  type SectorDrawing,
} from '#shared/firm-texts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Values } from '#web/admin/versions/changes.ts'
import { capital } from '#web/ui/capital.ts'

/** A list entry as typed; a sector's points are lines. */
export type Entry = Record<string, string>
/** The texts as typed; empty means none. */
export type Draft = Record<FirmLine | FirmBlock, string> & Record<FirmList, Entry[]>

/** The title is for `translate`. */
export type TextGroup = { title: string; fields: readonly (FirmLine | FirmBlock | FirmList)[] }

/** Texts by page, each edited separately. */
export const textGroups: readonly TextGroup[] = [
  {
    title: msg('Home page'),
    fields: [
      'heading',
      'introduction',
      'teaserHeading',
      'teaser',
      'processLead',
      'footerLine',
      'description',
    ],
  },
  {
    title: msg('About us'),
    fields: ['aboutHeading', 'aboutLead', 'storyHeading', 'story', 'values', 'services'],
  },
  { title: msg('Sectors'), fields: ['servicesLead', 'sectorsHeading', 'sectorsLead', 'sectors'] },
  { title: msg('Questions and contact'), fields: ['questions', 'contactLead'] },
]

export function isList(field: string): field is FirmList {
  return field in firmLists
}

const lineNames = Object.keys(firmLines) as FirmLine[]
const blockNames = Object.keys(firmBlocks) as FirmBlock[]

export function draftOf(texts: FirmTexts): Draft {
  const simple = [...lineNames, ...blockNames].map(name => [name, texts[name] ?? ''])
  const { values, services, questions, sectors } = texts
  const drawn = sectors.map(({ drawing, ...sector }) => ({ ...sectorDraft(sector), drawing: drawing ?? '' }))
  return { ...Object.fromEntries(simple), values, services, questions, sectors: drawn }
}

/** A sector's words as typed. */
export function sectorDraft({ text, evidence, seek, avoid, ...rest }: Omit<FirmSector, 'drawing'>): Entry {
  return {
    ...rest,
    text: text ?? '',
    seek: seek.join('\n'),
    avoid: avoid.join('\n'),
    evidence: evidence ?? '',
  }
}

/** The request; the server validates it. */
export function textsOf(draft: Draft): FirmTexts {
  const simple = [...lineNames, ...blockNames].map(name => [name, draft[name].trim() || null])
  const { values, services, questions, sectors } = draft
  return {
    ...Object.fromEntries(simple),
    values,
    services,
    questions,
    sectors: sectors.map(sectorOf),
  } as unknown as FirmTexts
}

export function sectorOf({
  title,
  brief,
  text = '',
  seek = '',
  avoid = '',
  evidence = '',
  drawing = '',
}: Entry) {
  const optional = (typed: string) => typed.trim() || null
  return {
    title,
    brief,
    text: optional(text),
    seek: linesOf(seek),
    avoid: linesOf(avoid),
    evidence: optional(evidence),
    drawing: drawing || null,
  }
}

function linesOf(typed: string): string[] {
  return typed
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}

/** Labels of the fields of an entry, for `translate`. */
export const entryLabels: Record<string, string> = {
  title: msg('Title'),
  text: msg('Text'),
  brief: msg('Summary'),
  seek: msg('What we look for'),
  avoid: msg('What we avoid'),
  evidence: msg('Evidence we record'),
  drawing: msg('Drawing'),
}

const drawingNames: Record<SectorDrawing, string> = {
  technology: msg('Technology'),
  property: msg('Property'),
  retirement: msg('Retirement'),
}

export function drawingName(drawing: string): string {
  return drawing in drawingNames ? translate(drawingNames[drawing as SectorDrawing]) : capital(drawing)
}

/** 'value 3', inside of a sentence. */
export function entryName(list: FirmList, number: number): string {
  switch (list) {
    case 'values':
      return t('value {number}', { number })
    case 'services':
      return t('service {number}', { number })
    case 'sectors':
      return t('sector {number}', { number })
    case 'questions':
      return t('question {number}', { number })
  }
}

/** 'Title · Text'; the further fields of a sector carry their labels. */
export function shownEntry({ title = '', text = '', ...further }: Entry): string {
  const labelled = Object.entries(further)
    .filter(([, typed]) => typed.trim() !== '')
    .map(([field, typed]) =>
      t('{field}: {text}', {
        field: translate(entryLabels[field]!),
        text: field === 'drawing' ? drawingName(typed) : typed,
      }),
    )
  return [title, ...labelled, text]
    .map(part => part.trim().replaceAll('\n', '; '))
    .filter(Boolean)
    .join(' · ')
}

/** Texts as typed, of which some may be left out. */
type Typed = Partial<Record<Exclude<FirmText, FirmList>, string> & Record<FirmList, readonly Entry[]>>

const allTexts: readonly FirmText[] = [
  ...textGroups.flatMap(group => group.fields),
  ...(Object.keys(legalSentences) as LegalSentence[]),
]

/** The values by which versions are compared. Every place of a list counts, so that a removed entry is a change. */
export function shownTexts(typed: Typed, names = allTexts): Values {
  return names.flatMap((name): Values => {
    if (!isList(name)) return typed[name] === undefined ? [] : [[labelOf(name), typed[name].trim()]]
    return Array.from({ length: firmLists[name].max }, (_, place) => [
      capital(entryName(name, place + 1)),
      shownEntry(typed[name]?.[place] ?? {}),
    ])
  })
}

export function labelOf(name: FirmText): string {
  return translate(firmTextRules[name].label)
}

/** A new entry. */
export function emptyEntry(list: FirmList): Entry {
  return list === 'sectors'
    ? { title: '', brief: '', text: '', seek: '', avoid: '', evidence: '', drawing: '' }
    : { title: '', text: '' }
}

/** Field names as in the server's errors. */
export function fieldNamesOf(draft: Draft, { fields }: TextGroup): string[] {
  return fields.flatMap(field => {
    if (!isList(field)) return [`texts.${field}`]
    return draft[field].flatMap((entry, place) =>
      Object.keys(entry).map(name => `texts.${field}.${place}.${name}`),
    )
  })
}
