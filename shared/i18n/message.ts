import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { catalogue } from './catalogue/index.ts'
import { number, plural, select } from './intl.ts'
import { languageNow } from './language.ts'
import { type Language, sourceLanguage } from './languages.ts'
import { locales } from './locales.ts'

/** A part of a written message: its words, a value that was put in, or what a tag made of the parts inside of it. */
export type Part = unknown
export type Values = Record<string, unknown>
/** Makes one part of many, where a plural or a tag has more than one. */
export type Join = (parts: Part[]) => Part

const parsed = new Map<string, MessageFormatElement[]>()

/** Where a text has another meaning than elsewhere, the catalogue keeps it under its context. */
export function keyOf(text: string, context?: string): string {
  return context === undefined ? text : `${text} [${context}]`
}

/** The message in a language, or in English as long as it is not translated. */
export function messageIn(language: Language, text: string, context?: string): string {
  if (language === sourceLanguage) return text
  return catalogue[keyOf(text, context)]?.[language] || text
}

/** Parses a message of ICU MessageFormat. @throws SyntaxError if it is none */
export function parseMessage(message: string, language: Language): MessageFormatElement[] {
  return parse(message, { locale: new Intl.Locale(locales[language].numbers), shouldParseSkeletons: true })
}

/** The parts of a message in the current language. tools/i18n/inline.ts writes the same as code for browsers. */
export function partsOf(text: string, values: Values, context: string | undefined, join: Join): Part[] {
  const language = languageNow()
  const message = messageIn(language, text, context)
  const key = `${language} ${message}`
  let elements = parsed.get(key)
  if (elements === undefined) {
    elements = parseMessage(message, language)
    parsed.set(key, elements)
  }
  return written(elements, values, join)
}

function written(elements: MessageFormatElement[], values: Values, join: Join, counted = 0): Part[] {
  const oneOf = (inner: MessageFormatElement[], count = counted) => {
    const parts = written(inner, values, join, count)
    return parts.length === 1 ? parts[0] : join(parts)
  }
  return elements.map(element => {
    switch (element.type) {
      case TYPE.literal:
        return element.value
      case TYPE.argument:
        return values[element.value]
      case TYPE.number:
        return number(values[element.value] as number)
      case TYPE.pound:
        return number(counted)
      case TYPE.plural: {
        const count = Number(values[element.value])
        const { value } = plural(count, element.options, element.pluralType === 'ordinal')
        return oneOf(value, count)
      }
      case TYPE.select:
        return oneOf(select(String(values[element.value]), element.options).value)
      case TYPE.tag:
        return (values[element.value] as (inner: Part) => Part)(oneOf(element.children))
      default:
        throw new TypeError(`Format dates and times before: ${element.value}`)
    }
  })
}
