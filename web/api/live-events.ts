import type { Topic } from '#shared/live.ts'

/** What the server's stream says: that it is open, what has changed, or only that it is alive. */
export type LiveEvent = { kind: 'open' } | { kind: 'changed'; topics: Topic[] } | { kind: 'alive' }

/**
 * Reads server-sent events (WHATWG HTML, 9.2.6) as far as our server uses them: `event`, one line of `data`, comments.
 * @returns takes the next piece of text, and gives the words that it completes
 */
export function eventReader(): (piece: string) => LiveEvent[] {
  let unread = ''
  return piece => {
    const blocks = (unread + piece).split('\n\n')
    unread = blocks.pop()!
    return blocks.map(eventOf)
  }
}

function eventOf(block: string): LiveEvent {
  const fields = new Map(
    block.split('\n').map(line => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
  )
  const kind = fields.get('event')
  if (kind === 'open') return { kind }
  if (kind === 'changed') return { kind, ...(JSON.parse(fields.get('data')!) as { topics: Topic[] }) }
  return { kind: 'alive' }
}

const firstWaitMs = 1_000
const longestWaitMs = 60_000

/**
 * How long to wait before the stream is opened again: longer after each failure, and never as long as others, so that
 * the pages of a server that was started again do not all come at once.
 * @param failures in a row; after a stream that ended as it should, 0
 * @param askedMs what the server asked to wait (Retry-After)
 */
export function reconnectDelay(failures: number, askedMs = 0, random = Math.random()): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** failures)
  return Math.max(askedMs, longest / 2) + (random * longest) / 2
}
