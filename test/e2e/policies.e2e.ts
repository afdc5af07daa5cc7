import { expect, test } from '@playwright/test'
import { dayAfter } from '#shared/moments.ts'
import { dashboardOf, expectSound, newInvestor, unverifiedInvestor, widths } from './support/investor.ts'
import { expectSoundInArabic } from './support/languages.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, expectToast, phone } from './support/people.ts'

/** The firm's terms and other policies. Changed terms would concern everybody, so this product is its own. */
ownProduct('policies')

test('[P-17] every policy has a public page, which the footer names', async ({ browser }) => {
  const page = await browserOf(browser)
  for (const [title, words] of [
    ['Terms', 'You can withdraw your available balance at any time'],
    ['Privacy notice', 'What you can ask of us'],
    ['Risk disclosure', 'Your money is bound'],
    ['Cookies', 'We set no cookies for advertising'],
    ['Complaints', 'We confirm within two working days'],
  ] as const) {
    await page.goto('/')
    await page.getByRole('list', { name: 'Policies' }).getByRole('link', { name: title }).click()
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.locator('#content').getByText(words)).toBeVisible()
    await expect(page.getByText('Version 1, in force since')).toBeVisible()
    await expectSound(page, widths)
  }
})

test('[A-03, P-17] the form says what registering states and accepts', async ({ browser, request }) => {
  const page = await browserOf(browser)
  await page.goto('/register')
  await expect(page.getByText('you are at least 18 years old and accept our terms')).toBeVisible()
  await expectSound(page, widths)
  const terms = page.getByRole('link', { name: /^terms/ })
  const [opened] = await Promise.all([page.waitForEvent('popup'), terms.click()])
  await expect(opened.getByRole('heading', { level: 1, name: 'Terms' })).toBeVisible()

  const registered = await unverifiedInvestor(request)
  const own = await dashboardOf(browser, request, registered, { path: '/dashboard/profile' })
  await own.getByRole('link', { name: /Our terms and policies/ }).click()
  await expect(own.getByText('Terms, version 1')).toBeVisible()
  await expect(own.getByText('you stated that you are at least 18 years old')).toBeVisible()
  await expectSound(own, widths)
})

test('[P-17] two admins change the terms; an investor reads and accepts them', async ({
  browser,
  request,
}) => {
  test.slow() // axe checks nine pages and dialogs, most at both widths
  const iris = await newInvestor(request)
  const admin = await consoleOf(browser)
  await admin.getByRole('link', { name: 'Policies', exact: true }).click()
  await expectSound(admin, widths)
  await admin.getByRole('button', { name: 'Propose a version of Terms' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(admin, 'Complete all fields', 'error')
  await expect(dialog.getByLabel('Text', { exact: true })).toHaveAccessibleDescription(
    /Nothing has been changed/,
  )
  await dialog
    .getByLabel('Text', { exact: true })
    .fill('## Fees\n\nWe charge <b>none</b>.\n\n- [Ask us](https://example.com)')
  await dialog.getByText('Preview').click()
  await expect(dialog.getByRole('heading', { name: 'Fees' })).toBeVisible()
  await expect(dialog.getByRole('paragraph').filter({ hasText: 'We charge <b>none</b>.' })).toBeVisible()
  await dialog.getByLabel('What changes', { exact: true }).fill('We say that there is no fee.')
  await dialog.getByText('German: add a translation').click()
  await dialog.getByLabel('Text (German)').fill('## Gebühren\n\nWir verlangen **keine**.')
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(dialog.getByLabel('What changes (German)')).toHaveAccessibleDescription(
    'Translate the summary of the changes, too',
  )
  await dialog.getByLabel('What changes (German)').fill('Wir sagen, dass es keine Gebühren gibt.')
  await dialog.getByLabel('In force from').fill(dayAfter(new Date(), 20))
  await dialog.getByLabel('Reason').fill('Investors asked')
  await expectSound(admin, widths)
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(admin, 'Proposed. Another admin must approve it')

  const second = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
  const proposals = second.getByRole('region', { name: 'Proposals' })
  await proposals.getByRole('link', { name: /^Policies/ }).click()
  await proposals.getByText('Read the text').first().click()
  await expect(proposals.getByRole('heading', { name: 'Fees' })).toBeVisible()
  await proposals.getByText('Read the text').nth(1).click()
  await expect(proposals.getByText('Wir sagen, dass es keine Gebühren gibt.')).toBeVisible()
  await proposals.getByRole('button', { name: /^Approve/ }).click()
  await expect(second.getByRole('dialog')).toContainText('It is in force from the day below.')
  await expectSound(second)
  await second.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(second, 'Proposal approved')
  await expect(second.getByRole('heading', { name: 'Terms, version 2' })).toBeVisible()

  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/terms' })
  await expect(page.getByText('We say that there is no fee.')).toBeVisible()
  await expectSound(page, widths)
  await expectSoundInArabic(page)
  const accept = page.getByRole('button', { name: 'I accept version 2' })
  await accept.press('Enter')
  await expectToast(page, 'Terms accepted')
  await expect(page.getByText('Terms, version 2 (English)')).toBeVisible()
  await expect(accept).toHaveCount(0)

  await page.goto('/terms')
  await expect(page.getByRole('heading', { name: /^Version 2 comes into force on/ })).toBeVisible()
  await page.getByText('Read version 2').click()
  await expect(page.getByText('We charge <b>none</b>.')).toBeVisible()
  await expectSound(page, widths)

  await page.goto('/de/terms')
  await expect(page.getByText('Dies ist eine Übersetzung, veröffentlicht am').last()).toBeVisible()
  await page.getByText('Version 2 lesen').click()
  await expect(page.getByText('Wir sagen, dass es keine Gebühren gibt.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Gebühren' })).toBeVisible()
  await page.goto('/es/terms')
  await page.getByText('Leer la versión 2').click()
  await expect(page.locator('[lang=en]').getByText('We charge <b>none</b>.')).toBeVisible()
})

test('[P-17] a translation is corrected in Arabic, and read from right to left', async ({ browser }) => {
  const admin = await consoleOf(browser)
  await admin.getByRole('link', { name: 'Policies', exact: true }).click()
  await admin.getByRole('button', { name: 'Translate Privacy notice, version 1' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByText('Arabic: change the translation').click()
  const text = dialog.getByLabel('Text (Arabic)')
  await expect(text).toHaveValue(/إشعار الخصوصية/)
  await expectSound(admin, widths)
  await text.fill('## ما نحتفظ به\n\nنحتفظ بالقليل.')
  await dialog.getByLabel('Reason').fill('A better word')
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(admin, 'Proposed. Another admin must approve it')

  const second = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
  await second
    .getByRole('region', { name: 'Proposals' })
    .getByRole('link', { name: /^Policies/ })
    .click()
  await second.getByRole('button', { name: /^Approve the translations of Privacy notice/ }).click()
  await expectSound(second)
  await second.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(second, 'Proposal approved')

  await second.goto('/ar/privacy')
  await expect(second.getByText('نحتفظ بالقليل.')).toBeVisible()
  await expectSound(second, widths)
  await second.getByRole('link', { name: 'اقرأ الأصل بالإنجليزية' }).click()
  await expect(second.getByText('What we keep')).toBeVisible()
})
