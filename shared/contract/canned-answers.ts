import { z } from 'zod'
import { placeholders, unknownPlaceholders } from '#shared/canned-answers.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestAnswerTitle, longestMessage, maximumAnswers } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, recordId, textBlock, textLine, timestamp, versionNumber } from './fields.ts'

const answer = z.object({
  _id: recordId,
  title: z.string(),
  text: z.string(),
  /** Counts its changes. */
  version: z.int(),
  changedAt: timestamp,
  changedBy: z.string(),
})
export type CannedAnswer = z.output<typeof answer>

const wording = z.object({
  title: textLine(msg('Title'), longestAnswerTitle),
  text: textBlock(msg('Text'), longestMessage).refine(text => unknownPlaceholders(text).length === 0, {
    error: () =>
      t('Only {placeholders} can be in braces', { placeholders: Object.keys(placeholders).join(', ') }),
  }),
})
/** The version that the caller has seen. */
const seen = z.object({ version: versionNumber })

export const listAnswers = defineCall({
  id: 'answer.list',
  method: 'GET',
  path: '/contact/answers',
  permission: 'care',
  summary: `All prepared answers to messages, by title; at most ${maximumAnswers}`,
  message: msg('Prepared answers'),
  data: z.array(answer),
})

export const newAnswer = defineCall({
  id: 'answer.new',
  method: 'POST',
  path: '/contact/answer/new',
  permission: 'care',
  summary: `Prepares an answer for replies to messages, with ${Object.keys(placeholders).join(', ')} for details of the message`,
  message: msg('Answer saved'),
  body: wording,
  data: answer,
  refusals: ['wrong_state'],
})

export const changeAnswer = defineCall({
  id: 'answer.change',
  method: 'PUT',
  path: '/contact/answer/change/:id',
  permission: 'care',
  summary: 'Changes a prepared answer; replies that were sent with it stay as they are',
  message: msg('Answer saved'),
  params: idParams,
  body: wording.extend(seen.shape),
  data: answer,
  refusals: ['not_found', 'wrong_state'],
})

export const deleteAnswer = defineCall({
  id: 'answer.delete',
  method: 'POST',
  path: '/contact/answer/delete/:id',
  permission: 'care',
  summary: 'Deletes a prepared answer; replies that were sent with it stay as they are',
  message: msg('Answer deleted'),
  params: idParams,
  body: seen,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})
