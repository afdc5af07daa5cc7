import { msg } from '#shared/i18n/t.ts'

/** What stands in a prepared answer for a detail of the message that it answers, and its meaning (for `translate`). */
export const placeholders = {
  '{first name}': msg('the first name of the person who wrote'),
  '{subject}': msg('the subject of their message'),
  '{number}': msg('the number of the record that it is about'),
} as const
type Placeholder = keyof typeof placeholders

/** What a reply is filled from. */
export type Answered = { name: string; subject: string; about: { label: string } | null }

const braced = /\{[^{}]*\}/g

/** Texts in braces that are no placeholder: they would be sent as they are. */
export function unknownPlaceholders(text: string): string[] {
  return [...new Set(text.match(braced) ?? [])].filter(found => !isPlaceholder(found))
}

/** A prepared answer for this message. A placeholder without a value stays, so that its writer fills it in. */
export function fillAnswer(text: string, { name, subject, about }: Answered): string {
  const values = new Map<string, string | undefined>([
    ['{first name}', name.trim().split(/\s+/)[0]],
    ['{subject}', subject],
    ['{number}', about?.label],
  ] satisfies [Placeholder, string | undefined][])
  return text.replace(braced, found => values.get(found) ?? found)
}

/** Placeholders that are still in a reply. */
export function unfilledPlaceholders(text: string): string[] {
  return [...new Set(text.match(braced) ?? [])].filter(isPlaceholder)
}

function isPlaceholder(text: string): text is Placeholder {
  return Object.hasOwn(placeholders, text)
}
