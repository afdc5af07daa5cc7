import type { Topic } from '#shared/live.ts'

/** An event of the server's stream: opened, something changed, or a heartbeat. */
export type LiveEvent = { kind: 'open' } | { kind: 'changed'; topics: Topic[] } | { kind: 'alive' }

/**
 * Parses server-sent events (WHATWG HTML, 9.2.6) as our server sends them: `event`, one `data` line, comments.
 * @returns takes the next piece of text and returns the completed events
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
 * Delay before reconnecting: exponential with jitter, so that pages do not all return at once after a restart.
 * @param failures in a row; 0 after a stream that ended normally
 * @param askedMs the server's Retry-After
 */
export function reconnectDelay(failures: number, askedMs = 0, random = Math.random()): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** failures)
  return Math.max(askedMs, longest / 2) + (random * longest) / 2
}
