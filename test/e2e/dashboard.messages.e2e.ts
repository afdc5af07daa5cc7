import { expect, test } from '@playwright/test'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { callApi, consoleOf, expectToast } from './support/people.ts'
import { savedBy } from './support/saved.ts'

/** An investor and the firm write to each other (N-14, L-06). */

const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n(Receipt)\nendobj\ntrailer <<>>\n%%EOF\n')

test('[N-14, L-06] an investor asks about a deposit, reads our reply, and answers it', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const body = { method: 'usdt', amount: 150 }
  const { _id } = await callApi<{ _id: string }>(request, 'POST', '/deposit/new', { token: iris.token, body })
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/messages' })
  await expect(page.getByText('You have not written to us yet.')).toBeVisible()
  await expectSound(page, widths)

  await page.goto(`/dashboard/deposit?deposit=${_id}`)
  await page.getByRole('dialog').getByRole('link', { name: 'Ask us about this deposit' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'New message' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(/It is about your deposit DEP-\d{4}-\d+\./)
  await page.getByRole('button', { name: 'Send message' }).click()
  await expectToast(page, 'Enter a subject and a message', 'error')
  const subject = `Where is it? ${crypto.randomUUID().slice(0, 8)}`
  await page.getByLabel('Subject').fill(subject)
  await page.getByRole('textbox', { name: 'Message' }).fill('I paid an hour ago.\n\nThe receipt is below.')
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') }
  await page.getByLabel('Files').setInputFiles(notes)
  await expect(page.getByText('notes.txt is not a PDF, PNG or JPEG file')).toBeVisible()
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByLabel('Files')).toHaveAccessibleDescription(
    /notes\.txt is not .* To send the message without it, press the button again/,
  )
  await page
    .getByLabel('Files')
    .setInputFiles({ name: 'receipt.pdf', mimeType: 'application/pdf', buffer: pdf })
  await expect(page.getByRole('button', { name: 'Remove receipt.pdf' })).toBeVisible()
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Send message' }).click()
  await expectToast(page, 'Message sent')
  await expect(page.getByRole('heading', { level: 1, name: subject })).toBeVisible()
  // The focus went with the form.
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page.getByText('Waiting for us')).toBeVisible()

  const staff = await consoleOf(browser, { path: '/admin/messages' })
  await staff.getByRole('searchbox').fill(subject)
  await expect(staff.getByText('1 of 1')).toBeVisible()
  await expect(staff.getByRole('link', { name: /^DEP-/ })).toBeVisible()
  const act = async (name: string) => {
    await staff.getByRole('button', { name: `${name} '${subject}'` }).click()
    return staff.getByRole('dialog')
  }
  const assigning = await act('Assign')
  await assigning.getByLabel('Assigned to').selectOption({ index: 1 })
  await expectSound(staff, widths)
  await assigning.getByRole('button', { name: 'Assign' }).click()
  await expect(staff.getByText(/^Assigned to \w/).last()).toBeVisible()
  const noting = await act('Note about')
  await noting.getByLabel('Note').fill('Asked the bank')
  await expectSound(staff)
  await noting.getByRole('button', { name: 'Add note' }).click()
  await expectToast(staff, 'Note added')
  const replying = await act('Reply to')
  await expect(replying.getByText('Asked the bank')).toBeVisible()
  const receipt = await savedBy(staff, replying.getByRole('button', { name: /^receipt.pdf/ }))
  expect(receipt.content).toEqual(pdf)
  await replying.getByLabel('Reply').fill('It has arrived.')
  await staff.keyboard.press('Escape')
  await expect(replying.getByLabel('Reply')).toHaveValue('It has arrived.')
  await expectSound(staff, widths)
  await replying.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(staff, 'Reply sent')

  await staff.getByRole('link', { name: iris.person.name }).click()
  await staff.getByRole('main').getByRole('link', { name: 'Messages' }).click()
  await expect(staff.getByRole('heading', { level: 2, name: subject })).toBeVisible()

  await expect(page.getByText('It has arrived.')).toBeVisible()
  await expect(page.getByText('Asked the bank')).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('textbox', { name: 'Message' }).fill('Thank you!')
  // What is not sent yet is there after a look elsewhere, and on no other form.
  await page.getByRole('link', { name: 'All messages' }).click()
  await page.getByRole('link', { name: 'New message' }).click()
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('')
  await page.getByLabel('Subject').fill('Another matter')
  await page.getByRole('link', { name: 'All messages' }).click()
  await page.getByRole('link', { name: 'New message' }).click()
  await expect(page.getByLabel('Subject')).toHaveValue('Another matter')
  await page.getByRole('link', { name: 'All messages' }).click()
  await page.getByRole('link', { name: subject }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Thank you!')
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByText('Waiting for us')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('')
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('')
  const closing = await act('Close')
  await closing.getByLabel('Reason').fill('Answered')
  await closing.getByRole('button', { name: 'Close' }).last().click()
  await expectToast(staff, 'Message closed')
  await expectSound(staff, widths)
  await expect(page.getByText('Write again to reopen it.')).toBeVisible()

  await page.getByRole('link', { name: 'All messages' }).click()
  await expect(page.getByRole('link', { name: subject })).toBeVisible()
  await expect(page.getByText(/^About DEP-/)).toBeVisible()
  await expectSound(page, widths)
})

test('[L-06] the bell leads to our reply, and reading it clears the bell', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const body = { subject: 'The term', text: 'How long is it?' }
  const { _id } = await callApi<{ _id: string }>(request, 'POST', '/message/new', { token: iris.token, body })
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/home' })
  const staff = await consoleOf(browser, { path: `/admin/messages?q=${_id}` })
  await staff.getByRole('button', { name: "Reply to 'The term'" }).click()
  await staff.getByRole('dialog').getByLabel('Reply').fill('Thirty days.')
  await staff.getByRole('dialog').getByRole('button', { name: 'Send reply' }).click()
  await expectToast(staff, 'Reply sent')
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'View message' }).click()
  await expect(page.getByText('Thirty days.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible()
})
