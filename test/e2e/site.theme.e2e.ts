import { expect, type Page, test } from '@playwright/test'
import { paper } from '#web/styles/paper.ts'
import { dashboardOf, expectSound, newInvestor, widths } from './support/investor.ts'
import { consoleOf } from './support/people.ts'

/** The choice of a theme (P-18), without a script and without a flash. */
const groundOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
const rgb = (hex: string) =>
  `rgb(${[1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`
const light = rgb(paper.light)
const dark = rgb(paper.dark)
const choose = async (page: Page, name: 'System' | 'Light' | 'Dark') => {
  const themes = page.getByRole('form', { name: 'Theme' })
  await themes.getByRole('button', { name }).click()
  await expect(themes.getByRole('button', { name })).toHaveAttribute('aria-pressed', 'true')
}

test('[P-18] a chosen theme goes before the system’s and leads back to its page', async ({ page }) => {
  await page.goto('/')
  await page.keyboard.press('Escape')
  await page.goto('/investment-plans')
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await groundOf(page)).toBe(light)
  await choose(page, 'Dark')
  await expect(page).toHaveURL(/\/investment-plans$/)
  expect(await groundOf(page)).toBe(dark)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await expect(page.locator('meta[name="theme-color"]')).toHaveAttribute('content', paper.dark)
  await expectSound(page, widths)
  await page.goto('/about')
  expect(await groundOf(page)).toBe(dark)
  await page.emulateMedia({ colorScheme: 'dark' })
  await choose(page, 'Light')
  expect(await groundOf(page)).toBe(light)
  await expectSound(page, widths)
  await page.emulateMedia({ colorScheme: 'dark' })
  await choose(page, 'System')
  expect(await groundOf(page)).toBe(dark)
})

test('[P-18] paper is light in every theme', async ({ page }) => {
  await page.goto('/')
  await page.keyboard.press('Escape')
  await choose(page, 'Dark')
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  expect(await groundOf(page)).toBe(light)
  await expect(page.getByRole('form', { name: 'Theme' })).toBeHidden()
})

test('[P-18] the dashboard and the console have the chosen theme', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await newInvestor(request), {
    path: '/dashboard/withdrawals',
  })
  const amount = page.getByLabel('Amount (USD)')
  await amount.fill('12.50')
  await choose(page, 'Dark')
  await expect(page).toHaveURL(/\/dashboard\/withdrawals$/)
  expect(await groundOf(page)).toBe(dark)
  await expect(amount).toHaveValue('12.50')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await groundOf(page)).toBe(dark)
  await expectSound(page, widths)
  await choose(page, 'Light')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectSound(page, widths)

  const staff = await consoleOf(browser, { path: '/admin/cash-flow' })
  await choose(staff, 'Dark')
  await expect(staff.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await groundOf(staff)).toBe(dark)
  await expectSound(staff, widths)
})
