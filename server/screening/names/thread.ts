import { answerQuestions } from '#server/platform/thread.ts'
import { mostNameHits } from '#shared/limits.ts'
import type { Answer, ListedName, NameHit, Question } from './matcher.ts'
import { NameIndex } from './name-index.ts'

/** The thread that compares names with the lists: with 100,000 entries, a name takes about a millisecond. */

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
  return question.names.map(name => bestOfEach(index, name))
}

function bestOfEach(index: NameIndex<Of>, name: string): NameHit[] {
  const best = new Map<string, NameHit>()
  for (const { name: listed, of, score } of index.search(name)) {
    const at = `${of.list} ${of.entry}`
    if (!best.has(at)) best.set(at, { ...of, name: listed, score })
  }
  return [...best.values()].slice(0, mostNameHits)
}

answerQuestions(answer, { yields: true })
