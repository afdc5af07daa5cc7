import EmailReplyParser from 'email-reply-parser'
import { replyLine } from '#server/platform/mail/compose-email.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'

/** Longer texts are refused, so nobody needs to find a quote in them. */
const LONGEST_PARSED = 20_000
/** Lines of what a mail program writes before a quote: Outlook's five headers, and what separates them. */
const LONGEST_INTRODUCTION = 8

/**
 * What somebody wrote, without the email that they answer. Our line marks where that begins, whatever their program and language;
 * the parser knows how programs quote. Signatures stay: what looks like one may be what they wanted to say.
 * @param sender our address, which programs name before a quote
 */
export function withoutQuote(text: string, sender: string): string {
  const own = inPlainLines(aboveOurLine(text))
  if (own.length > LONGEST_PARSED) return own
  const fragments = new EmailReplyParser().read(own).getFragments()
  const isOwn = (fragment: (typeof fragments)[number]) => !fragment.isQuoted() && !fragment.isEmpty()
  // What they quote between their words belongs to these.
  const written = fragments.slice(fragments.findIndex(isOwn), fragments.findLastIndex(isOwn) + 1)
  const texts = written.map(fragment => fragment.getContent())
  return withoutIntroduction(inPlainLines(texts.join('\n\n')), sender)
}

/** Lines with > before them may have answers between them. */
function aboveOurLine(text: string): string {
  const lines = languageCodes.map(language => messageIn(language, replyLine))
  const places = lines.map(line => text.indexOf(line)).filter(place => place !== -1)
  if (places.length === 0) return text
  const at = Math.min(...places)
  const start = text.lastIndexOf('\n', at) + 1
  return text.slice(start, at).trimStart().startsWith('>') ? text : text.slice(0, start)
}

/** At most one empty line together: the parser's patterns would take long for many. */
function inPlainLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map(line => line.trimEnd())
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** In the languages and forms that the parser does not know: 'On …, Firm <address> wrote:', 'From: Firm <address>'. */
function withoutIntroduction(text: string, sender: string): string {
  const lines = text.split('\n')
  const named = lines.findLastIndex(line => line.toLowerCase().includes(sender))
  if (named === -1 || lines.length - named > LONGEST_INTRODUCTION) return text
  const isIntroduction = /^\*?\S{2,12}:/.test(lines[named]!) || lines.at(-1)!.endsWith(':')
  if (!isIntroduction) return text
  const before = lines[named - 1] ?? ''
  const isPart = /\d/.test(before) || /^[_-]{5,}$/.test(before)
  return lines
    .slice(0, isPart ? named - 1 : named)
    .join('\n')
    .trimEnd()
}
