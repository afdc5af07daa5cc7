import { expect, type Page, test } from '@playwright/test'
import { clearOfTheHour } from '#test/support/hour.ts'
import { layOutAll } from './support/accessible.ts'
import { centsOf } from './support/console.ts'
import {
  busyInvestor,
  dashboardOf,
  expectSound,
  figure,
  type Investor,
  newInvestor,
  textOf,
  widths,
} from './support/investor.ts'
import { callApi, consoleOf, daysAgo, desktop, phone, sample, tokenOf } from './support/people.ts'

type Request = Parameters<typeof newInvestor>[0]

/** Money of every kind: paid in, in a plan, earned, on hold. */
async function investorWithEverything(request: Request): Promise<Investor> {
  // A month that ends in between would be told of, too.
  await clearOfTheHour()
  return busyInvestor(request, 1500.5)
}

const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const chartNames = ['Total funds over time', 'Where your money is', 'Earnings by month'] as const
const balanceChart = (page: Page) => chart(page, 'Total funds over time')

test('[D-26, B-03] charts say in words what they show, deposits apart from earnings', async ({
  browser,
  request,
}) => {
  const iris = await investorWithEverything(request)
  const page = await dashboardOf(browser, request, iris)
  const balance = balanceChart(page)
  await expect(balance).toContainText(
    /Your total funds went from \$0\.00 at the end of .* to \$2,042\.10 on /,
  )
  await expect(balance).toContainText('You deposited $2,000.00, earned $42.10 and withdrew $0.00.')
  await expect(balance).toContainText('What lies above the dashed line, net paid in, is what you earned.')
  await expect(balance.getByRole('slider')).toHaveAttribute(
    'aria-valuetext',
    /: total \$2,042\.10, Available \$442\.35, In plans \$1,500\.50, On hold \$99\.25, net paid in \$2,000\.00$/,
  )
  await expect(figure(page, 'Total funds')).toHaveText('$2,042.10')

  const where = chart(page, 'Where your money is')
  await expect(where).toContainText(
    '$1,500.50 of your $2,042.10 is in 1 investment; $442.35 is available and $99.25 is on hold.',
  )
  await where.getByText('How shares are calculated').click()
  await expect(where).toContainText('Enthusiast: $1,500.50 ÷ $2,042.10 = 73.5%')

  const earnings = chart(page, 'Earnings by month')
  await expect(earnings).toContainText(/You earned \$42\.10 in \w{3} \d{4}\. Deposits are not included\./)
  await expectSound(page, widths)
})

test('[D-26] without its script a chart keeps its words and its table', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await investorWithEverything(request))
  const script = '**/charts-plots-*.js'
  await page.route(script, route => route.abort())
  await page.goto('/dashboard/home')
  const balance = balanceChart(page)
  await expect(balance).toContainText('The chart could not be drawn. Its figures are in the table.')
  await expect(balance).toContainText(/Your total funds went from/)
  await balance.getByRole('switch', { name: 'Show as table' }).click()
  await expect(balance.getByRole('table')).toBeVisible()
  await balance.getByRole('switch', { name: 'Show as table' }).click()
  await page.unroute(script)
  await balance.getByRole('button', { name: 'Try again' }).click()
  await expect(balance.getByRole('slider')).toBeVisible()
})

test('[D-26] every chart is a table, too', async ({ browser, request }) => {
  const page = await dashboardOf(browser, request, await investorWithEverything(request))
  for (const name of chartNames) {
    const toggle = chart(page, name).getByRole('switch', { name: 'Show as table' })
    await toggle.focus()
    await page.keyboard.press('Space')
    await expect(toggle).toHaveAttribute('aria-checked', 'true')
    await expect(chart(page, name).getByRole('slider')).toHaveCount(0)
  }
  const newest = balanceChart(page).getByRole('row').nth(1).getByRole('cell')
  await expect(newest.nth(1)).toHaveText('$442.35')
  await expect(newest.nth(4)).toHaveText('$2,042.10')
  const grid = page.getByRole('table', { name: 'Earnings by month, one row per year' })
  await expect(grid.getByRole('columnheader')).toHaveCount(14)
  await expect(grid.getByRole('row').nth(1).getByRole('cell').last()).toHaveText('$42.10')
  await expectSound(page, widths)
})

test('[D-26] the sample investor looks at a time, and it stays in the address', async ({
  browser,
  request,
}) => {
  const person = sample('investor')
  const token = await tokenOf(request, person)
  const page = await dashboardOf(browser, request, { person, token })
  const slider = balanceChart(page).getByRole('slider')
  await expect(slider).toBeVisible()
  const total = await centsOf(page, 'Total funds')
  await expect(balanceChart(page)).toContainText(await textOf(figure(page, 'Total funds')))
  const parts = [
    await centsOf(page, 'Balance'),
    await centsOf(page, 'In plans'),
    await centsOf(page, 'On hold'),
  ]
  expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(total)
  await expectSound(page, widths)

  const first = await slider.getAttribute('aria-valuemax')
  await page.getByRole('radio', { name: '3 months' }).check({ force: true })
  await expect(page).toHaveURL(/\?period=3m$/)
  await expect.poll(() => slider.getAttribute('aria-valuemax')).not.toBe(first)
  await page.reload()
  await expect(page.getByRole('radio', { name: '3 months' })).toBeChecked()
  await expect(figure(page, 'Total funds')).toContainText('$')
  await expect(balanceChart(page)).toContainText(await textOf(figure(page, 'Total funds')))
  await page.getByLabel('From').fill(daysAgo(12))
  await page.getByLabel('To', { exact: true }).fill(daysAgo(17))
  await expect(page.getByRole('alert')).toHaveText('The last day cannot be before the first')
  await expectSound(page, widths)
  // Typed days give way to a period chosen after them.
  await page.getByRole('radio', { name: 'All', exact: true }).check({ force: true })
  for (const label of ['From', 'To']) await expect(page.getByLabel(label, { exact: true })).toHaveValue('')
})

test('[D-26] arrow keys and the pointer tell the figures of a point', async ({ browser, request }) => {
  const person = sample('investor')
  const token = await tokenOf(request, person)
  const page = await dashboardOf(browser, request, { person, token })
  const slider = balanceChart(page).getByRole('slider')
  await expect(slider).toBeVisible()
  const told = () => slider.getAttribute('aria-valuetext')
  const last = (await told())!
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuenow', '1')
  expect(await told()).toContain('total $0.00, Available $0.00')
  await page.keyboard.press('ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuenow', '2')
  const [day] = (await told())!.split(':')
  await expect(balanceChart(page).locator('dl')).toContainText(day!)
  await page.keyboard.press('End')
  expect(await told()).toBe(last)
  const { x, y, width: wide } = (await slider.boundingBox())!
  await page.mouse.move(x + wide / 2, y + 60)
  await expect.poll(told).not.toBe(last)
  await page.mouse.move(x + wide / 2, y - 200)
  await expect.poll(told).toBe(last)
})

test('[D-26, D-23] where nothing has moved, the charts say so and keep their room', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await callApi(request, 'POST', '/deposit/new', {
    token: iris.token,
    body: { method: 'usdt', amount: 500 },
  })
  const page = await dashboardOf(browser, request, iris)
  await expect(balanceChart(page)).toContainText('No money moved in your account in this period.')
  await expect(chart(page, 'Where your money is')).toContainText('Nothing to show yet.')
  await expect(chart(page, 'Earnings by month')).toContainText('No earnings in this period.')
  await expectSound(page, widths)
})

test('[D-27] amounts are hidden everywhere, nothing moves, and it is remembered', async ({
  browser,
  request,
}) => {
  const person = sample('investor')
  const token = await tokenOf(request, person)
  const page = await dashboardOf(browser, request, { person, token })
  for (const path of ['home', 'investments', 'withdrawals', 'history', 'statement', 'deposit']) {
    await page.goto(`/dashboard/${path}`)
    const eye = page.getByRole('button', { name: 'Hide amounts' })
    await expect(eye).toHaveAttribute('aria-pressed', 'false')
    await settled(page)
    await expect.poll(() => amountsInSight(page)).not.toEqual([])
    if (path === 'statement') await expect(page.getByText('Checked on your device in')).toBeVisible()
    // Rows far below have a height of their own only once they are laid out.
    await page.evaluate(layOutAll)
    const before = await restingPlaces(page)
    await eye.click()
    await expect(eye).toHaveAttribute('aria-pressed', 'true')
    expect(await amountsInSight(page)).toEqual([])
    expect(await places(page)).toEqual(before)
    if (path === 'home') await expectSound(page, widths)
    await page.reload()
    await expect(eye).toHaveAttribute('aria-pressed', 'true')
    await settled(page)
    expect(await amountsInSight(page)).toEqual([])
    await eye.click()
  }
})

/** Everything that was on its way is there. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('main').getByText(/^Loading/)).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready.then(() => true))
}

/** Amounts that can be read on the page, also in names; except the ticker's, a form's limits, and what is to be paid. */
function amountsInSight(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const isToPay = (element: Element) =>
      /^Your payments?/.test(element.closest('section')?.querySelector('h2')?.textContent ?? '')
    const isOthers = (element: Element) =>
      isToPay(element) || element.closest('[aria-label="Coin prices"], form, [role=dialog]') !== null
    for (const element of document.querySelectorAll('body *')) {
      if (isOthers(element) || !element.checkVisibility({ checkVisibilityCSS: true })) continue
      const own = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent)
      const names = ['aria-label', 'aria-valuetext', 'title'].map(name => element.getAttribute(name))
      found.push(...[...own, ...names].filter(text => text !== null && /\$\d/.test(text)).map(text => text!))
    }
    return found
  })
}

/** Where everything stands once nothing moves any more. */
async function restingPlaces(page: Page): Promise<string[]> {
  let now = await places(page)
  await expect
    .poll(async () => {
      const before = now
      now = await places(page)
      return now.join() === before.join()
    })
    .toBe(true)
  return now
}

/** Where everything stands. */
function places(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter(element => !element.closest('svg'))
      .map(element => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return `${element.tagName} ${x} ${y + scrollY} ${width} ${height}`
      }),
  )
}

test('[D-27] hidden amounts are read out as hidden; typed and payable amounts stay visible', async ({
  browser,
  request,
}) => {
  const iris = await investorWithEverything(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop })
  await settled(page)
  await page.getByRole('button', { name: 'Hide amounts' }).click()
  await expect(balanceChart(page).getByRole('slider')).toHaveAttribute(
    'aria-valuetext',
    /total hidden, Available hidden, In plans hidden, On hold hidden, net paid in hidden$/,
  )
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - term: Balance
    - definition: hidden
  `)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(page.getByRole('dialog').getByText(/An earning of/)).toBeVisible()
  const inDialog = page.getByRole('dialog').locator('.amount > span')
  expect(await inDialog.count()).toBeGreaterThan(0)
  for (const amount of await inDialog.all()) await expect(amount).toBeHidden()
  await page.keyboard.press('Escape')

  await page.goto('/dashboard/withdrawals')
  await page.getByLabel('Amount (USD)').fill('12.50')
  await expect(page.getByText('Leaves $429.85 available.')).toBeVisible()
  await page.goto('/dashboard/confirm-deposit?method=usdt&amount=500')
  await expect(page.getByText('Confirm your deposit of $500.00.')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expect(page).toHaveURL(/\/dashboard\/home/)
  const payment = page.getByRole('region', { name: /^Your payments?$/ })
  await expect(payment.locator('dd').getByText('500.00 USDT', { exact: true })).toBeVisible()
})

test('[D-27] the console shows amounts although the investor in the same browser hides them', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  await page.evaluate(() => localStorage.setItem('amounts', 'hidden'))
  await page.reload()
  await expect(page.getByRole('table').first().getByText(/\$\d/).first()).toBeVisible()
})

test('[D-26] the return of the period stands with its formula one press away', async ({
  browser,
  request,
}) => {
  const person = sample('investor')
  const page = await dashboardOf(browser, request, { person, token: await tokenOf(request, person) })
  const chart = page.getByRole('region', { name: 'Total funds over time' })
  const words = /Your return was (-?\d+\.\d\d)% time-weighted and (-?\d+\.\d\d)% money-weighted\./
  await expect(chart).toContainText(words)
  await chart.getByRole('button', { name: 'How we compute it' }).click()
  await expect(page.getByRole('dialog', { name: 'How we compute your return' })).toContainText(
    'Past returns do not predict future ones.',
  )
  await expectSound(page, widths)
})

for (const viewport of [phone, { width: 1100, height: 900 }]) {
  test(`[D-26] ${viewport.width} px: charts load after the first script and shift nothing`, async ({
    browser,
    request,
  }) => {
    const person = sample('investor')
    const token = await tokenOf(request, person)
    const page = await dashboardOf(browser, request, { person, token }, { viewport })
    const html = await (await request.get('/dashboard/home')).text()
    const first = new Set(html.match(/\/assets\/[\w.-]+\.js/g))
    const later = new Set<string>()
    page.on('request', asked => void later.add(new URL(asked.url()).pathname))
    const held: (() => void)[] = []
    const heldBack = /\/assets\/charts-(balance|allocation|plots)-|\/api\/ledger\//
    let isOpen = false
    await page.route(heldBack, route => (isOpen ? route.continue() : void held.push(() => route.continue())))
    await page.goto('/dashboard/home')
    // None while a chart takes the place of what stood for it.
    const boxes = () =>
      Promise.all(chartNames.map(async name => Object.values((await chart(page, name).boundingBox()) ?? {})))
    await expect(page.getByText('Loading your total funds over time…')).toBeVisible()
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(chartNames.length)
    // The content above the charts is there before they load.
    await expect(page.getByText('Loading', { exact: true })).toHaveCount(0)
    await expect(page.getByRole('region', { name: /^Your payments?$/ })).toBeVisible()
    let before: number[][] = []
    await expect
      .poll(async () => {
        before = await boxes()
        return before.every(box => box.length > 0)
      })
      .toBe(true)
    isOpen = true
    for (const release of held) release()
    await expect(balanceChart(page).getByRole('slider').first()).toBeVisible()
    await settled(page)
    await expect.poll(boxes).toEqual(before)
    for (const part of ['balance', 'allocation', 'plots']) {
      const ofPart = new RegExp(`^/assets/charts-${part}-`)
      expect([...first].filter(script => ofPart.test(script))).toEqual([])
      expect([...later].filter(script => ofPart.test(script))).not.toEqual([])
    }
  })
}
