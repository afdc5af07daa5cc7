import { expect, test } from '@playwright/test'
import { messageIn } from '#shared/i18n/message.ts'
import { consolePaths } from '#web/console-paths.ts'
import { paths } from '#web/paths.ts'
import { picture } from './support/identity.ts'
import { expectSound, newInvestor, widths } from './support/investor.ts'
import { browserOf, desktop, expectToast, phone, sample, signIn } from './support/people.ts'

/** A text of the page as it is read in Arabic. */
const words = (text: string) => messageIn('ar', text)

test('in Arabic, a person proves their identity by keyboard, and staff verify it', async ({
  browser,
  request,
  baseURL,
}) => {
  const arabic = [{ name: 'language', value: 'ar', url: baseURL! }]
  const iris = await newInvestor(request)
  const page = await browserOf(browser, phone)
  await page.context().addCookies(arabic)
  await signIn(request, page, iris.person)
  await page.goto(paths.dashboard.identity)
  await expect(page.getByRole('heading', { name: words('Your identity is not verified yet') })).toBeVisible()
  await page.getByRole('button', { name: words('Send for checking') }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel(words('Full name'))).toBeFocused()
  await expectSound(page, widths)

  await page.keyboard.type(iris.person.name)
  await page.keyboard.press('Tab')
  await page.keyboard.type('02281990')
  await page.getByLabel(words('Nationality')).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1 Example Street, Sydney 2000, Australia')
  // A passport is chosen already.
  await page.getByLabel(words('Document'), { exact: true }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.type('PA1234567')
  await page.getByLabel(words('Country that issued it'), { exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.type('12312099')
  for (const field of ['Front of the document', 'Selfie']) {
    const choosing = page.waitForEvent('filechooser')
    await page.getByLabel(words(field), { exact: true }).focus()
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(picture(field))
    await expect(page.getByText(`${field}.png`)).toBeVisible()
  }
  await page.getByRole('button', { name: words('Send for checking') }).focus()
  await page.keyboard.press('Enter')
  await expectToast(page, words('Sent. We will check it and tell you'))
  await expect(page.getByRole('heading', { name: words('Identity: we are checking it') })).toBeVisible()
  await expectSound(page, widths)

  const staff = await browserOf(browser, desktop)
  await staff.context().addCookies(arabic)
  await signIn(request, staff, sample('administrator'))
  await staff.goto(consolePaths.checksToDecide)
  await expect(staff.locator('html')).toHaveAttribute('dir', 'rtl')
  await staff.getByRole('searchbox').fill(iris.person.email)
  const row = staff.getByRole('row').filter({ hasText: iris.person.name })
  await row.getByRole('link', { name: words('Identity'), exact: true }).click()
  await staff.getByRole('button', { name: words('Open what was sent') }).click()
  await expectSound(staff, widths)
  await staff.getByRole('button', { name: words('Verify') }).click()
  await staff
    .getByRole('dialog')
    .getByRole('button', { name: words('Verify') })
    .click()
  await expectToast(staff, words('Verified'))
  await expect(page.getByRole('heading', { name: words('Your identity is verified') })).toBeVisible()
})
