import { z } from 'zod'
import { msg } from '#shared/i18n/t.ts'
import { type Topic, topics } from '#shared/live.ts'
import { defineCall } from './define.ts'

/**
 * The only stream (server-sent events): `open` at the start, after which nothing is missed; `changed` with `data`;
 * comments as heartbeats.
 */
export const live = defineCall({
  id: 'live.stream',
  method: 'GET',
  path: '/live',
  permission: 'account',
  stream: true,
  summary:
    'Tells which kinds of one’s own lists have changed, an admin of everybody’s, until the session ends or its access token expires',
  message: msg('A stream of events'),
  data: z.object({ topics: z.array(z.enum(Object.keys(topics) as Topic[])) }),
  refusals: ['rate_limited', 'not_ready'],
})
