import { expect, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import { callApi, consoleOf, desktop, expectToast, sample, tokenOf } from './support/people.ts'

/** Prepared answers, in which a journey has a mark of its own: all staff share them. */

test('[N-14, N-12] a prepared answer is written, inserted filled in by keyboard, edited and deleted', async ({
  browser,
  request,
}) => {
  test.slow() // axe checks five states, at both widths
  const mark = crypto.randomUUID().slice(0, 8)
  const page = await consoleOf(browser)
  await page.getByRole('navigation').getByRole('link', { name: 'Prepared answers' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Prepared answers' })).toBeVisible()
  await page.getByRole('button', { name: 'New answer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill(`Term ${mark}`)
  const text = dialog.getByLabel('Text')
  await text.fill('Hello {name}, your {number} is on its way.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, /^\{name\} cannot be filled in/, 'error')
  await expectSound(page, widths)
  await text.fill('Hello {first name}, your {number} is on its way.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Answer saved')
  await page.getByRole('searchbox', { name: 'Search answers' }).fill(`way ${mark}`)
  await expect(page.getByText(/^1 (answer|of \d+ answers)$/)).toBeVisible()
  await expectSound(page, widths)

  const subject = `About the term ${mark}`
  const email = `vera.${mark}@example.com`
  await callApi(request, 'POST', '/contact/new', {
    body: { name: 'Vera Visitor', email, subject, message: 'Where is it?' },
  })
  await page.setViewportSize(desktop)
  await page.goto(`/admin/messages?q=${encodeURIComponent(subject)}`)
  await page.getByRole('button', { name: `Reply to '${subject}'` }).click()
  const insert = dialog.getByRole('combobox', { name: 'Insert a prepared answer' })
  await insert.fill(mark)
  await expect(dialog.getByRole('option', { name: 'Hello Vera, your {number} is on its way.' })).toBeVisible()
  await expectSound(page, widths)
  await insert.press('Escape')
  await expect(dialog.getByRole('listbox')).toHaveCount(0)
  await insert.press('ArrowDown')
  await insert.press('Enter')
  const reply = dialog.getByLabel('Reply', { exact: true })
  await expect(reply).toBeFocused()
  await expect(reply).toHaveValue('Hello Vera, your {number} is on its way.')
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Replace {number} before you send it', 'error')
  await reply.fill('Hello Vera, your deposit is on its way.')
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Reply sent')

  await page.goto('/admin/answers')
  await page.getByRole('button', { name: `Edit 'Term ${mark}'` }).click()
  const token = await tokenOf(request, sample('second administrator'))
  const answers = await callApi<{ _id: string; title: string }[]>(request, 'GET', '/contact/answers', {
    token,
  })
  const { _id } = answers.find(({ title }) => title === `Term ${mark}`)!
  const body = { title: `Term ${mark}`, text: 'Hello.', version: 1 }
  await callApi(request, 'PUT', `/contact/answer/change/${_id}`, { token, body })
  await text.fill('Good day, {first name}.')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Someone else has just changed this answer. Reload and try again.', 'error')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const kept = page.getByRole('listitem').filter({ hasText: `Term ${mark}` })
  await expect(kept.getByText('Hello.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: `Delete 'Term ${mark}'` }).click()
  await expectSound(page, widths)
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expectToast(page, 'Answer deleted')
  await expect(page.getByRole('heading', { level: 2, name: `Term ${mark}` })).toHaveCount(0)
})
