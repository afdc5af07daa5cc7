import { partsOf, type Values } from './message.ts'

/**
 * Every text that people read is written in English where it is used, as an ICU message, and translated by the
 * catalogue (shared/i18n/catalogue). In browsers nothing of this runs: their build has the words of its language.
 */

type Plain = Record<string, string | number | bigint>

/**
 * A text in the current language.
 * @param text a literal, so that it can be found: 'Hello {name}', '{count, plural, one {# day} other {# days}}'
 * @param context tells two meanings of one English text apart
 */
export function t(text: string, values: Plain = {}, context?: string): string {
  return partsOf(text, values as Values, context, joined).join('')
}

/** Names a text that is defined where no language is known yet, for example in a constant; `translate` writes it. */
export function msg<const T extends string>(text: T): T {
  return text
}

/** Writes a text that `msg` named. */
export function translate(text: string): string {
  return t(text)
}

function joined(parts: unknown[]): string {
  return parts.join('')
}
