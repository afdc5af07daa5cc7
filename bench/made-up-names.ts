import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names that nobody bears, made of letters as they follow each other in real ones. */

/** Words of the labelled pairs, from which others are made up. */
export function realWords(): string[] {
  const folder = join(import.meta.dirname, '../test/screening/pairs')
  const text = ['tuning.tsv', 'held-out.tsv'].map(file => readFileSync(join(folder, file), 'utf8')).join('\n')
  const names = text.split('\n').flatMap(line => line.split('\t').slice(0, 2))
  return names.flatMap(name => name.toLowerCase().match(/[a-z]{3,}/g) ?? [])
}

/** A random number below 1, the same ones for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Words whose letters follow each other as in real names: each letter after the two before it. */
export function madeUp(words: readonly string[], count: number, random: () => number): string[] {
  const follows = new Map<string, string[]>()
  for (const word of words) {
    const text = `^^${word}$`
    for (let at = 2; at < text.length; at += 1) {
      const before = text.slice(at - 2, at)
      follows.set(before, [...(follows.get(before) ?? []), text[at]!])
    }
  }
  const made = new Set<string>()
  while (made.size < count) {
    let text = '^^'
    while (!text.endsWith('$')) {
      const next = follows.get(text.slice(-2))!
      text += next[Math.floor(random() * next.length)]
    }
    const word = text.slice(2, -1)
    if (word.length >= 3 && word.length <= 16) made.add(word)
  }
  return [...made]
}
