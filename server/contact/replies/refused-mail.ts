import type { SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { inLanguage, localUrl } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { isCountedWithin } from '#server/platform/rate-limit.ts'
import type { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { replyRefusalsAnHour } from '#shared/limits.ts'
import type { Recipient } from './recipient.ts'

/**
 * Tells somebody that their answer did not arrive, and why. It cannot be answered, and a program that answers it all the same is
 * told no more than a few times an hour.
 */
export async function tellRefused(
  tx: Tx,
  { services: { config } }: SignedInContext,
  { conversation, userId, email, closedAt, language }: Recipient,
  refusal: AppError,
): Promise<void> {
  const limit = { points: replyRefusalsAnHour, seconds: 3600 }
  if (!(await isCountedWithin(tx, config, `reply_refused:${userId ?? conversation}`, limit))) return
  const firm = await currentFirm(tx, config)
  const recipient = { conversation, userId, email, closedAt, language }
  const mail = inLanguage(language, () => refusedMail(config, recipient, refusal, firm))
  await queueMail(tx, mail)
}

function refusedMail(
  config: { publicUrl: string },
  { conversation, userId, email, closedAt }: Omit<Recipient, 'hasToken' | 'isFromThem'>,
  refusal: AppError,
  { productName, supportEmail }: { productName: string; supportEmail: string },
) {
  const url = localUrl(config, `/dashboard/messages?message=${conversation}`)
  const mayWrite = userId !== null && closedAt === null
  const elsewhere = mayWrite
    ? t('You can answer our email again, or write in your account.')
    : t('You can answer our email again, or write to {email}.', { email: supportEmail })
  return composeEmail({
    to: email,
    subject: t('Your reply has not reached us'),
    greeting: t('Hello,'),
    paragraphs: [
      t('We could not add your email to our conversation. {reason}', { reason: sentence(refusal.message) }),
      ...(closedAt === null ? [elsewhere] : []),
    ],
    ...(mayWrite ? { action: { label: t('Open our conversation'), url } } : {}),
    from: productName,
    footer: { words: t('Nobody reads answers to this email.') },
  })
}

function sentence(words: string): string {
  return /[.?!]$/.test(words) ? words : `${words}.`
}
