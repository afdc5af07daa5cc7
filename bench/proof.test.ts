import { expect, test } from 'vitest'
import { findChromium } from '#tools/chromium.ts'
import { createProgress } from '#tools/console.ts'
import { benchProof, smokeProof } from './proof.ts'

const here = test.skipIf(findChromium() === null)

here('every figure of the public proof is measured', { timeout: 180_000 }, async () => {
  const { figures } = await benchProof(smokeProof, createProgress(), new AbortController().signal)
  expect(figures.map(({ name }) => name)).toEqual([
    'millionSealed',
    'millionInTree',
    'writerMemory',
    'millionVerified',
    'verifierPerSha256',
    'checkInBrowser',
  ])
  for (const { name, value } of figures) expect(value, name).toBeGreaterThan(0)
})
