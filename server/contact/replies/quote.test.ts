import { expect, test } from 'vitest'
import { replyLine } from '#server/platform/mail/compose-email.ts'
import { languageCodes } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { withoutQuote } from './quote.ts'

/** How mail programs quote (N-14). */
const from = 'Firm <noreply@firm.example>'
const quote = `${replyLine}\n\nHello Ada,\n\nWhich wallet?`
const marked = quote.replaceAll(/^/gm, '> ')
const headers = `From: ${from}\nSent: Friday, November 27, 2026 10:00 AM\nTo: Ada\nSubject: Our reply`

test.each([
  ['Gmail', `Mine.\n\nOn Fri, Nov 27, 2026 at 10:00 AM ${from}\nwrote:\n\n${marked}`],
  [
    'Gmail in German',
    `Mine.\n\nAm Fr., 27. Nov. 2026 um 10:00 Uhr schrieb Firm <\nnoreply@firm.example>:\n\n${marked}`,
  ],
  [
    'a language that the parser does not know',
    `Mine.\n\npá 27. 11. 2026 odesílatel ${from}\nnapsal:\n\n${marked}`,
  ],
  ['Outlook', `Mine.\n\n________________________________\n${headers}\n\n${quote}`],
  ['Outlook without a line', `Mine.\n\n${headers}\n\n${quote}`],
  ['a telephone', `Mine.\n\n> On 27 Nov 2026, at 10:00, ${from} wrote:\n>\n${marked}`],
  ['Thunderbird, which answers below', `On 11/27/26 10:00, Firm wrote:\n${marked}\n\nMine.`],
  ['HTML without marks', `Mine.\n\nOn 27 Nov 2026 ${from} wrote:\n\n${quote}`],
  [
    'line breaks of Windows',
    `Mine.\r\n\r\nOn 27 Nov 2026 ${from} wrote:\r\n${marked.replaceAll('\n', '\r\n')}`,
  ],
])('[N-14] what is quoted goes: %s', (_program, text) => {
  expect(withoutQuote(text, 'noreply@firm.example')).toBe('Mine.')
})

test.each([
  'First.\n\n---\n\nSecond.\n\nRegards,\nAda\n\nPS: not to the old one.',
  'I wrote:\n\nplease pay.',
  'From: me\nTo: you',
  'Your email from noreply@firm.example at 10:00 was clear.',
])('[N-14] what somebody wrote stays: %j', text => {
  expect(withoutQuote(`${text}\n\nOn 27 Nov 2026 ${from} wrote:\n${marked}`, 'noreply@firm.example')).toBe(
    text,
  )
  expect(withoutQuote(text, 'noreply@firm.example')).toBe(text)
})

test('[N-14] answers between the lines keep the questions between them', () => {
  const text = `On 27 Nov 2026 ${from} wrote:\n> Which?\n\nThe second.\n\n> When?\n\nTomorrow.\n\n> Regards`
  expect(withoutQuote(text, 'noreply@firm.example')).toBe('The second.\n\n> When?\n\nTomorrow.')
})

test.each(languageCodes)('[N-14] our line in %s marks where our email begins', language => {
  const own = messageIn(language, replyLine)
  expect(withoutQuote(`Mine.\n\n${own}\n\nWhich wallet?`, 'noreply@firm.example')).toBe('Mine.')
})
