import { answerQuestions } from '#server/platform/thread.ts'
import { mostNameHits } from '#shared/limits.ts'
import type { Answer, ListedName, NameHit, Question } from './matcher.ts'
import { NameIndex } from './name-index.ts'

/** The thread that compares names with the lists. With 200,000 names on them, one takes less than a tenth of a millisecond, the slowest we know a tenth of a second. */

type Of = Pick<ListedName, 'list' | 'entry'>

let held: { key: string; index: NameIndex<Of> } | undefined

function answer(question: Question): Answer {
  const { key } = question
  if ('listed' in question) {
    // First, so that two indexes are never in memory.
    held = undefined
    held = { key, index: new NameIndex(question.listed.map(({ name, ...of }) => ({ name, of }))) }
    return null
  }
  if (held?.key !== key) return null
  const { index } = held
  return question.names.map(name => hitsOrError(index, name))
}

/** One that cannot be compared keeps no other name from that. */
function hitsOrError(index: NameIndex<Of>, name: string): NameHit[] | Error {
  try {
    return hitsIn(index, name)
  } catch (error) {
    return error as Error
  }
}

/** All names that are alike, of the entries that have the most alike ones. */
function hitsIn(index: NameIndex<Of>, name: string): NameHit[] {
  const hits = index.search(name).map(({ name: listed, of, score }) => ({ ...of, name: listed, score }))
  const best = new Set([...Map.groupBy(hits, entryOf).keys()].slice(0, mostNameHits))
  return hits.filter(hit => best.has(entryOf(hit)))
}

function entryOf({ list, entry }: NameHit): string {
  return `${list} ${entry}`
}

answerQuestions(answer, { yields: true })
