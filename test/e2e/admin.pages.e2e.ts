import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { type Invoice, openAct, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { callApi, consoleOf, expectToast, openAccount, phone, stranger } from './support/people.ts'

const tables = ['Users', 'Deposits', 'Withdrawals', 'Investments', 'Earnings'] as const

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Admin console' })

/** Pending deposits of several new people, since one may have only ten. */
async function pendingDeposits(request: APIRequestContext, family: string, count: number) {
  const deposits: Invoice[] = []
  let token = ''
  for (let n = 0; n < count; n += 1) {
    if (n % 9 === 0) token = await openAccount(request, stranger(`Paged Pat ${family}`))
    const body = { method: 'usdt', amount: 100 + n }
    deposits.push(await callApi<Invoice>(request, 'POST', '/deposit/new', { token, body }))
  }
  return deposits
}

test('[N-01, N-13] each table has a page of its own in the menu, sound at every width', async ({
  browser,
}) => {
  test.slow() // axe checks five pages, at both widths and in the dark
  const page = await consoleOf(browser)
  for (const name of tables) {
    await menuOf(page).getByRole('link', { name, exact: true }).click()
    await expect(page).toHaveURL(`/admin/${name.toLowerCase()}`)
    await expect(page).toHaveTitle(new RegExp(`^${name}\\b`))
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByRole('table', { name: `${name}, newest first` })).toBeVisible()
    await expect(page.getByText(/^Loading .*…$/)).toHaveCount(0)
    await expectSound(page, widths)
  }
})

test('[N-01] the menu shows where you are, also below what fits into the window', async ({ browser }) => {
  const page = await consoleOf(browser)
  const current = menuOf(page).getByRole('link', { name: 'Settings', exact: true })
  const expectShown = async () => {
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
    await expect(current).toHaveAttribute('aria-current', 'page')
    await expect(current).toBeInViewport({ ratio: 1 })
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await expect(current).not.toBeFocused()
  }
  await page.goto('/admin/settings')
  await expectShown()
  const home = menuOf(page).getByRole('link', { name: 'Console', exact: true })
  await expect(home).not.toBeInViewport()
  await home.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Probity' })).toBeVisible()
  await expect(current).not.toBeInViewport()
  await page.goBack()
  await expectShown()
})

test('[N-06, N-13] a table on the home leads to its page, with its filter and acts', async ({
  browser,
  request,
}) => {
  const family = crypto.randomUUID().slice(0, 8)
  const deposits = await pendingDeposits(request, family, 27)
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await expect(section.getByRole('link', { name: 'All deposits' })).toHaveAttribute('href', '/admin/deposits')
  await section.getByRole('searchbox').fill(family)
  await section.getByRole('combobox', { name: 'Filter deposits' }).selectOption('Pending')
  await section.getByRole('button', { name: 'Amount', exact: true }).click()
  await section.getByRole('link', { name: 'All matching deposits' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Deposits' })).toBeVisible()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    q: family,
    status: 'pending',
    sort: '-amount',
  })
  await expect(section.getByText('25 of 27')).toBeVisible()
  await expect(section.getByRole('row')).toHaveCount(26)
  await expect(section.getByRole('row').nth(1)).toContainText('$126.00')
  await section.getByRole('button', { name: 'Load more' }).click()
  await expect(section.getByText('27 of 27')).toBeVisible()

  const { invoiceId } = deposits[0]!
  const dialog = await openAct(page, 'Deposits', 'Decline', invoiceId)
  await dialog.getByLabel('Reason').fill('Nothing has arrived')
  await dialog.getByRole('button', { name: 'Decline deposit' }).click()
  await expectToast(page, 'Deposit declined')
  await expect(section.getByText('No deposits match this search.')).toBeVisible()
  await page.goBack()
  await expect(section.getByRole('searchbox')).toHaveValue(family)
  await expect(section.getByText('10 of 26')).toBeVisible()
})

test('[N-01] on a phone the whole menu of the console can be reached', async ({ browser }) => {
  const page = await consoleOf(browser, { viewport: phone })
  const menu = menuOf(page)
  await menu.getByRole('button', { name: 'Menu' }).click()
  const last = menu.getByRole('button', { name: 'Logout' })
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport({ ratio: 1 })
  await menu.getByRole('link', { name: 'Users', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
})

test('[N-13] a filter is saved, applied on another visit, replaced and deleted', async ({
  browser,
  request,
}) => {
  const family = crypto.randomUUID().slice(0, 8)
  await pendingDeposits(request, family, 3)
  const name = `Family ${family}`
  const page = await consoleOf(browser, { path: '/admin/deposits' })
  const section = region(page, 'Deposits')
  const filters = section.getByRole('group', { name: 'Saved filters of deposits' })
  const chip = filters.getByRole('button', { name, exact: true })
  await section.getByRole('searchbox').fill(family)
  await section.getByRole('button', { name: 'Amount', exact: true }).click()
  await filters.getByRole('button', { name: 'Save filter' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save filter' })
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await dialog.getByRole('button', { name: 'Save filter' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/)
  await expectSound(page, widths)
  await dialog.getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await expectToast(page, 'Filter saved')
  await expect(chip).toHaveAttribute('aria-pressed', 'true')
  await expect(filters.getByRole('button', { name: 'Save filter' })).toHaveCount(0)
  await expectSound(page, widths)

  await page.goto('/admin/deposits')
  await expect(chip).toHaveAttribute('aria-pressed', 'false')
  await chip.click()
  await expect(section.getByText('3 of 3')).toBeVisible()
  await expect(section.getByRole('table', { name: 'Deposits, Amount, largest first' })).toBeVisible()
  await chip.click()
  await expect(section.getByRole('searchbox')).toHaveValue('')
  await page.goto('/admin/withdrawals')
  await expect(page.getByRole('heading', { level: 1, name: 'Withdrawals' })).toBeVisible()
  await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)

  await page.goto(`/admin/deposits?q=${family}&status=paid`)
  await filters.getByRole('button', { name: 'Save filter' }).click()
  await dialog.getByLabel('Name').fill(name.toUpperCase())
  await page.keyboard.press('Enter')
  await expectToast(page, 'Filter saved')
  await expect(chip).toHaveCount(0)
  const renamed = filters.getByRole('button', { name: name.toUpperCase(), exact: true })
  await expect(renamed).toHaveAttribute('aria-pressed', 'true')
  await filters.getByRole('button', { name: `Delete the filter ${name.toUpperCase()}` }).click()
  const asked = page.getByRole('dialog', { name: 'Delete this filter?' })
  await expectSound(page, widths)
  await asked.getByRole('button', { name: 'Delete filter' }).click()
  await expectToast(page, 'Filter deleted')
  await expect(renamed).toHaveCount(0)
  await expect(section.getByText('No deposits match this search.')).toBeVisible()
})
