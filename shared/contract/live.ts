import { z } from 'zod'
import { type Topic, topics } from '#shared/live.ts'
import { defineCall } from './define.ts'

/**
 * The one call that answers a stream (server-sent events) and no JSON. Its events: `open` at the start, after which
 * nothing is missed; `changed`, with `data` as below; and comments, so that a silent stream can be told from a dead one.
 */
export const live = defineCall({
  id: 'live.stream',
  method: 'GET',
  path: '/live',
  permission: 'account',
  stream: true,
  summary:
    'Tells which kinds of one’s own lists have changed, an admin of everybody’s, until the session ends or its access token expires',
  message: 'A stream of events',
  data: z.object({ topics: z.array(z.enum(Object.keys(topics) as Topic[])) }),
  refusals: ['rate_limited', 'not_ready'],
})
