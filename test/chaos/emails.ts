import { expect } from 'vitest'
import { type Received, readable } from '#test/support/mail-server.ts'

export type Email = { to: string; subject: string }

/**
 * Each email once. SMTP cannot say whether an email was accepted whose answer was lost, so it is sent again; mail servers
 * and readers recognise it by its Message-ID (RFC 5322, 3.6.4), as this does.
 */
export function emailsOf(received: readonly Received[]): Email[] {
  const emails = new Map<string, Email>()
  for (const { to, content } of received) {
    const id = headerOf(content, 'Message-ID')
    const email = { to: to.join(), subject: headerOf(content, 'Subject') }
    const before = emails.get(id)
    if (before !== undefined) expect(email).toEqual(before)
    emails.set(id, email)
  }
  return [...emails.values()]
}

/** Unfolded (RFC 5322, 2.2.3). */
function headerOf(content: string, name: string): string {
  const found = new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(content)?.[1]
  if (found === undefined) throw new Error(`an email without ${name}:\n${readable(content)}`)
  return found.replaceAll(/\r?\n(?=[ \t])/g, '')
}
