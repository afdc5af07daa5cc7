import type { Services } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { underSessionLock } from '#server/platform/database/session-lock.ts'
import { replies } from '#server/platform/metrics.ts'
import { mostRepliesAtOnce } from '#shared/limits.ts'
import { type Mailbox, openMailbox } from './mailbox.ts'
import { markRead } from './read-at.ts'
import { type LimitCall, takeReply } from './take.ts'

/**
 * Reads the mailbox of replies once, the oldest messages first. One process at a time does.
 * @param signal ends it at once: a message in progress stays for the next time
 * @returns how many messages it has dealt with; undefined if another process reads it
 * @throws Error if the mailbox or one of its messages failed; the others are dealt with, and it stays for the next time
 */
export function receiveReplies(
  services: Services,
  limitCall: LimitCall,
  signal: AbortSignal,
): Promise<number | undefined> {
  const lock = { name: 'probity replies', lock: [lockKeys.replies] }
  return underSessionLock(services.pool, lock, async () => {
    const mailbox = await openMailbox(services.config.replies!.mailboxUrl, signal)
    try {
      const done = await readAll(services, mailbox, { limitCall, signal })
      await markRead(services)
      return done
    } finally {
      mailbox.close()
    }
  })
}

type Reading = { limitCall: LimitCall; signal: AbortSignal }

async function readAll(
  services: Services,
  mailbox: Mailbox,
  { limitCall, signal }: Reading,
): Promise<number> {
  const uids = await mailbox.oldest(mostRepliesAtOnce)
  const errors: unknown[] = []
  for (const uid of uids) {
    if (signal.aborted) break
    try {
      const message = await mailbox.message(uid)
      if (message === null) continue
      const outcome = await takeReply(services, message, limitCall)
      await mailbox.file(uid, outcome)
      replies.inc({ outcome })
    } catch (error) {
      errors.push(error)
      replies.inc({ outcome: 'failed' })
    }
  }
  if (errors.length > 0) throw errors[0]
  return uids.length
}
