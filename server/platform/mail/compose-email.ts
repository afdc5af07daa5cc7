import { escapeHtml } from '#server/platform/html.ts'
import { ownAccents, tokens } from '#shared/brand.ts'
import { bodyStyle, buttonStyle, darkStyle, faintStyle, linkStyle, nameSlot } from '#shared/email-look.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { languages } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { Mail } from './queue.ts'

/** The content of an email: paragraphs of plain text, and at most one code or link. */
export type EmailContent = {
  to: string
  subject: string
  /** The address to answer to, at which we read replies: the email says where to write. */
  answerTo?: string
  /** 'Hello Ada,' */
  greeting: string
  paragraphs: string[]
  /** Shown in large type: the six-digit code. */
  code?: string
  action?: { label: string; url: string }
  /** Signed texts, which stay as they are to the byte, after words about them. */
  signed?: { words: string; texts: string[] }
  /** The firm's details, at the end. */
  from: string
  /** Small, at the bottom: why it was sent, and how to turn it off. */
  footer?: { words: string; action?: { label: string; url: string } }
  /** The public log's head, last of all. */
  head?: string | null
}

/** The footer of emails that cannot be turned off. */
export function securityFooter() {
  return { words: t('This email is about the security of your account and cannot be turned off.') }
}

/**
 * Names the recipient only at a verified address. Another one may be a stranger's, and a name is any text that someone
 * typed: with a link in it, we would send their advertisement.
 */
export function greetingFor({
  name,
  email_verified_at,
}: {
  name: string
  email_verified_at: Date | null
}): string {
  return email_verified_at === null ? t('Hello,') : t('Hello {name},', { name })
}

/** The first line of emails that can be answered. Whatever comes below it in an answer is quoted. */
export const replyLine = msg('Please write your reply above this line.')

const { rule } = tokens.light

/**
 * Composes an email of the current language as text and as plain HTML that mail readers show alike, in the product's own
 * look (shared/email-look.ts); escapes everything.
 */
export function composeEmail(of: EmailContent): Mail {
  const { to, subject, answerTo, greeting, paragraphs, code, action, signed, from, footer, head } = of
  const before = paragraphs.slice(0, 1)
  const after = paragraphs.slice(1)
  const language = languageNow()
  const { direction } = languages[language]
  const replyAbove = translate(replyLine)
  const text = [
    ...(answerTo ? [replyAbove] : []),
    greeting,
    ...before,
    ...(code ? [code] : []),
    ...(action ? [lineOf(action)] : []),
    ...after,
    ...(signed ? [signed.words, ...signed.texts] : []),
    from,
    ...(footer ? [footer.words] : []),
    ...(footer?.action ? [lineOf(footer.action)] : []),
    ...(head ? [head] : []),
  ].join('\n\n')
  const paragraph = (content: string) => `<p style="margin:0 0 16px">${escapeHtml(content)}</p>`
  const html = [
    `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<meta name="color-scheme" content="light dark">${darkStyle(ownAccents)}</head><body class="body" dir="${direction}" ${bodyStyle}>`,
    // Mail programs that drop the body keep this.
    `<div lang="${language}" dir="${direction}" style="max-width:34em;margin:0 auto">`,
    answerTo
      ? `<p class="faint" style="margin:0 0 16px;font-size:14px;${faintStyle}">${escapeHtml(replyAbove)}</p>`
      : '',
    `<p class="rule" style="margin:0 0 24px;padding:0 0 16px;border-bottom:1px solid ${rule};font-size:18px;font-weight:600">${nameSlot(escapeHtml(from))}</p>`,
    paragraph(greeting),
    ...before.map(paragraph),
    code
      ? `<p dir="ltr" style="margin:0 0 16px;text-align:${direction === 'rtl' ? 'right' : 'left'};font:600 28px/1.2 monospace;letter-spacing:.2em">${escapeHtml(code)}</p>`
      : '',
    action ? `<p style="margin:0 0 16px">${buttonTo(action)}</p>` : '',
    ...after.map(paragraph),
    ...(signed ? [paragraph(signed.words), ...signed.texts.map(exact)] : []),
    `<p class="rule faint" style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid ${rule};${faintStyle}">${escapeHtml(from)}</p>`,
    footer
      ? `<p class="faint" style="margin:16px 0 0;font-size:14px;${faintStyle}">${small(footer)}</p>`
      : '',
    head
      ? `<p class="faint" dir="auto" style="margin:16px 0 0;font-size:12px;${faintStyle};overflow-wrap:anywhere">${escapeHtml(head)}</p>`
      : '',
    '</div></body></html>',
  ].join('')
  return { to, subject, text, html, ...(answerTo ? { replyTo: answerTo } : {}) }
}

/** Wraps in the reader's window without a change of the text. */
function exact(text: string): string {
  return `<pre dir="ltr" style="margin:0 0 16px;font:12px/1.4 monospace;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</pre>`
}

function lineOf({ label, url }: NonNullable<EmailContent['action']>): string {
  return `${label}: ${url}`
}

function buttonTo({ label, url }: NonNullable<EmailContent['action']>): string {
  return `<a href="${escapeHtml(url)}" class="button" ${buttonStyle(ownAccents)}>${escapeHtml(label)}</a>`
}

function linkTo({ label, url }: NonNullable<EmailContent['action']>): string {
  return `<a href="${escapeHtml(url)}" class="link" ${linkStyle(ownAccents)}>${escapeHtml(label)}</a>`
}

function small({ words, action }: NonNullable<EmailContent['footer']>): string {
  return action ? `${escapeHtml(words)} ${linkTo(action)}` : escapeHtml(words)
}
