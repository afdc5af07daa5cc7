import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { RequestContext, Services, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { keyFor, keyRing } from '#server/platform/encrypted.ts'
import { inLanguage } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { addressHash, countWithin } from '#server/platform/rate-limit.ts'
import { t } from '#shared/i18n/t.ts'
import {
  codesPerHour,
  strangersCodesPerHour,
  verificationCodeLength,
  verificationCodeMinutes,
} from '#shared/limits.ts'

export type Recipient = { id: string; email: string }

/**
 * Counts a resent code, or one to a new address, by recipient, so that many accounts cannot flood one mailbox. Addresses
 * that get no code are counted alike, which reveals nothing.
 * @param by the owner of the account that has this address, in its session; strangers may use only some of them, and so may
 *   accounts that want the address, since it need not be theirs
 * @throws AppError rate_limited with the seconds to wait
 */
export async function countCode(
  db: Kysely<Schema>,
  { config }: Services,
  email: string,
  by: 'owner' | 'stranger',
): Promise<void> {
  const limit = { seconds: 3600, what: t('Too many codes were sent to this address') }
  const key = `codes:${addressHash(email)}`
  if (by === 'stranger') {
    await countWithin(db, config, `${key}:strangers`, { ...limit, points: strangersCodesPerHour })
  }
  await countWithin(db, config, key, { ...limit, points: codesPerHour })
}

/** Mails a new six-digit code in the account's language, which replaces the previous one. Only its HMAC is stored. */
export async function mailCode(tx: Tx, { services }: RequestContext, user: Recipient): Promise<void> {
  const now = services.clock.now()
  const code = randomInt(10 ** verificationCodeLength)
    .toString()
    .padStart(verificationCodeLength, '0')
  const row = {
    email: user.email,
    code_hash: codeHash(keyFor(services.config, 'emailed code'), user.id, code),
    sent_at: now,
    expires_at: new Date(now.getTime() + verificationCodeMinutes * 60_000),
    owner_tries: 0,
    other_tries: 0,
  }
  await tx
    .insertInto('app.email_codes')
    .values({ user_id: user.id, ...row })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
    .execute()
  const firm = await currentFirm(tx, services.config)
  const { language } = await tx
    .selectFrom('app.users')
    .select('language')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const mail = inLanguage(language, () => codeEmail(user.email, code, firm.productName))
  await queueMail(tx, { ...mail, usefulUntil: row.expires_at.toISOString() })
}

function codeEmail(to: string, code: string, from: string) {
  return composeEmail({
    to,
    subject: t('{code} is your verification code', { code }),
    greeting: t('Hello,'),
    paragraphs: [
      t('Enter this code to verify your email address:'),
      t(
        "It is valid for {minutes, plural, one {# minute} other {# minutes}}. If you didn't give us this address, ignore this message.",
        { minutes: verificationCodeMinutes },
      ),
    ],
    code,
    from,
  })
}

/** HMAC-SHA256: a plain hash of six digits could be reversed at once. */
function codeHash(key: Buffer, userId: string, code: string): Buffer {
  return createHmac('sha256', key).update(`${userId}:${code}`).digest()
}

/** True if the stored HMAC is this code's, under the current secret or an earlier one. */
export function isMailedCode({ config }: Services, hash: Buffer, userId: string, code: string): boolean {
  return keyRing(config, 'emailed code').some(key => timingSafeEqual(hash, codeHash(key, userId, code)))
}

/** Removes unused reset links: they end with the password or address they were requested for. */
export async function dropResetLinks(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('app.password_resets')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}
