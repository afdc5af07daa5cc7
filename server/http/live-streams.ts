import { Readable } from 'node:stream'
import type { Caller } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { liveHeartbeatSeconds, type Topic, topics } from '#shared/live.ts'
import { may } from '#shared/roles.ts'

/** Changes within this time, in milliseconds, form one batch, so an admin's console copes with any rate of requests. */
const BATCH_MS = 100
/** Streams per account and process, one per browser: its tabs share it. */
const PER_USER = 10
/** Streams per process. */
const IN_ALL = 2_000
/** Maximum bytes buffered for a slow client. */
const MOST_UNSENT = 16 * 1024

const HEARTBEAT = ':\n\n'
const OPENED = 'event: open\ndata: {}\n\n'

export type LiveOptions = {
  /** False while notifications cannot arrive. */
  isHearing: () => boolean
  heartbeatMs?: number
  perUser?: number
  inAll?: number
}

/** One open page: its user and its pending topics. */
type LiveStream = { caller: Caller; content: Readable; untold: Set<Topic> }

/** The streams of this process, each with the lists that its account may read. */
export class LiveStreams {
  readonly #options: Required<LiveOptions>
  readonly #all = new Set<LiveStream>()
  readonly #byUser = new Map<string, Set<LiveStream>>()
  /** Streams with an event to send when the batch ends. */
  readonly #waiting = new Set<LiveStream>()
  #batchTimer: NodeJS.Timeout | undefined
  readonly #heartbeat: NodeJS.Timeout
  #closed = false

  constructor(options: LiveOptions) {
    this.#options = { heartbeatMs: liveHeartbeatSeconds * 1000, perUser: PER_USER, inAll: IN_ALL, ...options }
    this.#heartbeat = setInterval(() => this.#beat(), this.#options.heartbeatMs)
    this.#heartbeat.unref()
  }

  /**
   * Opens a stream, which reports every later commit.
   * @param lifetimeMs how long its access token is still valid
   * @throws AppError rate_limited, not_ready
   */
  open(caller: Caller, lifetimeMs: number): Readable {
    const { perUser, inAll, isHearing } = this.#options
    const own = this.#byUser.get(caller.userId) ?? new Set()
    if (own.size >= perUser) {
      throw new AppError('rate_limited', t('Too many open pages of this account receive live updates'), {
        retryAfterSeconds: 60,
      })
    }
    if (this.#closed || this.#all.size >= inAll || !isHearing()) {
      throw new AppError(
        'not_ready',
        t('Live updates are not available right now. Please try again later.'),
        {
          retryAfterSeconds: 30,
        },
      )
    }
    const content = new Readable({ read() {} })
    const stream = { caller, content, untold: new Set<Topic>() }
    this.#all.add(stream)
    this.#byUser.set(caller.userId, own.add(stream))
    const expiry = setTimeout(() => this.#end(stream), lifetimeMs)
    expiry.unref()
    content.once('close', () => {
      clearTimeout(expiry)
      this.#forget(stream)
    })
    content.push(OPENED)
    return content
  }

  /** A committed change, as notified by the database: a topic and the users whose lists changed. */
  tell(payload: string): void {
    const [topic, ...users] = payload.split(' ')
    if (!isTopic(topic)) return
    for (const audience of topics[topic]) {
      if (audience === 'owner') {
        for (const user of users) for (const stream of this.#byUser.get(user) ?? []) this.#owe(stream, topic)
        continue
      }
      for (const stream of this.#all) {
        if (audience === 'everybody' || may(stream.caller.role, 'console')) this.#owe(stream, topic)
      }
    }
  }

  /** Changes may have been missed, so every list may have changed. */
  tellAll(): void {
    for (const stream of this.#all) {
      for (const topic of Object.keys(topics) as Topic[]) {
        const isInvestors = topics[topic].some(audience => audience !== 'admins')
        if (isInvestors || may(stream.caller.role, 'console')) this.#owe(stream, topic)
      }
    }
  }

  /** Ends the streams of an ended session. */
  endSession(sessionId: string): void {
    for (const stream of this.#all) if (stream.caller.sessionId === sessionId) this.#end(stream)
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.#closed = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#batchTimer)
    for (const stream of this.#all) this.#end(stream)
  }

  #owe(stream: LiveStream, topic: Topic): void {
    stream.untold.add(topic)
    this.#waiting.add(stream)
    this.#batchTimer ??= setTimeout(() => this.#tellWaiting(), BATCH_MS)
  }

  #tellWaiting(): void {
    this.#batchTimer = undefined
    for (const stream of this.#waiting) {
      const data = JSON.stringify({ topics: [...stream.untold] })
      stream.untold.clear()
      this.#send(stream, `event: changed\ndata: ${data}\n\n`)
    }
    this.#waiting.clear()
  }

  /** Without notifications, end all streams: the pages then poll. */
  #beat(): void {
    const isHearing = this.#options.isHearing()
    for (const stream of this.#all) {
      if (isHearing) this.#send(stream, HEARTBEAT)
      else this.#end(stream)
    }
  }

  #send({ content }: LiveStream, event: string): void {
    if (content.readableLength > MOST_UNSENT) content.destroy()
    else content.push(event)
  }

  /** After its end a stream gets nothing more, even if the client has not noticed. */
  #end(stream: LiveStream): void {
    this.#forget(stream)
    stream.content.push(null)
  }

  #forget(stream: LiveStream): void {
    const { userId } = stream.caller
    const own = this.#byUser.get(userId)
    this.#all.delete(stream)
    this.#waiting.delete(stream)
    own?.delete(stream)
    if (own?.size === 0) this.#byUser.delete(userId)
  }
}

function isTopic(name: string | undefined): name is Topic {
  return name !== undefined && Object.hasOwn(topics, name)
}
