import { live } from '#shared/contract/live.ts'
import { liveHeartbeatSeconds } from '#shared/live.ts'
import { asSignedIn } from './call.ts'
import { ApiError } from './errors.ts'
import { eventReader, type LiveEvent, reconnectDelay } from './live-events.ts'
import { readAgain, readAllAgain } from './live-reads.ts'
import { sessionLeft } from './session.ts'

/** Silence after which the stream counts as dead: two lost heartbeats. */
const silenceMs = liveHeartbeatSeconds * 3_000
/** Polling interval of a visible page without a stream, in milliseconds. */
const lookEveryMs = 30_000
/** A page hidden for longer, in milliseconds, leaves the stream to others. */
const hiddenMs = 30_000

/** Messages between this browser's pages; a new page says hello to ask for a running stream. */
type Message = LiveEvent | { kind: 'hello' }

/**
 * Keeps the page up to date with other people's changes. One page per browser holds the stream and shares its events;
 * a hidden page gives it up; without a stream, visible pages poll.
 * @returns stops following
 */
export function followChanges(): () => void {
  const channel = new BroadcastChannel('probity.live')
  /** This page's claim to the stream, held or queued. */
  let claim: AbortController | undefined
  let hasStream = false
  let lastEventAt = 0
  let hiding: ReturnType<typeof setTimeout> | undefined

  function receive(event: LiveEvent) {
    // Changes between the first read and the first event were missed.
    const isFirst = lastEventAt === 0
    lastEventAt = Date.now()
    if (event.kind === 'open' || isFirst) readAllAgain()
    else if (event.kind === 'changed') readAgain(event.topics)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'hello') receive(data)
    else if (hasStream) channel.postMessage({ kind: 'alive' } satisfies Message)
  }

  function claimStream() {
    if (claim) return
    const own = new AbortController()
    claim = own
    const publish = (event: LiveEvent) => {
      hasStream = true
      receive(event)
      channel.postMessage(event satisfies Message)
    }
    void alone(own.signal, () => keepOpen(publish, own.signal)).finally(() => {
      hasStream = false
      if (claim === own) claim = undefined
    })
  }
  function leaveStream() {
    claim?.abort()
    claim = undefined
  }
  function turned() {
    clearTimeout(hiding)
    if (document.visibilityState === 'visible') claimStream()
    else hiding = setTimeout(leaveStream, hiddenMs)
  }

  const looking = setInterval(() => {
    const isSilent = Date.now() - lastEventAt > silenceMs
    if (isSilent && document.visibilityState === 'visible') readAllAgain()
  }, lookEveryMs)

  function stop() {
    clearInterval(looking)
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', turned)
    leaveStream()
    channel.close()
    forgetLeft()
  }
  // No error toast after logging out.
  const forgetLeft = sessionLeft.on(stop)
  document.addEventListener('visibilitychange', turned)
  channel.postMessage({ kind: 'hello' } satisfies Message)
  turned()
  return stop
}

/** Runs when no other page of this browser does; without locks, at once. */
async function alone(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return work()
  await navigator.locks.request('probity.live', { signal }, work).catch(() => {})
}

/** Keeps the stream open until the claim is released or the session ends. */
async function keepOpen(publish: (event: LiveEvent) => void, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let askedMs = 0
    try {
      await listen(event => {
        failures = 0
        publish(event)
      }, signal)
    } catch (error) {
      // Released: another page may take over.
      if (signal.aborted) return
      failures += 1
      // The session's end has been reported.
      if (error instanceof ApiError && error.status === 401) return
      if (error instanceof Busy) askedMs = error.askedMs
    }
    await pause(reconnectDelay(failures, askedMs), signal)
  }
}

/** The server has no free stream or cannot follow changes itself. */
class Busy extends Error {
  readonly askedMs: number
  constructor(askedMs: number) {
    super('no event stream available')
    this.askedMs = askedMs
  }
}

/**
 * One stream from start to end.
 * @throws ApiError if the session is over, Busy, or a network error
 */
async function listen(publish: (event: LiveEvent) => void, signal: AbortSignal): Promise<void> {
  const silent = new AbortController()
  let watch = setTimeout(() => silent.abort(), silenceMs)
  try {
    const response = await asSignedIn(access => open(access, AbortSignal.any([signal, silent.signal])))
    const read = eventReader()
    const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
      clearTimeout(watch)
      watch = setTimeout(() => silent.abort(), silenceMs)
      for (const event of read(piece.value)) publish(event)
    }
  } finally {
    clearTimeout(watch)
  }
}

async function open(access: string, signal: AbortSignal): Promise<Response> {
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${access}` }
  const response = await fetch(`/api${live.path}`, { headers, signal, cache: 'no-store' })
  if (response.ok && response.body) return response
  if (response.status === 401) throw new ApiError(401, await response.json())
  throw new Busy(Number(response.headers.get('Retry-After') ?? 0) * 1000)
}

/** Ends early when the browser is back online or the claim is released. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
