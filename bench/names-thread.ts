import { parentPort, workerData } from 'node:worker_threads'
import { NameIndex } from '#server/screening/names/name-index.ts'
import { madeUp, realWords, seeded } from './made-up-names.ts'
import type { NamesScale, Share } from './names.ts'

const GIVEN_NAMES = 6_000
const FAMILY_NAMES = 60_000

const { people, entries, part, parts } = workerData as NamesScale & { part: number; parts: number }

/** Names of two or three words, the common ones more often. */
function composer(seed: number) {
  const random = seeded(1)
  const words = realWords()
  const given = madeUp(words, GIVEN_NAMES, random)
  const family = madeUp(words, FAMILY_NAMES, random)
  const next = seeded(seed)
  const often = (of: readonly string[]) => of[Math.floor(of.length * next() ** 2)]!
  return () => [often(given), ...(next() < 0.3 ? [often(given)] : []), often(family)].join(' ')
}

const began = performance.now()
const listed = composer(2)
const names = Array.from({ length: entries * 2 }, (_, of) => ({ name: listed(), of: Math.floor(of / 2) }))
const person = composer(3 + part)
const asked = Array.from({ length: Math.ceil(people / parts) }, person)
const makingSeconds = (performance.now() - began) / 1_000

const index = new NameIndex(names)
let matched = 0
let matches = 0
for (const name of asked) {
  const found = index.search(name).length
  matches += found
  if (found > 0) matched += 1
}
const share: Share = { names: names.length, matched, matches, makingSeconds }
parentPort!.postMessage(share)
