import { expect, test } from '@playwright/test'
import { expectToast, logIn, sample, storedKeys } from './support/people.ts'

/** The guard before what is behind a login. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** A token of the right form whose time has passed. */
const expiredToken = `e30.${Buffer.from(JSON.stringify({ sub: 'nobody', exp: 1 })).toString('base64url')}.x`

const dashboard = [
  'home',
  'profile',
  'investments',
  'new-investment',
  'withdrawals',
  'history',
  'deposit',
  'confirm-deposit?method=usdt&amount=100',
].map(page => `/dashboard/${page}`)

test('[R-02, R-03, R-04] without a token every protected page leads to /login', async ({ page }) => {
  for (const path of [...dashboard, '/admin/home', '/admin/investment?id=x']) {
    await page.goto(path)
    await expect(page).toHaveURL('/login')
  }
})

test('[R-02] behind the guard each page of the dashboard has its heading and title', async ({ page }) => {
  await logIn(page, sample('investor'))
  for (const path of dashboard) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page).toHaveTitle(/ · Probity$/)
  }
})

test('[R-05, X-02] an expired session that cannot be renewed is removed, in the specified words', async ({
  page,
}) => {
  await page.goto('/login')
  await page.evaluate(token => localStorage.setItem('access', token), expiredToken)
  await Promise.all([
    expectToast(page, 'Your session has expired, you will be redirected to the login page', 'error'),
    page.goto('/dashboard/home'),
  ])
  await expect(page).toHaveURL('/login')
  expect(await storedKeys(page)).toEqual([])
})

test('[R-06] an expired access token with a good refresh token lets the visit go on', async ({ page }) => {
  await logIn(page, sample('investor'))
  // From a page that makes no calls: one that is left while it renews would lose the new pair.
  await page.goto('/')
  await page.evaluate(token => localStorage.setItem('access', token), expiredToken)
  await page.goto('/dashboard/history')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Earnings history')
  expect(await page.evaluate(() => localStorage.getItem('access'))).not.toBe(expiredToken)
})

test('[R-07] an investor who opens the console is sent to the dashboard', async ({ page }) => {
  await logIn(page, sample('investor'))
  await page.goto('/admin/home')
  await expect(page).toHaveURL('/dashboard/home')
})

test('[A-12] logging out in one tab takes the other tab out too', async ({ context, page }) => {
  await logIn(page, sample('investor'))
  const other = await context.newPage()
  await other.goto('/dashboard/history')
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(other).toHaveURL('/login')
})
