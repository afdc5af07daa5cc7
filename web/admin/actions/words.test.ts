import { expect, test } from 'vitest'
import { auditActions } from '#shared/audit.ts'
import { actionWords, subjectWords } from './words.ts'

test('[N-12] every action has words like its name', () => {
  for (const action of auditActions) {
    expect(actionWords(action).toLowerCase()).toBe(action.replace(/[._]/g, ' '))
  }
})

test('[N-12] an action or subject without words of its own is shown by its name', () => {
  expect(actionWords('account.merged_twice')).toBe('Account merged twice')
  expect(subjectWords('api_key')).toBe('Api key')
  expect(subjectWords('old_thing')).toBe('Old thing')
})
