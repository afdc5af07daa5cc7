import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paper } from './paper.ts'

test('the theme colour equals the page background', () => {
  const tokens = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
  const grounds = [...tokens.matchAll(/--paper: (#\w+);/g)].map(([, color]) => color)
  expect(grounds).toEqual([paper.light, paper.dark])
})
