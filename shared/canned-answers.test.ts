import { expect, test } from 'vitest'
import { fillAnswer, unfilledPlaceholders, unknownPlaceholders } from './canned-answers.ts'

const message = { name: ' Vera  Visitor', subject: 'Where is $& it?', about: { label: 'DEP-2026-000012' } }
const text = 'Hello {first name}, thank you for "{subject}". {number} has arrived, {first name}.'

test('[N-14] a prepared answer is filled from the message', () => {
  expect(fillAnswer(text, message)).toBe(
    'Hello Vera, thank you for "Where is $& it?". DEP-2026-000012 has arrived, Vera.',
  )
})

test('[N-14] a placeholder without a value stays, and is found before sending', () => {
  const filled = fillAnswer(text, { ...message, about: null })
  expect(filled).toContain('{number} has arrived')
  expect(unfilledPlaceholders(filled)).toEqual(['{number}'])
  expect(unfilledPlaceholders('{constructor} {Number}')).toEqual([])
})

test('[N-14] a value is never read as a placeholder itself', () => {
  expect(fillAnswer('{first name}: {subject}', { ...message, subject: '{first name}' })).toBe(
    'Vera: {first name}',
  )
})

test('[N-14] other texts in braces are no placeholders', () => {
  expect(unknownPlaceholders('{first name} {name} {name} {} {number}')).toEqual(['{name}', '{}'])
})
