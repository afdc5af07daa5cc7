import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import { dressed } from '#server/brand/email.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { mails } from '#server/platform/metrics.ts'
import type { JobContext } from './job.ts'

/**
 * Sends an email once, as far as SMTP allows. A repetition is dropped by the mailbox, and has the same Message-ID for a
 * mail server.
 */
export async function deliver(mail: Mail, { services, mailer, job, signal }: JobContext): Promise<void> {
  if (mail.usefulUntil !== undefined && new Date(mail.usefulUntil) < services.clock.now()) {
    services.log.warn('email not sent: it has expired')
    mails.inc({ outcome: 'expired' })
    return
  }
  const outcome = await dressed(services, mail)
    .then(dressedMail => mailer.send(dressedMail, mailId(job), signal))
    .catch(error => {
      mails.inc({ outcome: 'failed' })
      throw error
    })
  mails.inc({ outcome })
  if (outcome === 'refused') services.log.warn('email refused permanently by the mail server')
}

/**
 * The email's id: a UUIDv7 from its job, so that a repetition has the same id and mailboxes sort in the order of jobs.
 */
function mailId({ id, createdAt }: JobContext['job']): string {
  return v7({
    msecs: createdAt.getTime(),
    seq: Number(BigInt(id) & 0xffff_ffffn),
    random: createHash('sha256').update(id).digest().subarray(0, 16),
  })
}
