import type { SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { isCountedWithin } from '#server/platform/rate-limit.ts'
import type { AppError } from '#shared/errors.ts'
import { replyRefusalsAnHour } from '#shared/limits.ts'
import type { Recipient } from './recipient.ts'

/**
 * Tells somebody that their answer did not arrive, and why. It cannot be answered, and a program that answers it all the same is
 * told no more than a few times an hour.
 */
export async function tellRefused(
  tx: Tx,
  { services: { config } }: SignedInContext,
  { conversation, userId, email, closedAt }: Recipient,
  refusal: AppError,
): Promise<void> {
  const limit = { points: replyRefusalsAnHour, seconds: 3600 }
  if (!(await isCountedWithin(tx, config, `reply_refused:${userId ?? conversation}`, limit))) return
  const { productName, supportEmail } = await currentFirm(tx, config)
  const url = `${config.publicUrl}/dashboard/messages?message=${conversation}`
  const mayWrite = userId !== null && closedAt === null
  const elsewhere = mayWrite ? 'in your account' : `to ${supportEmail}`
  const mail = composeEmail({
    to: email,
    subject: 'Your reply has not reached us',
    greeting: 'Hello,',
    paragraphs: [
      `We could not add your email to our conversation. ${sentence(refusal.message)}`,
      ...(closedAt === null ? [`You can answer our email again, or write ${elsewhere}.`] : []),
    ],
    ...(mayWrite ? { action: { label: 'Open our conversation', url } } : {}),
    from: productName,
    footer: { words: 'Nobody reads answers to this email.' },
  })
  await queueMail(tx, mail)
}

function sentence(words: string): string {
  return /[.?!]$/.test(words) ? words : `${words}.`
}
