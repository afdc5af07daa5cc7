import { expect, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import { consoleOf, expectToast } from './support/people.ts'

/** The firm's questions and answers (P-16). */

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, contextOptions: { reducedMotion: 'reduce' } })

  test('[P-16, P-15] every answer opens on /faq, which other pages lead to', async ({ page }) => {
    await page.goto('/investment-plans')
    await page.getByRole('link', { name: 'All questions and answers' }).click()
    await expect(page).toHaveURL('/faq')
    await expect(page).toHaveTitle('Questions and answers · Probity')
    for (const [question, answer] of [
      ['How do I check your books?', /We sign and publish them every day/],
      ['When is an earning credited?', /only up to that return/],
    ] as const) {
      await expect(page.getByText(answer)).toBeHidden()
      await page.getByText(question).click()
      await expect(page.getByText(answer)).toBeVisible()
    }
    await page.goto('/contact')
    await page.getByRole('main').getByRole('link', { name: 'Questions and answers' }).click()
    await expect(page).toHaveURL('/faq')
  })
})

test('[P-16] /faq is sound on a phone and a desktop, closed and open', async ({ page }) => {
  await page.goto('/faq')
  await page.getByText('What does a plan’s target mean?').click()
  await expectSound(page, widths)
})

test('[P-16, N-14] staff add a question in the firm’s texts, and visitors read it', async ({ browser }) => {
  const page = await consoleOf(browser, { path: '/admin/firm' })
  const texts = page.getByRole('region', { name: 'Texts: Questions and contact' })
  const dialog = page.getByRole('dialog')
  const save = async () => {
    await dialog.getByLabel('Reason').fill('People ask this')
    await dialog.getByRole('button', { name: /^Create version/ }).click()
    await expectToast(page, 'Texts updated')
    await expect(dialog).toBeHidden()
  }
  const title = `Who audits you? ${crypto.randomUUID().slice(0, 8)}`
  await texts.getByRole('button', { name: /^Edit/ }).click()
  await dialog.getByRole('button', { name: 'Add a question' }).click()
  const added = dialog.getByRole('group', { name: 'Questions' }).getByRole('listitem').last()
  await added.getByLabel('Title').fill(title)
  await added.getByLabel('Text').fill('Nobody yet.')
  await save()
  const visitor = await page.context().newPage()
  await visitor.goto('/faq')
  await visitor.getByText(title).click()
  await expect(visitor.getByText('Nobody yet.')).toBeVisible()
  await visitor.close()

  await texts.getByRole('button', { name: /^Edit/ }).click()
  await dialog
    .getByRole('button', { name: /^Remove question/ })
    .last()
    .click()
  await save()
})
