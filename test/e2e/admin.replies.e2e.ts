import { expect, test } from '@playwright/test'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { receiveReplies } from '#server/contact/replies/receive.ts'
import { limitCall } from '#server/http/limits.ts'
import { type Dovecot, startDovecot, withoutDovecot } from '#test/support/dovecot.ts'
import { type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { dashboardOf, expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, expectToast, sample, tokenOf } from './support/people.ts'

/** An investor answers our email (N-14). The mailbox belongs to the firm, so the journey has a demonstration of its own. */
test.describe('replies by email', () => {
  test.skip(withoutDovecot !== undefined, withoutDovecot)
  let box: Dovecot
  let mails: MailServer
  const product = ownProduct('replies', {
    settings: async () => {
      box = await startDovecot()
      mails = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
      return {
        SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        MAIL_FROM: 'Probity <noreply@probity.test>',
        REPLY_MAILBOX_URL: box.url,
        REPLY_ADDRESS: 'replies@probity.test',
      }
    },
  })
  test.afterAll(async () => {
    await mails?.stop()
    await box?.close()
  })

  const ourReply = async (words: string) => {
    let text = ''
    let to = ''
    await expect
      .poll(async () => {
        for (const { content } of mails.received) {
          const mail = await PostalMime.parse(content)
          if (mail.text?.includes(words)) [text, to] = [mail.text, mail.replyTo![0]!.address!]
        }
        return to
      })
      .toMatch(/^replies\+/)
    return { text, to }
  }

  test('[N-14] staff read in the console what an investor answered to our email', async ({
    browser,
    request,
  }) => {
    const person = sample('investor')
    const token = await tokenOf(request, person)
    const body = { subject: 'My statement', text: 'Which one do I need?' }
    const { _id } = await callApi<{ _id: string }>(request, 'POST', '/message/new', { token, body })
    const staff = await consoleOf(browser, { path: `/admin/messages?q=${_id}` })
    const open = async () => {
      await staff.getByRole('button', { name: "Reply to 'My statement'" }).click()
      return staff.getByRole('dialog')
    }
    const replying = await open()
    await replying.getByLabel('Reply').fill('For which year?')
    await replying.getByRole('button', { name: 'Send reply' }).click()
    await expectToast(staff, 'Reply sent')

    const { text, to } = await ourReply('For which year?')
    const letter = await createTransport({ streamTransport: true, buffer: true }).sendMail({
      from: person.email,
      to,
      text: `The last one.\n\nOn 27 Nov 2026 Probity <noreply@probity.test> wrote:\n${text.replaceAll(/^/gm, '> ')}`,
    })
    box.deliver(letter.message as Buffer)
    // The worker reads it twice a minute; nobody waits for that here.
    const signal = new AbortController().signal
    await receiveReplies(product().services, limitCall, signal)
    await expect.poll(() => box.count('Processed').all).toBe(1)

    const page = await dashboardOf(
      browser,
      request,
      { person, token },
      { path: `/dashboard/messages?message=${_id}` },
    )
    await expect(page.getByText('The last one.')).toBeVisible()
    await expect(page.getByText('wrote:')).toHaveCount(0)
    const thread = await open()
    await expect(thread.getByText('Message by email')).toBeVisible()
    await expect(thread.getByText('The last one.')).toBeVisible()
    await expectSound(staff, widths)
  })
})
