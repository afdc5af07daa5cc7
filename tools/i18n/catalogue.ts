import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser'
import { type Language, sourceLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { locales } from '#shared/i18n/locales.ts'
import { keyOf, parseMessage } from '#shared/i18n/message.ts'
import type ts from '#tools/typescript-api.ts'
import { allCallsIn, hasTexts, parseSource, passedIn, type TextCall } from './calls.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'shared/i18n/catalogue')

/** The files of the catalogue, in the order in which they claim texts, and the folders whose texts they have. */
const areas = {
  shared: 'shared/',
  server: 'server/',
  site: 'web/site/',
  account: 'web/account/',
  dashboard: 'web/dashboard/',
  console: 'web/admin/',
  pages: 'web/',
} as const
type Area = keyof typeof areas

export type Translations = Partial<Record<Language, string>>
export type Message = { key: string; text: string; area: Area; places: string[] }
export type Source = { path: string; code: string }
export type Found = { messages: Map<string, Message>; problems: string[] }

/** The sources whose texts people read. */
export function sources(): Source[] {
  return ['shared', 'server', 'web'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map(name => `${folder}/${name}`)
      .sort()
      .map(path => ({ path, code: readFileSync(join(ROOT, path), 'utf8') })),
  )
}

/** Finds every text of the sources, and each call from which none can be found. */
export function findTexts(files: Source[]): Found {
  const messages = new Map<string, Message>()
  const problems: string[] = []
  for (const { path, code } of files) {
    if (!hasTexts(code)) continue
    const file = parseSource(path, code)
    const placeOf = (node: ts.Node) =>
      `${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`
    for (const node of passedIn(file))
      problems.push(
        `${placeOf(node)} The build finds calls alone: call ${node.getText(file)}(…) by this name.`,
      )
    for (const call of allCallsIn(file)) {
      const place = placeOf(call.node)
      const problem = problemOf(call)
      if (problem !== undefined) problems.push(`${place} ${problem}`)
      else if (call.text !== undefined) add(messages, call, path, place)
    }
  }
  return { messages, problems }
}

function add(messages: Map<string, Message>, { text, context }: TextCall, path: string, place: string): void {
  const key = keyOf(text!, context)
  const area = areaOf(path)
  const known = messages.get(key)
  if (!known) messages.set(key, { key, text: text!, area, places: [place] })
  else {
    known.places.push(place)
    const order = Object.keys(areas)
    if (order.indexOf(area) < order.indexOf(known.area)) known.area = area
  }
}

function areaOf(path: string): Area {
  return (Object.keys(areas) as Area[]).find(area => path.startsWith(areas[area]))!
}

function problemOf({ kind, text, values, isConstant }: TextCall): string | undefined {
  if (kind === 'translate') return isConstant ? constant : undefined
  if (text === undefined)
    return 'The text must be a literal. A text that a constant names is written with translate().'
  if (kind !== 'msg' && isConstant) return constant
  const needed = argumentsIn(text, sourceLanguage)
  if (typeof needed === 'string') return `"${text}" is no ICU message: ${needed}`
  if (kind === 'msg' && needed.size > 0) return `"${text}" has values, which msg() does not put in.`
  if (kind === 't' && [...needed.values()].includes('tag')) return `"${text}" has tags: write it with tr().`
  if (values === undefined) return undefined
  const given = [...values.keys()]
  if (given.length === needed.size && given.every(name => needed.has(name))) return undefined
  return `"${text}" needs the values ${[...needed.keys()].join(', ') || '(none)'}; it gets ${given.join(', ') || '(none)'}.`
}
const constant = 'No language is known while a module is loaded: name the text with msg().'

/** The names in a message and their kinds, or why it cannot be read. */
function argumentsIn(message: string, language: Language): Map<string, string> | string {
  const found = new Map<string, string>()
  try {
    collect(parseMessage(message, language), found)
    return found
  } catch (error) {
    return (error as Error).message
  }
}

const kindNames: Partial<Record<TYPE, string>> = {
  [TYPE.argument]: 'value',
  [TYPE.number]: 'number',
  [TYPE.plural]: 'plural',
  [TYPE.select]: 'select',
  [TYPE.tag]: 'tag',
}

function collect(elements: MessageFormatElement[], found: Map<string, string>): void {
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue
    const kind = kindNames[element.type]
    if (kind === undefined) throw new Error('dates and times are written before they are put in')
    if (found.get(element.value) !== 'plural') found.set(element.value, kind)
    if (element.type === TYPE.tag) collect(element.children, found)
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue
    if (element.type === TYPE.plural && element.offset !== 0) throw new Error('plurals have no offset here')
    for (const { value } of Object.values(element.options)) collect(value, found)
  }
}

/** What is wrong with the translations of a message. */
export function problemsOf({ key, text, places }: Message, translations: Translations | undefined): string[] {
  return translatedLanguages.flatMap(language => {
    const problem = problemIn(text, translations?.[language], language)
    return problem === undefined ? [] : [`${places[0]} "${key}" in ${language}: ${problem}`]
  })
}

function problemIn(text: string, translation: string | undefined, language: Language): string | undefined {
  if (!translation) return 'not translated'
  const needed = argumentsIn(text, sourceLanguage) as Map<string, string>
  const found = argumentsIn(translation, language)
  if (typeof found === 'string') return `no ICU message: ${found}`
  const wrong = [...new Set([...needed.keys(), ...found.keys()])].filter(
    name => !sameUse(needed.get(name), found.get(name)),
  )
  if (wrong.length > 0) return `other values or tags than in English: ${wrong.join(', ')}`
  return missingForms(parseMessage(translation, language), language)
}

/** A language may have a plural where English has a plain number, and the other way round. */
function sameUse(one: string | undefined, other: string | undefined): boolean {
  const counts = ['number', 'plural', 'value']
  return one === other || (counts.includes(one ?? '') && counts.includes(other ?? ''))
}

function missingForms(elements: MessageFormatElement[], language: Language): string | undefined {
  for (const element of elements) {
    if (element.type === TYPE.tag) {
      const missing = missingForms(element.children, language)
      if (missing !== undefined) return missing
    }
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue
    if (element.type === TYPE.plural) {
      const type = element.pluralType ?? 'cardinal'
      const { pluralCategories } = new Intl.PluralRules(locales[language].numbers, {
        type,
      }).resolvedOptions()
      // A fraction or a million: `other` says it well enough.
      const missing = pluralCategories
        .filter(form => form !== 'many' || language === 'ar')
        .filter(form => !(form in element.options))
      if (missing.length > 0) return `no plural for ${missing.join(', ')}`
    }
    for (const { value } of Object.values(element.options)) {
      const missing = missingForms(value, language)
      if (missing !== undefined) return missing
    }
  }
  return undefined
}

/** The catalogue as its files have it, by key. A text may be in two files after a merge; both are looked through. */
export function readCatalogue(): Map<string, Translations> {
  const known = new Map<string, Translations>()
  for (const area of Object.keys(areas) as Area[]) {
    for (const [key, translations] of Object.entries(readArea(area))) {
      known.set(key, { ...known.get(key), ...translations })
    }
  }
  return known
}

function readArea(area: Area): Record<string, Translations> {
  return JSON.parse(readFileSync(fileOf(area), 'utf8'))
}

function fileOf(area: Area): string {
  return join(FOLDER, `${area}.json`)
}

/** The files as they must be: each text in that of its area, in order, with all languages. */
export function catalogueFiles({ messages }: Found, known: Map<string, Translations>): Map<string, string> {
  const files = new Map<string, string>()
  for (const area of Object.keys(areas) as Area[]) {
    const own = [...messages.values()].filter(message => message.area === area)
    const sorted = own.sort((one, other) => (one.key < other.key ? -1 : 1))
    const entries = sorted.map(({ key }) => [
      key,
      Object.fromEntries(translatedLanguages.map(language => [language, known.get(key)?.[language] ?? ''])),
    ])
    files.set(fileOf(area), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
  }
  return files
}

export function writeCatalogue(files: Map<string, string>): void {
  for (const [path, content] of files) writeFileSync(path, content)
}
