import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import {
  dayBeforeReturns,
  investorInPlan,
  investorWith,
  openAct,
  payoutAddress,
  region,
  rowOf,
} from './support/console.ts'
import { expectSound, payEarning, widths } from './support/investor.ts'
import {
  browserOf,
  callApi,
  consoleOf,
  expectToast,
  logIn,
  openAccount,
  sample,
  stranger,
  tokenOf,
} from './support/people.ts'

type Me = { _id: string; balance: number }

test("[N-07] a user's page shows profile, balances, records and statement", async ({ browser, request }) => {
  const { person, ask, decide } = await investorWith(request, 1000)
  const withdrawal = await ask('/withdrawal/new', {
    amount: 120.5,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const investment = await ask('/investment/new', { method: 'balance', plan: 'Beginner', amount: 600 })
  await decide(`/investment/approve/${investment._id}`)
  const page = await consoleOf(browser)
  await region(page, 'Users').getByRole('searchbox').fill(person.name)
  await expect(region(page, 'Users').getByText('1 of 1')).toBeVisible()
  await region(page, 'Users').getByRole('link', { name: person.name }).click()
  await expect(page).toHaveURL(/\/admin\/user\?id=/)
  await expect(page.getByRole('heading', { level: 1, name: person.name })).toBeVisible()
  await expect(region(page, 'Profile')).toContainText(person.email)
  await expect(region(page, 'Profile')).toContainText('Two-factor authentication')
  const balances = region(page, 'Balances')
  await expect(balances).toContainText('$279.50')
  await expect(balances).toContainText('= Deposits $1,000.00 − Investments $600.00 − Withdrawals $120.50')
  await expect(rowOf(page, 'Withdrawals', withdrawal.invoiceId)).toContainText('$120.50')
  const statement = region(page, 'Statement')
  await expect(statement.getByRole('row').filter({ hasText: 'Deposit received' })).toContainText('+$1,000.00')
  await statement.getByLabel('Kind').selectOption('Withdrawals')
  await expect(statement.getByRole('row').filter({ hasText: 'Deposit received' })).toHaveCount(0)
  await expect(statement.getByRole('row').filter({ hasText: 'Held for a withdrawal' })).toHaveCount(1)
  await expectSound(page, widths)

  await rowOf(page, 'Investments', investment.invoiceId).getByRole('link').click()
  await expect(page).toHaveURL(/\/admin\/investment\?id=/)
  await expect(region(page, 'Investor').getByRole('link', { name: person.name })).toBeVisible()
})

test("[N-10] a deposit's own page approves it and shows its postings", async ({ browser, request }) => {
  const { person, ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 250 })
  const page = await consoleOf(browser)
  await region(page, 'Deposits').getByRole('searchbox').fill(invoiceId)
  await expect(region(page, 'Deposits').getByText('1 of 1')).toBeVisible()
  await region(page, 'Deposits').getByRole('link', { name: invoiceId }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Deposit ${invoiceId}` })).toBeVisible()
  const payment = region(page, 'Payment')
  for (const words of ['$250.00', 'USDT', 'Payment address', 'Rate', 'Source of the rate']) {
    await expect(payment).toContainText(words)
  }
  await expect(region(page, 'Postings')).toContainText('No money has moved for it yet.')
  await expectAccessible(page, 'deposit', widths)

  await page.getByRole('button', { name: `Approve ${invoiceId}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  const postings = region(page, 'Postings')
  await expect(postings.getByRole('row').filter({ hasText: 'Coins in custody' })).toContainText('250')
  await expect(postings.getByRole('row').filter({ hasText: `Available, ${person.name}` })).toContainText(
    '$250.00',
  )
  await expect(region(page, 'History')).toContainText('Deposit approved')
  await expectSound(page, widths)
})

test('[N-03, N-10] a withdrawal is approved and paid on its page', async ({ browser, request }) => {
  const { ask } = await investorWith(request, 500)
  const { _id, invoiceId } = await ask('/withdrawal/new', {
    amount: 125,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser, { path: `/admin/withdrawal?id=${_id}` })
  await page.getByRole('button', { name: `Approve ${invoiceId}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(page, 'Withdrawal approved')
  await expect(region(page, 'Payment')).toContainText('Approved by')
  await page.getByRole('button', { name: `Mark paid ${invoiceId}` }).click()
  const own = 'You approved this withdrawal, so a second person must mark it as paid.'
  await expect(page.getByRole('dialog')).toContainText(own)
  await expect(page.getByRole('dialog').getByRole('textbox')).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('dialog').getByText('Close', { exact: true }).click()
  await expect(page.getByRole('button', { name: `Mark paid ${invoiceId}` })).toBeFocused()
  const payer = await consoleOf(browser, { who: 'second administrator', path: `/admin/withdrawal?id=${_id}` })
  await payer.getByRole('button', { name: `Mark paid ${invoiceId}` }).click()
  const transaction = crypto.randomUUID().replaceAll('-', '').repeat(2)
  await payer.getByRole('dialog').getByLabel('Transaction id').fill(transaction)
  await payer.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click()
  await expectToast(payer, 'Withdrawal marked as paid')
  await expect(region(page, 'Payment')).toContainText(transaction)
  await expect(
    region(page, 'Postings').getByRole('row').filter({ hasText: 'Withdrawals paid' }),
  ).toContainText('$125.00')
  await expect(region(page, 'History')).toContainText('Withdrawal paid')
  await expectSound(page, widths)
})

test('[N-12] an account is frozen: its owner is told, refused, and let go on afterwards', async ({
  browser,
  request,
}) => {
  const { person, read } = await investorWith(request, 500)
  const { _id } = await read<Me>('/auth/me')
  const page = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  await page.getByRole('button', { name: `Freeze ${person.name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Freeze account' }).click()
  await expectToast(page, 'Enter a reason. It is kept in the audit log', 'error')
  await expectAccessible(page, 'freeze', widths)
  await dialog.getByLabel('Reason').fill('Somebody else knows the password')
  await dialog.getByRole('button', { name: 'Freeze account' }).click()
  await expectToast(page, 'Account frozen')
  await expect(page.getByText('Somebody else knows the password').first()).toBeVisible()
  await expectAccessible(page, 'frozen user', widths)

  const owner = await browserOf(browser)
  await logIn(owner, person)
  await expect(owner.getByText('Your account is frozen: you cannot deposit')).toBeVisible()
  await expect(owner.getByText('Somebody else knows the password')).toHaveCount(0)
  await expectAccessible(owner, 'frozen dashboard', widths)
  await owner.goto('/dashboard/withdrawals')
  await owner.getByLabel('Amount (USD)').fill('10')
  await owner.getByLabel('Wallet address').fill(payoutAddress)
  await owner.getByRole('button', { name: 'Request withdrawal' }).click()
  await owner.getByRole('button', { name: 'Confirm withdrawal' }).click()
  await expectToast(owner, /Your account is frozen/, 'error')
  expect(await read<Me>('/auth/me')).toMatchObject({ balance: 500 })

  await page.getByRole('button', { name: `Unfreeze ${person.name}` }).click()
  await dialog.getByLabel('Reason').fill('Identity checked')
  await dialog.getByRole('button', { name: 'Unfreeze account' }).click()
  await expectToast(page, 'Account unfrozen')
  await expect(page.getByRole('button', { name: `Freeze ${person.name}` })).toBeVisible()
  await expect(region(page, 'Account history')).toContainText('Identity checked')
})

test('[N-11] a return has a page with whom it has paid', async ({ browser, request }) => {
  const { person, decide, read } = await investorInPlan(request)
  const source = `Licence fee ${crypto.randomUUID().slice(0, 8)}`
  const recorded = await decide('/return/new', {
    amount: 50,
    source,
    // The oldest is paid out first.
    realisedAt: await dayBeforeReturns(request),
    evidence: 'TX-2026-0042',
  })
  const { _id } = await read<Me>('/auth/me')
  await payEarning(request, _id, { amount: 12.5 })
  const page = await consoleOf(browser, { path: `/admin/return?id=${(recorded as { _id: string })._id}` })
  await expect(page.getByRole('heading', { level: 1, name: source })).toBeVisible()
  const paid = region(page, 'Earnings paid').getByRole('row').filter({ hasText: person.name })
  await expect(paid).toContainText('$12.50')
  await expect(page.getByText('$37.50')).toBeVisible()
  await expect(region(page, 'Postings')).toContainText('Recorded returns')
  await expectSound(page, widths)
  await paid.getByRole('link', { name: person.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: person.name })).toBeVisible()
})

test('[N-01, D-23] the home shows tasks and balances, each formula one press away', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 100)
  await ask('/deposit/new', { method: 'usdt', amount: 150 })
  const token = await tokenOf(request, sample('administrator'))
  const summary = await callApi<{ liabilities: { total: number }; coverage: { percent: number } }>(
    request,
    'GET',
    '/console/summary',
    { token },
  )
  const page = await consoleOf(browser)
  const waiting = region(page, 'Waiting for you')
  await expect(waiting.getByRole('link', { name: 'Review: deposits to check' })).toBeVisible()
  const glance = region(page, 'At a glance')
  await expect(glance.getByRole('row').filter({ hasText: 'Money in' })).toContainText('$')
  const total = summary.liabilities.total.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
  })
  await expect(glance).toContainText(total)
  await expect(glance).toContainText(`Covers ${summary.coverage.percent.toFixed(2)}% of what is owed`)
  await glance.getByText('How coverage is calculated').click()
  await expect(glance.getByText('Figures come from the ledger.')).toBeVisible()
  await expectSound(page, widths)
})

test('[N-12] after an action in a table a link to its postings shows until the page is left', async ({
  browser,
  request,
}) => {
  const { person, ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 320 })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(page.getByText(`Deposit approved: ${invoiceId}.`)).toBeVisible()
  await expectAccessible(page, 'after an act')
  await page.getByRole('link', { name: 'View postings' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Deposit ${invoiceId}` })).toBeVisible()
  await expect(region(page, 'Postings')).toContainText(`Available, ${person.name}`)
  await expect(region(page, 'Postings')).toBeFocused()
  await expect(page.getByRole('link', { name: 'View postings' })).toHaveCount(0)
})

test('[N-12] an action without postings links to its record until another one is shown', async ({
  browser,
  request,
}) => {
  const { read, ask } = await investorWith(request, 0)
  const { _id, referralCode } = await read<Me & { referralCode: string }>('/auth/me')
  const friend = stranger('Fay Friend')
  await openAccount(request, friend, referralCode)
  const { invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 320 })
  const page = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  await page.getByRole('button', { name: `Decline ${invoiceId}` }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('Nothing has arrived')
  await page.getByRole('dialog').getByRole('button', { name: 'Decline deposit' }).click()
  const said = page.getByRole('status').filter({ hasText: `Deposit declined: ${invoiceId}.` })
  await expect(said.getByRole('link', { name: 'View', exact: true })).toBeVisible()
  await expectAccessible(page, 'after an act that posts nothing')
  await region(page, 'Referrals').getByRole('link', { name: friend.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: friend.name })).toBeVisible()
  await expect(said).toHaveCount(0)
})

test('[N-09, N-12] to a frozen account no earnings are added, wherever that is offered', async ({
  browser,
  request,
}) => {
  const { person, decide, read, investment } = await investorInPlan(request)
  const { _id } = await read<Me>('/auth/me')
  await decide(`/console/user/${_id}/freeze`, { reason: 'A question of identity' })
  const page = await consoleOf(browser)
  await region(page, 'Users').getByRole('searchbox').fill(person.name)
  const add = page.getByRole('button', { name: /^Add earnings (for|on) / })
  const expectBlocked = async () => {
    await expect(add).toHaveAttribute('title', 'The account is frozen')
    await expect(add).toBeDisabled()
  }
  await expect(region(page, 'Users').getByText('1 of 1')).toBeVisible()
  await expectBlocked()
  await page.goto(`/admin/user?id=${_id}`)
  await expectBlocked()
  await page.goto(`/admin/investment?id=${investment._id}`)
  await expectBlocked()
})

test('[N-12] a note is written, and stays; sessions of a user are ended', async ({ browser, request }) => {
  const { person, read } = await investorWith(request, 0)
  const { _id } = await read<Me>('/auth/me')
  const owner = await browserOf(browser)
  await logIn(owner, person)
  const page = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  const notes = region(page, 'Notes')
  await expect(notes).toContainText('No notes yet')
  await notes.getByLabel('New note').fill('Called about another address.\nTold how.')
  await notes.getByRole('button', { name: 'Add note' }).click()
  await expectToast(page, 'Note added')
  await expect(notes.getByRole('listitem')).toContainText('Called about another address.')
  await expect(notes.getByLabel('New note')).toHaveValue('')

  const sessions = region(page, 'Sessions')
  await sessions.getByRole('button', { name: 'End all sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
  await expectToast(page, 'Sessions ended')
  await expect(sessions).toContainText('No open sessions')
  await owner.goto('/dashboard/home')
  await expect(owner).toHaveURL(/\/login/)
})

test("[N-07, D-23] each part of a new user's page says it is empty; a very long name wraps", async ({
  browser,
  request,
}) => {
  const name = `Bartholomew${'x'.repeat(90)}`
  const person = { ...stranger(), name }
  const token = await openAccount(request, person)
  const { _id } = await callApi<Me>(request, 'GET', '/auth/me', { token })
  const page = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  for (const words of [
    'No notes yet',
    'No deposits made yet',
    'No investments made yet',
    'No withdrawals made yet',
    'No earnings made yet',
    'No money has moved in this account yet.',
    'No saved addresses yet',
    'No one has registered with this referral code yet',
  ]) {
    await expect(page.getByText(words, { exact: true }), words).toBeVisible()
  }
  await expectSound(page, widths)
})

for (const kind of ['user', 'deposit', 'withdrawal', 'return']) {
  test(`[N-10] the page of a ${kind} says so where its address names none, or one that is not there`, async ({
    browser,
  }) => {
    const page = await consoleOf(browser, { path: `/admin/${kind}` })
    await expect(page.getByText(`This link names no ${kind}.`)).toBeVisible()
    await page.goto(`/admin/${kind}?id=${crypto.randomUUID()}`)
    await expect(page.getByText(`This ${kind} could not be loaded`)).toBeVisible()
    await expectAccessible(page, kind)
  })
}
