import { type Browser, expect, type Locator, type Page, test } from '@playwright/test'
import { dashboardOf, newInvestor, widths } from './support/investor.ts'
import { phone } from './support/people.ts'

/** What holds for every dialog, shown with those of the address book. */

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

async function bookOf(browser: Browser, request: Parameters<typeof newInvestor>[0]): Promise<Page> {
  const options = { viewport: phone, path: '/dashboard/withdrawals' }
  return dashboardOf(browser, request, await newInvestor(request), options)
}

async function openDialog(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator(':focus')).toHaveCount(1)
  return dialog
}

/** Every button of a dialog that is in view takes a press in its middle. */
function coveredButtons(dialog: Locator): Promise<string[]> {
  return dialog.getByRole('button').evaluateAll(buttons =>
    buttons
      .filter(button => {
        const { x, y, width, height } = button.getBoundingClientRect()
        const hit = document.elementFromPoint(x + width / 2, y + height / 2)
        return hit !== null && !button.contains(hit)
      })
      .map(({ textContent, ariaLabel }) => ariaLabel ?? textContent),
  )
}

test('[X-05] a dialog shows the error of its last attempt, and over no button', async ({
  browser,
  request,
}) => {
  const page = await bookOf(browser, request)
  const dialog = await openDialog(page, 'Add an address')
  const add = dialog.getByRole('button', { name: 'Add address' })
  let refusals = 0
  await page.route('**/api/address/new', route => {
    refusals += 1
    return route.fulfill({ status: 409, json: { status: 'error', message: `Refusal ${refusals}.` } })
  })
  // A toast then stays until something removes it.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const toasts = page.locator('[data-toast]')
  await add.press('Enter')
  await expect(toasts).toHaveText('Wallet address is required')
  await dialog.getByLabel('Wallet address').fill(address)
  for (const words of ['Refusal 1.', 'Refusal 2.']) {
    await add.press('Enter')
    await expect(toasts).toHaveText(words)
    for (const [, viewport] of widths) {
      await page.setViewportSize(viewport)
      expect(await coveredButtons(dialog)).toEqual([])
    }
  }
  const dismiss = (await page.getByRole('button', { name: 'Dismiss' }).boundingBox())!
  await page.mouse.click(dismiss.x + dismiss.width / 2, dismiss.y + dismiss.height / 2)
  await expect(toasts).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await add.press('Enter')
  await expect(toasts).toHaveText('Refusal 3.')
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(toasts).toHaveCount(0)
})

test('[X-02] the end of a session is told also where it closes a dialog', async ({ browser, request }) => {
  const page = await bookOf(browser, request)
  const dialog = await openDialog(page, 'Add an address')
  await page.route('**/api/address/new', route =>
    route.fulfill({
      status: 401,
      json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
    }),
  )
  await dialog.getByLabel('Wallet address').fill(address)
  await page.clock.install()
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await page.waitForURL('**/login')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.locator('[data-toast]')).toHaveText(
    'Your session has expired, you will be redirected to the login page',
  )
})

test('a dialog begins at its first field, or at its heading, never at Close', async ({
  browser,
  request,
}) => {
  const page = await bookOf(browser, request)
  const add = await openDialog(page, 'Add an address')
  await expect(add.getByLabel('Wallet', { exact: true })).toBeFocused()
  await add.getByLabel('Wallet address').fill(address)
  await add.getByRole('button', { name: 'Add address' }).click()
  await expect(add).toHaveCount(0)
  const remove = await openDialog(page, `Remove ${address}`)
  await expect(remove.getByRole('heading', { name: 'Remove this address?' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(remove.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Tab')
  await expect(remove.getByRole('button', { name: 'Close' })).toBeFocused()
})

test('a dialog changes no style that the whole page beneath it inherits', async ({ browser, request }) => {
  const page = await bookOf(browser, request)
  const main = page.locator('main')
  await expect(main).toHaveCSS('pointer-events', 'auto')
  await openDialog(page, 'Add an address')
  await expect(main).toHaveCSS('pointer-events', 'auto')
})

test('a tall dialog keeps its heading in sight, and no field beneath it', async ({ browser, request }) => {
  const page = await bookOf(browser, request)
  await page.setViewportSize({ width: 390, height: 360 })
  const dialog = await openDialog(page, 'Add an address')
  const heading = dialog.getByRole('heading', { name: 'Add an address' })
  await dialog.getByRole('button', { name: 'Add address' }).focus()
  await expect(dialog.getByRole('button', { name: 'Add address' })).toBeInViewport({ ratio: 1 })
  await expect(heading).toBeInViewport({ ratio: 1 })
  await dialog.getByLabel('Wallet', { exact: true }).focus()
  const box = async (of: Locator) => (await of.boundingBox())!
  const { y, height } = await box(heading)
  expect((await box(dialog.getByLabel('Wallet', { exact: true }))).y).toBeGreaterThan(y + height)
})

test('what was entered into a dialog outlives a press beside it and one Escape', async ({
  browser,
  request,
}) => {
  const page = await bookOf(browser, request)
  const beside = () => page.mouse.click(100, 60)
  const dialog = await openDialog(page, 'Add an address')
  // A dialog hears presses beside it from a moment after it has opened.
  const closesBeside = async () => {
    await beside()
    await expect(dialog).toHaveCount(0, { timeout: 1000 })
  }
  await expect(closesBeside).toPass()
  await openDialog(page, 'Add an address')
  await dialog.getByLabel('Wallet address').fill(address)
  await beside()
  await page.keyboard.press('Tab')
  await expect(dialog.getByLabel('Wallet address')).toHaveValue(address)
  const warning = page.getByText('Press Escape again to discard what you entered')
  for (const more of ['', 'x']) {
    await dialog.getByLabel('Wallet address').press('End')
    await page.keyboard.type(more)
    // Held down, the key repeats.
    await page.keyboard.down('Escape')
    await page.keyboard.down('Escape')
    await page.keyboard.up('Escape')
    await expect(warning).toBeVisible()
    await expect(dialog.getByLabel('Wallet address')).toHaveValue(address + more)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(warning).toHaveCount(0)
  await openDialog(page, 'Add an address')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await openDialog(page, 'Add an address')
  await expect(closesBeside).toPass()
})
