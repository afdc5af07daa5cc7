import type { CannedAnswer } from '#shared/contract/canned-answers.ts'

/** Answers with all these words in their title or text, those with the first word in their title before the others. */
export function matching(answers: readonly CannedAnswer[], q: string): CannedAnswer[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return [...answers]
  const found = answers.filter(({ title, text }) => {
    const searched = `${title}\n${text}`.toLowerCase()
    return words.every(word => searched.includes(word))
  })
  const inTitle = Map.groupBy(found, ({ title }) => title.toLowerCase().includes(first))
  return [...(inTitle.get(true) ?? []), ...(inTitle.get(false) ?? [])]
}
