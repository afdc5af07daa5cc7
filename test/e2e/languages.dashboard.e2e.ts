import { expect, test } from '@playwright/test'
import { languages, translatedLanguages } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { paths } from '#web/paths.ts'
import { expectFits, expectSound, fund, newInvestor, widths } from './support/investor.ts'
import { expectPagesIn } from './support/languages.ts'
import { browserOf, callApi, logIn, sample, signIn } from './support/people.ts'

/** The pages of an investor's account in other languages: what they read, and the amounts that they type. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const pages = Object.values(paths.dashboard).filter(path => typeof path === 'string')

for (const language of translatedLanguages) {
  const { name, direction } = languages[language]
  // What axe sees of a page does not depend on its words, but for the direction.
  const look = direction === 'rtl' ? expectSound : expectFits

  test(`every page of the dashboard is in ${name}`, async ({ page, request, context, baseURL }) => {
    await context.addCookies([{ name: 'language', value: language, url: baseURL! }])
    await signIn(request, page, sample('investor'))
    await expectPagesIn(language, page, pages, () => look(page, widths))
  })
}

test('an amount typed as German writes it is the amount that is withdrawn', async ({
  page,
  request,
  context,
  baseURL,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  await context.addCookies([{ name: 'language', value: 'de', url: baseURL! }])
  await signIn(request, page, iris.person)
  const words = (text: string) => messageIn('de', text)
  await page.goto(paths.dashboard.withdrawals)
  const amount = page.locator('main [name=amount]')
  await page.getByLabel(words('Wallet address')).fill(address)
  await amount.fill('1,000.50')
  await page.getByRole('button', { name: words('Request withdrawal') }).click()
  await expect(amount).toHaveAttribute('aria-invalid', 'true')
  await amount.fill('1.000,5')
  await amount.blur()
  await expect(amount).toHaveValue('1.000,50')
  await page.getByRole('button', { name: words('Request withdrawal') }).click()
  const review = page.getByRole('dialog')
  await expect(review.getByRole('definition').first()).toHaveText('1.000,50\u00a0$')
  await review.getByRole('button', { name: words('Confirm withdrawal') }).click()
  await expect(review).toBeHidden()
  const [asked] = await callApi<{ amount: number }[]>(request, 'GET', '/withdrawal/get-all-user', {
    token: iris.token,
  })
  expect(asked?.amount).toBe(1000.5)
})

test('the console is in the language of the page of the login', async ({ page, context, baseURL }) => {
  await context.addCookies([{ name: 'language', value: 'de', url: baseURL! }])
  const { email, password } = sample('administrator')
  await page.goto('/login')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.locator('main [name=email]').fill(email)
  await page.locator('main [name=password]').fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/admin/home')
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  const deposits = messageIn('de', 'Deposits')
  await expect(page.getByRole('navigation').getByRole('link', { name: deposits }).first()).toBeVisible()
})

test('the language of the profile is that of the pages, and of the next login', async ({
  page,
  request,
  browser,
}) => {
  const iris = await newInvestor(request)
  await signIn(request, page, iris.person)
  await page.goto(paths.dashboard.profile)
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Español')
  await page.getByRole('button', { name: 'Save language' }).click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'es')
  await expect(page).toHaveURL(paths.dashboard.profile)
  const elsewhere = await browserOf(browser)
  await logIn(elsewhere, iris.person)
  await expect(elsewhere.locator('html')).toHaveAttribute('lang', 'es')
  await expect(elsewhere).toHaveURL(paths.dashboard.home)
})

test('the postings and the history of a record are in the language of its reader', async ({
  request,
  baseURL,
}) => {
  const iris = await newInvestor(request)
  const { _id } = await fund(request, iris, 500)
  const answer = await request.get(`${baseURL}/api/deposit/get-one/${_id}`, {
    headers: { Authorization: `Token ${iris.token}`, 'Accept-Language': 'de' },
  })
  const { data } = await answer.json()
  expect(data.history.map(({ action }: { action: string }) => action)).toEqual([
    'Einzahlung beantragt',
    'Einzahlung genehmigt',
  ])
  for (const { description } of data.entries) expect(description).not.toMatch(/Deposit|received/)
  expect(data.entries.length).toBeGreaterThan(0)
})
