import type { Services } from '#server/context.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { type DressedMail, logoId } from '#server/platform/mail/mailer.ts'
import type { Mail } from '#server/platform/mail/queue.ts'
import { ownAccents } from '#shared/brand.ts'
import { dressEmail } from '#shared/email-look.ts'
import { t } from '#shared/i18n/t.ts'
import { picturePath } from '#shared/look.ts'
import { logoContent } from './logos.ts'
import { currentBrand } from './queries.ts'

/** An email in the firm's look, as it is now. */
export async function dressed({ db }: Pick<Services, 'db'>, mail: Mail): Promise<DressedMail> {
  const { accent, logo } = (await currentBrand(db)).values
  const accents = accent ?? ownAccents
  if (logo === null) return { ...mail, html: dressEmail(mail.html, { accents, logo: null }) }
  const { light: picture, withName } = logo
  const html = dressEmail(mail.html, { accents, logo: { ...picture, withName, src: `cid:${logoId}` } })
  return { ...mail, html, logo: { content: await logoContent(db, picture.file), path: picturePath(picture) } }
}

/** An email for previews, in the product's own look. */
export function sampleEmail(
  { productName }: { productName: string },
  { publicUrl }: { publicUrl: string },
): string {
  const content = {
    to: '',
    subject: '',
    greeting: t('Hello {name},', { name: 'Ada' }),
    paragraphs: [
      t('This is how your emails look.'),
      t('Most have a few sentences such as this one, and one button.'),
    ],
    action: { label: t('Open your dashboard'), url: `${publicUrl}/dashboard/home` },
    from: productName,
    footer: {
      words: t('You can turn off some of our emails.'),
      action: { label: t('Choose your emails'), url: `${publicUrl}/dashboard/profile` },
    },
  }
  return composeEmail(content).html
}
