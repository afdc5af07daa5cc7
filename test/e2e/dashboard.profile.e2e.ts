import { expect, test } from '@playwright/test'
import { dashboardOf, expectSound, newInvestor, textOf, widths } from './support/investor.ts'
import {
  browserOf,
  callApi,
  desktop,
  expectCopied,
  expectToast,
  stranger,
  tokenOf,
} from './support/people.ts'

test('[D-04] the profile is updated, and nothing of it may be missing', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  await expect(page.getByLabel('Name')).toHaveValue(iris.person.name)
  await expect(page.getByText('Your transactions, without your name')).toBeVisible()
  await expectSound(page, widths)

  await page.getByLabel('Phone').fill('')
  await page.getByRole('button', { name: 'Update profile' }).click()
  await expectToast(page, 'All fields are required', 'error')
  await expect(page.getByLabel('Phone')).toBeFocused()
  await expect(page.getByLabel('Phone')).toHaveAccessibleDescription('This field is required')

  await page.getByLabel('Phone').fill('+61 2 5550 0199')
  await page.getByLabel('Country').selectOption('New Zealand')
  await page.getByRole('button', { name: 'Update profile' }).click()
  await expectToast(page, 'Profile updated successfully')
  await page.reload()
  await expect(page.getByLabel('Country')).toHaveValue('New Zealand')
  await expect(page.getByLabel('Phone')).toHaveValue('+61 2 5550 0199')
})

test('[D-05] the password is changed, and typed twice alike', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  const old = page.getByLabel('Current password', { exact: true })
  const next = page.getByLabel('New password', { exact: true })
  const again = page.getByLabel('Confirm new password', { exact: true })
  const update = page.getByRole('button', { name: 'Update password' })

  await update.click()
  await expectToast(page, 'All fields are required', 'error')
  await expect(old).toBeFocused()

  await old.fill(iris.person.password)
  await next.fill('battery-staple-7')
  await again.fill('battery-staple-8')
  await update.click()
  await expectToast(page, 'New passwords must match', 'error')
  await expect(again).toBeFocused()
  await expect(next).toHaveValue('battery-staple-7')

  await again.fill('battery-staple-7')
  await update.click()
  await expectToast(page, 'Password updated successfully')
  await expect(old).toHaveValue('')
  await tokenOf(request, { ...iris.person, password: 'battery-staple-7' })
})

test('[D-06] the referral code is copied, and who referred is named', async ({ browser, request }) => {
  const referrer = await newInvestor(request)
  const own = await callApi<{ referralCode: string }>(request, 'GET', '/auth/me', { token: referrer.token })
  const person = stranger('Rita Referred')
  const { name, email, password } = person
  await callApi(request, 'POST', '/auth/signup', {
    body: {
      name,
      email,
      password,
      phone: '+61 400 123 456',
      country: 'Australia',
      referrer: own.referralCode,
    },
  })
  const page = await dashboardOf(
    browser,
    request,
    { person, token: '' },
    { viewport: desktop, path: '/dashboard/profile' },
  )
  await expect(page.getByText(referrer.person.name)).toBeVisible()

  const code = await textOf(page.locator('dl > div').filter({ hasText: 'Your referral code' }).locator('dd'))
  await page.getByRole('button', { name: 'Copy referral code' }).click()
  await expectToast(page, 'Referral code copied')
  await expectCopied(page, code)
})

test('[D-06] an investor sees who joined with their code, and that it earns no reward', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  await page.getByRole('link', { name: 'Who joined with it' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Referrals')
  await expect(page.getByText('We pay no reward for referrals')).toBeVisible()
  await expect(page.getByText('No one has joined with your code yet.')).toBeVisible()
  await expectSound(page, widths)

  const link = await page.getByRole('definition').filter({ hasText: '/register?ref=' }).textContent()
  const visitor = await browserOf(browser)
  await visitor.goto(new URL(link!).pathname + new URL(link!).search)
  await expect(visitor.getByLabel(/^Referral code/)).toHaveValue(/\w/)
})
