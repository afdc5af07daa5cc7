import { readFileSync } from 'node:fs'
import { type APIRequestContext, expect, type Locator, type Page, test } from '@playwright/test'
import pg from 'pg'
import { region } from './support/console.ts'
import { dashboardOf, expectSound, fund, type Investor, newInvestor, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, desktop, expectToast, phone } from './support/people.ts'

/**
 * The safety of an account. On a server of its own: a session that was proven long ago takes the owner of its database, for
 * no journey lasts ten minutes.
 */
const product = ownProduct('security')

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const password = (page: Page) =>
  page.getByRole('dialog', { name: 'Confirm it’s you' }).getByLabel('Password', { exact: true })

/** Ages the last reauthentication of a session to an hour ago. */
async function ageProof({ person }: Investor): Promise<void> {
  const client = new pg.Client({ connectionString: product().ownerUrl })
  await client.connect()
  await client.query(
    `UPDATE app.sessions SET reauthenticated_at = now() - interval '1 hour'
      WHERE user_id = (SELECT id FROM app.users WHERE email = $1)`,
    [person.email],
  )
  await client.end()
}

type SentEmail = { subject: string; text: string }

const emailsTo = (request: APIRequestContext, email: string) =>
  callApi<SentEmail[]>(request, 'GET', `/demo/mailbox?to=${encodeURIComponent(email)}`)

async function codeTo(request: APIRequestContext, email: string): Promise<string> {
  const code = async () => /^\d{6}$/m.exec((await emailsTo(request, email))[0]?.text ?? '')?.[0]
  await expect.poll(code).toBeDefined()
  return (await code())!
}

/** Logs in from elsewhere, by a program or browser that calls itself so. */
async function logInFrom(request: APIRequestContext, { person }: Investor, userAgent: string) {
  const { email, password } = person
  const answer = await request.post('/api/auth/login', {
    data: { email, password },
    headers: { 'User-Agent': userAgent },
  })
  const { data } = await answer.json()
  return () =>
    request
      .get('/api/auth/me', { headers: { Authorization: `Bearer ${data.token.accessToken}` } })
      .then(me => me.status())
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

const rowOf = (within: Locator, words: string) => within.getByRole('row').filter({ hasText: words })

test('[A-18, L-01] sessions are listed by device as they open, and each or all can be ended', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  await page.getByRole('link', { name: 'Sessions and security' }).click()
  await expect(page).toHaveURL(/\/dashboard\/security$/)
  const sessions = region(page, 'Sessions')
  await expect(rowOf(sessions, 'This session')).toContainText('127.0.0.1')
  const linux = await logInFrom(request, iris, firefox)
  await expect(rowOf(sessions, 'Firefox on Linux')).toBeVisible()
  const iphone = await logInFrom(request, iris, safari)
  await expect(rowOf(sessions, 'Safari on iPhone')).toBeVisible()
  await expectSound(page, widths)

  await sessions.getByRole('button', { name: 'End session: Firefox on Linux' }).click()
  const dialog = page.getByRole('dialog', { name: 'End this session?' })
  await expect(dialog).toContainText('Firefox on Linux, address 127.0.0.1, is logged out at once.')
  await expectSound(page, widths)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(sessions.getByRole('button', { name: 'End session: Firefox on Linux' })).toBeFocused()
  expect(await linux()).toBe(200)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'End session' }).click()
  await expectToast(page, 'Session ended')
  await expect(rowOf(sessions, 'Firefox on Linux')).toBeHidden()
  expect([await linux(), await iphone()]).toEqual([401, 200])

  await sessions.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End other sessions' }).click()
  await expectToast(page, 'Other sessions ended')
  await expect(sessions.getByRole('row')).toHaveCount(2)
  await expect(sessions.getByRole('button', { name: 'End all other sessions' })).toBeHidden()
  expect(await iphone()).toBe(401)
  await expect(sessions).toBeFocused()
})

test('[A-16, A-17] another address needs the password again, waits for its code, and then counts', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const { email: old } = iris.person
  const next = `new.${old}`
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  const email = page.getByLabel('Email', { exact: true })
  await expect(email).toHaveValue(old)
  await ageProof(iris)
  await email.fill(next)
  await page.getByRole('button', { name: 'Update profile' }).click()
  await expect(password(page)).toBeFocused()
  await expectSound(page, widths)
  await page.keyboard.type('not this one')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Incorrect password', 'error')
  await expect(password(page)).toBeFocused()
  await page.keyboard.type(iris.person.password)
  await page.keyboard.press('Enter')
  await expectToast(page, 'Profile updated successfully')

  const waiting = page.getByText(`We have sent a code to ${next}.`)
  await expect(waiting).toBeVisible()
  await expect(email).toHaveValue(old)
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Confirm new email' }).click()
  await expectToast(page, 'Email verification code is required', 'error')
  await page.getByLabel('Verification code').fill('000000')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Verification code')).toHaveAccessibleDescription('That code is incorrect')
  await page.getByLabel('Verification code').fill(await codeTo(request, next))
  await page.keyboard.press('Enter')
  await expectToast(page, 'Your email address has been changed')
  await expect(waiting).toBeHidden()
  await expect(email).toHaveValue(next)
  const subjects = async () => (await emailsTo(request, old)).map(({ subject }) => subject)
  await expect
    .poll(subjects)
    .toEqual(
      expect.arrayContaining([
        'Your email address was changed',
        'A change of your email address was requested',
      ]),
    )
})

test('[A-17, D-30, B-06] a withdrawal to a new address asks for the password, once, over its review', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 1000)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/withdrawals' })
  await expect(page.getByText('Your address book is empty.')).toBeVisible()
  await ageProof(iris)
  await page.getByLabel('Amount (USD)').fill('100')
  await page.getByLabel('Wallet address').fill(address)
  await expect(page.getByText('New address. We may ask for your password')).toBeVisible()
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  const review = page.getByRole('dialog', { name: 'Confirm this withdrawal?' })
  const confirm = review.getByRole('button', { name: 'Confirm withdrawal' })
  await confirm.click()
  await expect(password(page)).toBeFocused()
  await expectSound(page, widths)
  await page.keyboard.press('Escape')
  await expect(review).toContainText('Enter your password again to continue')
  await expect(confirm).toBeFocused()
  const keys: (string | undefined)[] = []
  page.on('request', sent => {
    if (sent.url().endsWith('/api/withdrawal/new')) keys.push(sent.headers()['idempotency-key'])
  })
  await confirm.click()
  await password(page).fill(iris.person.password)
  await page.keyboard.press('Enter')
  await expectToast(page, 'Withdrawal initiated successfully')
  await expect(review).toBeHidden()
  expect(new Set(keys).size).toBe(1)
  expect(keys).toHaveLength(2)

  const book = page.getByRole('region', { name: 'Address book' })
  await expect(rowOf(book, address)).toContainText('Bitcoin (BTC)')
  await ageProof(iris)
  await page.getByLabel('Amount (USD)').fill('50')
  await page.getByLabel('From your address book').selectOption({ index: 1 })
  await expect(page.getByLabel('Wallet address')).toHaveValue(address)
  await expect(page.getByText('New address. We may ask for your password')).toBeHidden()
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Request withdrawal' }).click()
  await confirm.click()
  await expect(review).toBeHidden()
  await expect(page.getByRole('table', { name: /All your withdrawals/ }).getByRole('row')).toHaveCount(3)
})

test('[D-30, A-17] the address book: an address is added, named, offered by the form, and removed', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/withdrawals' })
  const book = page.getByRole('region', { name: 'Address book' })
  await book.getByRole('button', { name: 'Add an address' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an address' })
  await dialog.getByLabel('Wallet address').fill(`${address}x`)
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await expect(dialog.getByLabel('Wallet address')).toHaveAccessibleDescription(
    'This is not a valid Bitcoin (BTC) address',
  )
  await dialog.getByLabel('Wallet address').fill(address)
  await dialog.getByLabel('Name').fill('Hardware wallet')
  await expectSound(page, widths)
  await ageProof(iris)
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await password(page).fill(iris.person.password)
  await page.keyboard.press('Enter')
  await expectToast(page, 'Address added')
  await expect(rowOf(book, address)).toContainText('Hardware wallet')
  await expect(rowOf(book, address)).toContainText('Not yet')
  await expect(page.getByLabel('From your address book').getByRole('option')).toHaveText([
    'Another address',
    'Hardware wallet (bcrt1qw508…7kygt080)',
  ])
  await expectSound(page, widths)

  await book.getByRole('button', { name: 'Rename Hardware wallet' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Savings')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Address renamed')
  await expect(rowOf(book, address)).toContainText('Savings')
  await book.getByRole('button', { name: 'Remove Savings' }).click()
  await expectSound(page, widths)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove address' }).click()
  await expectToast(page, 'Address removed')
  await expect(page.getByText('Your address book is empty.')).toBeVisible()
  await expect(book).toBeFocused()
})

test('[A-16] an address that waits for its code can be dropped, and the code asked for again', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { viewport: desktop, path: '/dashboard/profile' })
  await page.getByLabel('Email', { exact: true }).fill(`new.${iris.person.email}`)
  await page.getByRole('button', { name: 'Update profile' }).click()
  const waiting = page.getByText('Confirm your new email address')
  await expect(waiting).toBeVisible()
  await page.getByRole('button', { name: 'Resend code' }).click()
  await expectToast(page, 'We sent a new code')
  await page.getByRole('button', { name: 'Keep current address' }).click()
  await expectToast(page, 'Your email address stays the same')
  await expect(waiting).toBeHidden()
})

test('[A-18] an admin finds the same page in the console', async ({ browser }) => {
  const page = await consoleOf(browser, { viewport: phone, path: '/admin/profile' })
  await page.getByRole('link', { name: 'Sessions and security' }).click()
  await expect(page).toHaveURL(/\/admin\/security$/)
  await expect(region(page, 'Sessions')).toContainText('This session')
  await expectSound(page)
})

test.describe('a waiting time for new addresses', () => {
  ownProduct('waiting', { settings: { WITHDRAWAL_ADDRESS_WAIT_HOURS: '24' } })

  test('[D-30] the first withdrawal is refused at its field until the date the book shows', async ({
    browser,
    request,
  }) => {
    const iris = await newInvestor(request)
    await fund(request, iris, 1000)
    const page = await dashboardOf(browser, request, iris, {
      viewport: phone,
      path: '/dashboard/withdrawals',
    })
    await page.getByLabel('Amount (USD)').fill('100')
    const to = page.getByLabel('Wallet address')
    await to.fill(address)
    await expect(
      page.getByText('New address. We may ask for your password. You can use it 24 hours later.'),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Request withdrawal' }).click()
    await page.getByRole('button', { name: 'Confirm withdrawal' }).click()
    await expect(to).toBeFocused()
    await expect(to).toHaveAccessibleDescription(
      /^This address is new\. We added it to your address book; it can be used from \d+ \w+ 2\d{3}, \d\d:\d\d\.$/,
    )
    const book = page.getByRole('region', { name: 'Address book' })
    await expect(rowOf(book, address)).toContainText('Waiting')
    await expectSound(page)
    await page.getByLabel('From your address book').selectOption('')
    await to.fill(address)
    await expect(page.getByText(/^You can use it from /)).toBeVisible()
  })
})

test('everything we hold about an investor is theirs to download, after their password', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/profile' })
  const section = region(page, 'Your data')
  await expect(section).toContainText('email you each time')
  await expectSound(page, widths)

  await ageProof(iris)
  const download = page.waitForEvent('download')
  await section.getByRole('button', { name: 'Download all my data' }).focus()
  await page.keyboard.press('Enter')
  await password(page).fill(iris.person.password)
  await page.keyboard.press('Enter')
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^all-my-data-\d{4}-\d\d-\d\d\.zip$/)
  await expectToast(page, `${file.suggestedFilename()} saved`)
  expect(readFileSync(await file.path(), 'latin1').slice(0, 4)).toBe('PK\u0003\u0004')
  const subjects = async () => (await emailsTo(request, iris.person.email)).map(({ subject }) => subject)
  await expect.poll(subjects).toContain('All your data was downloaded')
})

test('an account with nothing open is closed by its owner, and reopened by staff', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 150)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/close-account' })
  const standing = region(page, 'What stands in the way')
  await expect(standing).toContainText('Your account holds $150.00')
  await expect(standing.getByRole('link', { name: 'Withdraw it' })).toBeVisible()
  await expectSound(page, widths)

  const cleo = await newInvestor(request)
  const { _id } = await callApi<{ _id: string }>(request, 'GET', '/auth/me', { token: cleo.token })
  const own = await dashboardOf(browser, request, cleo, { path: '/dashboard/profile' })
  await region(own, 'Your data').getByRole('link', { name: 'Close my account' }).click()
  await expect(region(own, 'What happens when you close it')).toContainText('a firm must keep them by law')
  await expectSound(own, widths)
  const typed = region(own, 'Confirm it’s you').getByLabel('Password', { exact: true })
  await typed.fill('not this one')
  await own.keyboard.press('Enter')
  await expectToast(own, 'Incorrect password', 'error')
  await expect(typed).toBeFocused()
  await typed.fill(cleo.person.password)
  await own.keyboard.press('Enter')
  await expect(own).toHaveURL('/login#closed=1')
  await expect(own.getByText('Your account is closed. We have emailed you a confirmation.')).toBeVisible()
  await expectSound(own, widths)
  await own.getByLabel('Email').fill(cleo.person.email)
  await own.getByLabel('Password', { exact: true }).fill(cleo.person.password)
  await own.keyboard.press('Enter')
  await expectToast(own, /^This account was closed on /, 'error')

  const admin = await consoleOf(browser, { path: `/admin/user?id=${_id}` })
  await expect(admin.getByText('Closed by its owner')).toBeVisible()
  await expectSound(admin, widths)
  await admin.getByRole('button', { name: `Reopen ${cleo.person.name}` }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('They asked by phone')
  await expectSound(admin, widths)
  await dialog.getByRole('button', { name: 'Reopen account' }).click()
  await expectToast(admin, 'Account reopened')
  await expect(admin.getByText('Closed by its owner')).toBeHidden()
  const subjects = async () => (await emailsTo(request, cleo.person.email)).map(({ subject }) => subject)
  await expect.poll(subjects).toContain('Your account is open again')
})
