import type { CheckKind } from '#shared/identity.ts'
import { idLoggedIn } from '#web/api/tokens.ts'

/** Answers of a form, by field. */
export type Answers = Readonly<Record<string, string | undefined>>

const keyOf = (kind: CheckKind) => `identity-${kind}`

/** What the reader typed in this tab and has not sent; never files. Logging out clears it (web/api/session.ts). */
export function draftOf(kind: CheckKind): Answers | undefined {
  const { of, answers } = JSON.parse(sessionStorage.getItem(keyOf(kind)) ?? '{}')
  if (of === idLoggedIn()) return answers
  // Someone else used this tab before.
  forgetDraft(kind)
  return undefined
}

export function keepDraft(kind: CheckKind, form: HTMLFormElement, names: readonly string[]): void {
  const data = new FormData(form)
  const answers = Object.fromEntries(names.map(name => [name, String(data.get(name) ?? '')]))
  sessionStorage.setItem(keyOf(kind), JSON.stringify({ of: idLoggedIn(), answers }))
}

export function forgetDraft(kind: CheckKind): void {
  sessionStorage.removeItem(keyOf(kind))
}
