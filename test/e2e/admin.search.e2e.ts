import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { expectExtras, investorWith, openAct, payoutAddress } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { callApi, consoleOf, phone, stranger } from './support/people.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const fieldOf = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Search' })

/** Opens the search by its shortcut, once the console is there to hear it. */
async function openSearch(page: Page) {
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeVisible()
  await expectExtras(page)
  await page.keyboard.press('Control+k')
  await expect(fieldOf(page)).toBeFocused()
}

/** The option that Enter would follow. */
async function activeOption(page: Page) {
  const id = await fieldOf(page).getAttribute('aria-activedescendant')
  return page.locator(`[id="${id}"]`)
}

test('[N-02, N-06] by keyboard alone, a person and then a record are found from any page', async ({
  browser,
  request,
}) => {
  const family = `Found${crypto.randomUUID().slice(0, 8)}`
  const { ask } = await investorWith(request, 0, `Fay ${family}`)
  await investorWith(request, 0, `Flo ${family}`)
  const deposit = await ask('/deposit/new', { method: 'usdt', amount: 150 })
  const page = await consoleOf(browser)
  const button = page.getByRole('button', { name: 'Search', exact: true })
  await expect(button).toHaveAttribute('aria-keyshortcuts', 'Control+K')
  await openSearch(page)
  await page.keyboard.type(family.toLowerCase())
  await expect(dialogOf(page).getByRole('status')).toHaveText('2 results')
  const people = dialogOf(page).getByRole('group', { name: 'Users' })
  await expect(people.getByRole('option')).toHaveText([/^Flo /, /^Fay /])
  await expect(await activeOption(page)).toContainText('Flo')
  await page.keyboard.press('ArrowUp')
  await expect(await activeOption(page)).toContainText('Fay')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(await activeOption(page)).toContainText('Fay')
  await expect(people.getByRole('option', { selected: true })).toHaveCount(1)
  await expectAccessible(page, 'results', widths)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: `Fay ${family}` })).toBeVisible()
  await expect(dialogOf(page)).toHaveCount(0)

  await openSearch(page)
  await fieldOf(page).fill(deposit.invoiceId)
  // At once, before there are results.
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/admin/deposit?id=${deposit._id}`)
  await expect(dialogOf(page)).toHaveCount(0)
  const found = page.getByRole('heading', { level: 1, name: `Deposit ${deposit.invoiceId}` })
  await expect(found).toBeVisible()

  await button.focus()
  await page.keyboard.press('Enter')
  await expect(fieldOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialogOf(page)).toHaveCount(0)
  await expect(button).toBeFocused()
})

test('[N-06] the next record of a kind is announced, although its page has the same title', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const [first, second] = [
    await ask('/deposit/new', { method: 'usdt', amount: 150 }),
    await ask('/deposit/new', { method: 'usdt', amount: 160 }),
  ]
  const page = await consoleOf(browser, { path: `/admin/deposit?id=${first._id}` })
  await expectExtras(page)
  const announced = page.locator('body > [role=status]')
  await expect(announced).toBeEmpty()
  await openSearch(page)
  await fieldOf(page).fill(second.invoiceId)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/admin/deposit?id=${second._id}`)
  await expect(announced).toHaveText(/^Deposit/)
})

test('[N-03, N-06] a withdrawal is found by its address and a page by its name, on a phone too', async ({
  browser,
  request,
}) => {
  const { ask, person } = await investorWith(request, 1000, 'Wanda Wallet')
  const body = { amount: 150, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress }
  const { invoiceId } = await ask('/withdrawal/new', body)
  const page = await consoleOf(browser, { viewport: phone })
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expectSound(page, widths)
  await page.setViewportSize(phone)
  await fieldOf(page).fill(payoutAddress)
  const withdrawals = dialogOf(page).getByRole('group', { name: 'Withdrawals' })
  await expect(withdrawals.getByRole('option').first()).toContainText(`${person.name}, by address`)
  await expect(withdrawals.getByRole('option').first()).toContainText('$150.00')
  await expectSound(page, widths)
  await page.setViewportSize(phone)
  await withdrawals.getByRole('option', { name: invoiceId }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Withdrawal ${invoiceId}` })).toBeVisible()

  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await fieldOf(page).fill('audit')
  await dialogOf(page)
    .getByRole('group', { name: 'Pages' })
    .getByRole('option', { name: 'Audit log' })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible()
})

test('[N-13] more people than the search shows are one press away', async ({ browser, request }) => {
  const family = `Many${crypto.randomUUID().slice(0, 8)}`
  for (let n = 0; n < 6; n += 1) await investorWith(request, 0, `Max ${family}`)
  const page = await consoleOf(browser)
  await openSearch(page)
  await fieldOf(page).fill(family)
  await expect(dialogOf(page).getByRole('status')).toHaveText('The first 5 results')
  await dialogOf(page).getByRole('option', { name: 'All matching users' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  await expect(page.getByText('6 of 6')).toBeVisible()
})

test('[W-01, N-14, D-23] each role finds what it may list, and the search says when it finds nothing', async ({
  browser,
  request,
}) => {
  const { name, email } = stranger(`Mira ${crypto.randomUUID().slice(0, 8)}`)
  await callApi(request, 'POST', '/contact/new', {
    body: { name, email, subject: 'Question', message: 'Good day' },
  })
  const support = await consoleOf(browser, { who: 'support' })
  await openSearch(support)
  const status = dialogOf(support).getByRole('status')
  await expect(status).toHaveText(/^Find people by name or email/)
  await fieldOf(support).fill('M')
  await expect(status).toHaveText(/^Find people by name or email/)
  await fieldOf(support).fill(name)
  await dialogOf(support).getByRole('option', { name }).click()
  await expect(support).toHaveURL(/^[^?]+\/admin\/messages\?q=/)
  await expect(support.getByRole('heading', { level: 2, name: 'Question' })).toBeVisible()

  const finance = await consoleOf(browser, { who: 'finance' })
  await openSearch(finance)
  await fieldOf(finance).fill(name)
  await expect(dialogOf(finance).getByRole('status')).toHaveText(`Nothing found for “${name}”.`)
  await expect(dialogOf(finance).getByRole('option')).toHaveCount(0)
})

test('[D-23] a search that fails says why, and is made again at a press', async ({ browser, request }) => {
  const { person } = await investorWith(request, 0, 'Rita Retried')
  const page = await consoleOf(browser)
  await page.route('**/api/console/search?*', route =>
    route.fulfill({ status: 400, json: { status: 'error', code: 'invalid_input', message: 'Not now' } }),
  )
  await openSearch(page)
  await fieldOf(page).fill(person.email)
  await expect(dialogOf(page).getByRole('status')).toHaveText('The search failed.')
  await expect(dialogOf(page)).toContainText('Not now')
  await expectSound(page, widths)
  await page.unroute('**/api/console/search?*')
  await dialogOf(page).getByRole('button', { name: 'Try again' }).click()
  await expect(dialogOf(page).getByRole('option')).toContainText(['Rita Retried'])
})

test('[N-12] the shortcut opens no search over an act, whose form may hold something', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0, 'Olga Open')
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 150 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Decline', invoiceId)
  await dialog.getByLabel('Reason').fill('Nothing has')
  await page.keyboard.press('Control+k')
  await expect(page.locator('button[aria-keyshortcuts]')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.type(' arrived')
  await expect(dialog.getByLabel('Reason')).toHaveValue('Nothing has arrived')
  await expect(page.locator('[role=dialog]')).toHaveCount(1)
})

test("[N-13] the search's script is no part of the console's page", async ({ request }) => {
  const html = await (await request.get('/admin/home')).text()
  const files = new Set([...html.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([file]) => file))
  const scripts = await Promise.all([...files].map(async file => (await request.get(file)).text()))
  expect(scripts.join('\n')).toContain('aria-keyshortcuts')
  expect(scripts.join('\n')).not.toContain('Nothing found for')
})
