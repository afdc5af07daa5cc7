import { expect, type Page, test } from '@playwright/test'
import { formatUsd, parseUsd } from '#shared/money.ts'
import { centsOf, expectExtras, openAct, region, rowOf } from './support/console.ts'
import { figure } from './support/investor.ts'
import { browserOf, consoleOf, daysAgo, expectToast, type Person, phone, stranger } from './support/people.ts'

/**
 * The whole main job, by four people through the pages only: a stranger on a phone, two admins and finance. It ends
 * where the statement, which is the books, is held against everything else that the pages show.
 */

const bitcoinAddress = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

/** What moves, in cents. */
const deposited = 20_000_00n
const investedByCoin = 6_000_00n
const investedFromBalance = 1_500_00n
const earned = 123_45n
const withdrawnSmall = 250_10n
const withdrawnLarge = 12_000_00n
/** What is available and in plans in the end. */
const available = deposited + earned - withdrawnSmall - withdrawnLarge
const inPlans = investedByCoin

test('[A-03, A-08, A-11, D-14, D-18, D-21, D-12, D-08, N-08, N-11, B-03] the main job: from a stranger to a statement that adds up to the cent', async ({
  browser,
}) => {
  test.setTimeout(240_000)
  const person = stranger('Maya Mainjob')
  const investor = await browserOf(browser, phone)
  const admin = await consoleOf(browser)
  const second = await consoleOf(browser, { who: 'second administrator' })
  const third = await consoleOf(browser, { who: 'finance' })

  await test.step('the stranger registers, reads the code in the mailbox and is logged in', async () => {
    await register(investor, person)
    await verify(investor)
    await investor.getByRole('link', { name: 'Go to your dashboard' }).click()
    await expectFigure(investor, 'Balance', 0n)
  })

  await test.step('asks for a deposit; the admin approves it', async () => {
    await deposit(investor)
    await act(admin, 'Deposits', person, 'Approve', 'Approve deposit', 'Deposit approved')
    await investor.reload()
    await expectFigure(investor, 'Balance', deposited)
  })

  await test.step('invests, once by a coin and once from the balance; the admin approves both', async () => {
    await invest(investor, { plan: 'Business', cents: investedByCoin, method: 'USDT TRC-20' })
    await act(admin, 'Investments', person, 'Approve', 'Approve investment', 'Investment approved')
    await invest(investor, { plan: 'Enthusiast', cents: investedFromBalance, method: 'Available balance' })
    await act(admin, 'Investments', person, 'Approve', 'Approve investment', 'Investment approved')
    await investor.reload()
    await expectFigure(investor, 'In plans', investedByCoin + investedFromBalance)
  })

  await test.step('the admin records a return, credits an earning from it and closes an investment', async () => {
    const before = await returns(admin)
    await recordReturn(admin)
    await addEarning(admin, person)
    const of = `the earning of ${person.name}`
    const approval = await openAct(second, 'Earnings', 'Approve', of, person.name)
    await approval.getByRole('button', { name: 'Approve earning' }).click()
    await expectToast(second, 'Earning approved')
    const after = await returns(admin)
    expect(after.recorded - before.recorded).toBe(500_00n)
    expect(after.paidOut - before.paidOut).toBe(earned)
    expect(after.left).toBe(after.recorded - after.paidOut)
    await goToConsole(admin)
    await act(admin, 'Investments', person, 'Close', 'Close investment', 'Investment closed', 'Enthusiast')
  })

  await test.step('the stranger withdraws a small and a large amount; the admins approve and pay', async () => {
    await withdraw(investor, withdrawnSmall)
    await act(admin, 'Withdrawals', person, 'Approve', 'Approve withdrawal', 'Withdrawal approved')
    await pay(second, person, formatUsd(withdrawnSmall))
    await withdraw(investor, withdrawnLarge)
    const large = formatUsd(withdrawnLarge)
    await act(admin, 'Withdrawals', person, 'Approve', 'Approve withdrawal', 'First approval recorded', large)
    await expect(rowOf(admin, 'Withdrawals', large)).toContainText('1 of 2 approvals')
    await act(second, 'Withdrawals', person, 'Approve', 'Approve withdrawal', 'Withdrawal approved', large)
    await pay(third, person, large)
  })

  await test.step('the statement adds up to the cent, and everything else on show agrees with it', async () => {
    await expectEverythingToAgree(investor)
    await expectConsoleToAgree(admin, person)
  })
})

/** Opens an entry of the investor's menu, as a phone shows it. */
async function goTo(page: Page, entry: string) {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('navigation').getByRole('link', { name: entry, exact: true }).click()
  await expect(page.getByRole('button', { name: 'Menu' })).toHaveAttribute('aria-expanded', 'false')
}

async function goToConsole(page: Page, entry = 'Console') {
  const link = page.getByRole('navigation', { name: 'Admin console' }).getByRole('link', { name: entry })
  await link.click()
  await expect(link).toHaveAttribute('aria-current', 'page')
}

async function register(page: Page, { name, email, password }: Person) {
  await page.goto('/')
  await page.getByRole('main').getByRole('link', { name: 'Get started' }).first().click()
  await page.waitForURL('**/register')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Country').selectOption('New Zealand')
  await page.getByLabel('Mobile number').fill('+64 21 000 000')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.waitForURL(`**/verify/${email}`)
}

async function verify(page: Page) {
  const [mailbox] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'built-in mailbox' }).click(),
  ])
  const mail = mailbox.getByRole('listitem').filter({ hasText: /\b\d{6}\b/ })
  await expect(mail).toBeVisible()
  const code = /\b\d{6}\b/.exec((await mail.textContent()) ?? '')?.[0] ?? ''
  await mailbox.close()
  await page.getByLabel('Verification code').fill(code)
  await page.getByRole('button', { name: 'Verify email' }).click()
  await page.waitForURL('**/login')
}

async function deposit(page: Page) {
  await goTo(page, 'Manage deposits')
  await page.getByRole('button', { name: 'Fund now by Bitcoin' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount (USD)').fill('20,000')
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('link', { name: 'Pay now' }).click()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Deposit plan created, your deposit is currently being processed')
  await page.waitForURL('**/dashboard/home')
}

type NewInvestment = { plan: string; cents: bigint; method: string }

async function invest(page: Page, { plan, cents, method }: NewInvestment) {
  await goTo(page, 'New Investment')
  await page.getByText(plan, { exact: true }).click()
  await page.getByLabel('Amount (USD)').fill(formatUsd(cents))
  await page.getByRole('radio', { name: method }).check()
  await page.getByRole('button', { name: 'Proceed to confirm' }).click()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Investment initiated successfully')
  await page.waitForURL('**/dashboard/home')
}

async function withdraw(page: Page, cents: bigint) {
  await goTo(page, 'Withdraw Funds')
  await page.getByLabel('Amount (USD)').fill(formatUsd(cents))
  await page.getByLabel('Wallet address').fill(bitcoinAddress)
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm withdrawal' }).click()
  await expectToast(page, 'Withdrawal initiated successfully')
}

/** Does one act to the person's row of a table: the only one that offers it, or the one with `words`. */
async function act(
  page: Page,
  table: string,
  { name, email }: Person,
  button: string,
  confirm: string,
  toast: string,
  words = '',
) {
  // A reload shows new records, which the page would show after a while.
  await page.reload()
  const section = region(page, table)
  await section.getByRole('searchbox').fill(email)
  await expectExtras(page)
  await rowOf(page, table, name)
    .filter({ hasText: words })
    .getByRole('button', { name: new RegExp(`^${button} `) })
    .click()
  const dialog = page.getByRole('dialog')
  // Before its ending date.
  if (button === 'Close') await dialog.getByLabel('Reason').fill('Closed at your wish')
  await dialog.getByRole('button', { name: confirm }).click()
  await expectToast(page, toast)
}

async function recordReturn(page: Page) {
  await goToConsole(page, 'Recorded returns')
  await page.getByRole('textbox', { name: 'Amount' }).fill('500')
  await page.getByLabel('Date').fill(daysAgo(7))
  await page.getByLabel('Source').fill('Sale of a printing press')
  await page.getByLabel('Evidence').fill('https://example.com/press.pdf')
  await page.getByRole('button', { name: 'Record return' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Record return' }).click()
  await expectToast(page, 'Return recorded')
}

async function addEarning(page: Page, { name, email }: Person) {
  await goToConsole(page)
  const users = region(page, 'Users')
  await users.getByRole('searchbox').fill(email)
  await users.getByRole('button', { name: `Add earnings for ${name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill(formatUsd(earned))
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, 'Earnings added. A second person must approve them')
}

async function pay(page: Page, person: Person, words: string) {
  await page.reload()
  const section = region(page, 'Withdrawals')
  await section.getByRole('searchbox').fill(person.email)
  await rowOf(page, 'Withdrawals', person.name)
    .filter({ hasText: words })
    .getByRole('button', { name: /^Mark paid/ })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Transaction id').fill(crypto.randomUUID().replaceAll('-', '').repeat(2))
  await dialog.getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(page, 'Withdrawal marked as paid')
}

/** What the page shows under a name, to the cent. */
async function expectFigure(page: Page, name: string, cents: bigint) {
  await expect(figure(page, name)).toHaveText(formatUsd(cents))
}

async function returns(page: Page) {
  await goToConsole(page, 'Recorded returns')
  await page.reload()
  return {
    recorded: await centsOf(page, 'Recorded'),
    paidOut: await centsOf(page, 'Paid out'),
    left: await centsOf(page, 'Left to pay out'),
  }
}

type Movement = { account: string; amount: bigint; balance: bigint }

/** Every movement of the statement, the newest first. */
async function movements(page: Page): Promise<Movement[]> {
  const more = page.getByRole('button', { name: 'Load more' })
  const shown = page.getByText(/^\d+ of \d+ postings$/)
  await expect(shown).toBeVisible()
  while (await more.isVisible()) {
    const before = await shown.textContent()
    await more.click()
    await expect(shown).not.toHaveText(before ?? '')
  }
  const rows = await page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll(all => all.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent ?? '')))
  return rows.map(([, , account = '', amount = '', balance = '']) => ({
    account,
    amount: signed(amount),
    balance: signed(balance),
  }))
}

/** '+$1.00' and '-$1.00' in cents. */
function signed(text: string): bigint {
  const cents = parseUsd(text.replace(/^[+-]/, ''))
  if (cents === undefined) throw new Error(`${text} is no amount`)
  return text.startsWith('-') ? -cents : cents
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

async function expectEverythingToAgree(page: Page) {
  await goTo(page, 'Statement')
  await page.reload()
  const expected = { Available: available, 'In plans': inPlans, 'On hold': 0n }
  for (const [account, balance] of Object.entries(expected)) {
    await page.getByRole('combobox', { name: 'Account' }).selectOption({ label: account })
    const accounts = () =>
      page
        .locator('tbody tr')
        .evaluateAll(rows => [
          ...new Set(rows.map(row => (row as HTMLTableRowElement).cells[2]?.textContent)),
        ])
    await expect.poll(accounts).toEqual([account])
    const own = await movements(page)
    expect(sum(own.map(movement => movement.amount)), `${account}: the movements`).toBe(balance)
    expect(own[0]?.balance, `${account}: after the last of them`).toBe(balance)
    // Each balance is the one before and what moved: the chain has no gap.
    for (const [place, movement] of own.entries()) {
      expect(movement.balance - movement.amount).toBe(own[place + 1]?.balance ?? 0n)
    }
  }
  for (const entry of ['Statement', 'Dashboard', 'Investments', 'Withdraw Funds']) {
    await goTo(page, entry)
    await expectFigure(page, 'Balance', available)
    await expectFigure(page, 'In plans', inPlans)
    await expectFigure(page, 'On hold', 0n)
    await expectFigure(page, 'Total funds', available + inPlans)
  }
  await expectFigure(page, 'Total', withdrawnSmall + withdrawnLarge)
  await expectFigure(page, 'Approved', withdrawnSmall + withdrawnLarge)
  await expectFigure(page, 'Pending', 0n)
  await expect(figure(page, 'Requests')).toHaveText('2')
  await goTo(page, 'Investments')
  await expectFigure(page, 'Total', investedByCoin + investedFromBalance)
  await expectFigure(page, 'Active', investedByCoin)
  await expectFigure(page, 'Closed', investedFromBalance)
  await goTo(page, 'Dashboard')
  await expectFigure(page, 'Total Earnings', earned)
  await expectFigure(page, 'Total Withdrawals', withdrawnSmall + withdrawnLarge)
  await goTo(page, 'Earnings History')
  const list = page.getByRole('table', { name: 'Your earnings, newest first' })
  await expect(list.getByRole('row').filter({ hasText: formatUsd(earned) })).toContainText('Paid')
}

async function expectConsoleToAgree(page: Page, { name, email }: Person) {
  await goToConsole(page)
  await page.reload()
  for (const table of ['Users', 'Withdrawals', 'Investments', 'Earnings', 'Deposits']) {
    await region(page, table).getByRole('searchbox').fill(email)
  }
  const own = (table: string, words: string) => rowOf(page, table, name).filter({ hasText: words })
  await expect(own('Users', email)).toContainText(formatUsd(available))
  await expect(own('Withdrawals', 'Paid')).toHaveCount(2)
  await expect(own('Investments', 'Running')).toContainText(formatUsd(investedByCoin))
  await expect(own('Investments', 'Inactive')).toContainText(formatUsd(investedFromBalance))
  await expect(own('Earnings', 'Paid')).toContainText(formatUsd(earned))
  // The plain deposit, and the payment of the investment.
  await expect(own('Deposits', 'Paid')).toHaveCount(2)
}
