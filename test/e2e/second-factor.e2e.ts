import { readFile } from 'node:fs/promises'
import { type CDPSession, expect, type Page, test } from '@playwright/test'
import { riskLine } from '#shared/plans.ts'
import { ownJourneyPort } from '#test/support/journey-products.ts'
import { liveSettings, startLiveProduct } from '#test/support/live-product.ts'
import { appCode } from '#test/support/totp.ts'
import { freePort } from '#tools/free-port.ts'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { dashboardOf, expectSound, type Investor, newInvestor, textOf, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import {
  browserOf,
  consoleOf,
  expectCopied,
  expectToast,
  type Person,
  phone,
  sample,
  stranger,
} from './support/people.ts'

/** The second factor and passkeys: set up, asked for at the login, and taken away again. */

// A passkey is bound to a name, never to a number.
test.use({ baseURL: `http://localhost:${ownJourneyPort}` })

const code = (secret: string, stepsLater = 0) => appCode(secret, new Date(), stepsLater)

async function enterPassword(page: Page, { email, password }: Person) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Switches the second factor on, on the page that is open; answers the secret and the recovery codes. */
async function setUp(page: Page) {
  await region(page, 'Two-factor authentication')
    .getByRole('button', { name: 'Set up two-factor authentication' })
    .click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const secret = await textOf(dialog.getByText(/^([A-Z2-7]{4} ?){8}$/))
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  await expectCopied(page, secret.replaceAll(' ', ''))
  await expectAccessible(page, page.url(), widths)
  await dialog.getByLabel('Code', { exact: true }).fill(code(secret, 20))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(
    /That code (is incorrect|didn.t match)/,
  )
  await expect(dialog.getByLabel('Code', { exact: true })).toBeFocused()
  await dialog.getByLabel('Code', { exact: true }).fill(code(secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  const codes = await dialog
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem')
    .allTextContents()
  return { dialog, secret, codes }
}

async function logOut(page: Page) {
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
}

test.describe('an investor', () => {
  let investor: Investor
  let page: Page
  test.beforeEach(async ({ browser, request }) => {
    investor = await newInvestor(request)
    page = await dashboardOf(browser, request, investor, { path: '/dashboard/security' })
  })

  test('[F-01, F-02, F-03, F-09] a second factor is set up, asked for at the login, and switched off', async () => {
    const { dialog, secret, codes } = await setUp(page)
    expect(codes).toHaveLength(10)
    await expectAccessible(page, page.url(), widths)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download codes' }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toContain(codes.join('\n'))
    await dialog.getByRole('button', { name: 'Copy codes' }).click()
    await expectCopied(page, codes.join('\n'))
    await dialog.getByRole('button', { name: 'I’ve saved my codes' }).click()
    await expect(region(page, 'Two-factor authentication')).toBeFocused()
    await expect(region(page, 'Two-factor authentication')).toContainText('10 of 10 recovery codes are left')
    await expectSound(page, widths)

    await logOut(page)
    await enterPassword(page, investor.person)
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
    await expect(page.getByLabel('Code', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute('autocomplete', 'one-time-code')
    await expect(page.locator('[data-toast="error"]')).toHaveCount(0)
    await expectSound(page, widths)
    await page.keyboard.type(code(secret, 20))
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(
      /That code (is incorrect|didn.t match)/,
    )
    // The field is selected: what is typed now takes the place of what was wrong.
    await page.keyboard.type(code(secret, 1))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/dashboard/home')

    await page.goto('/dashboard/security')
    await region(page, 'Two-factor authentication').getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(codes[0]!.toLowerCase())
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await expectToast(page, 'Two-factor authentication turned off')
    await expect(region(page, 'Two-factor authentication').getByText('Off', { exact: true })).toBeVisible()
    await logOut(page)
    await enterPassword(page, investor.person)
    await expect(page).toHaveURL('/dashboard/home')
  })

  test('[F-01] Escape leaves the setup, and the focus returns to its button', async () => {
    const begin = page.getByRole('button', { name: 'Set up two-factor authentication' })
    await begin.click()
    await expect(page.getByRole('dialog').getByLabel('Code', { exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(begin).toBeFocused()
  })

  test('[F-02] Escape does not close the recovery codes, which are shown once', async () => {
    const { dialog, codes } = await setUp(page)
    await page.keyboard.press('Escape')
    await expect(dialog.getByRole('alert')).toHaveText('Have you saved your codes? We can’t show them again.')
    await expect(dialog.getByText(codes[0]!)).toBeVisible()
    await expectAccessible(page, 'recovery codes about to close', widths)
    await dialog.getByRole('button', { name: 'Not yet' }).click()
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.getByRole('button', { name: 'I’ve saved my codes' }).click()
    await expect(dialog).toHaveCount(0)
  })

  test('[F-02, F-09] a recovery code takes the place of the app, and new ones are made', async () => {
    const { dialog, secret, codes } = await setUp(page)
    await dialog.getByRole('button', { name: 'I’ve saved my codes' }).click()
    await logOut(page)
    await enterPassword(page, investor.person)
    await expect(page.getByLabel('Code', { exact: true })).toBeFocused()
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    // What was wrong with the one says nothing about the other, nor about the password.
    await expect(page.getByLabel('Recovery code')).toBeFocused()
    await expect(page.getByLabel('Recovery code')).not.toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(page.locator('form').getByText(/code is incorrect/)).toHaveCount(0)
    await expect(page.getByLabel('Email')).toHaveValue(investor.person.email)
    await enterPassword(page, investor.person)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await expect(page.getByLabel('Recovery code')).toBeFocused()
    await expectSound(page, widths)
    await page.keyboard.type(codes[4]!)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/dashboard/home')
    await page.goto('/dashboard/security')
    await expect(region(page, 'Two-factor authentication')).toContainText('9 of 10 recovery codes are left')
    await region(page, 'Two-factor authentication')
      .getByRole('button', { name: 'Create new recovery codes' })
      .click()
    await expectAccessible(page, page.url(), widths)
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(code(secret, 1))
    await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click()
    const items = page.getByRole('dialog').getByRole('listitem')
    await expect(items).toHaveCount(10)
    expect(await items.allTextContents()).not.toContain(codes[5])
  })

  test('[F-05, F-06] a passkey is added, signs in without a password, and is removed', async () => {
    const device = await addAuthenticator(page)
    await region(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await expectAccessible(page, page.url(), widths)
    await device.unlocks(false)
    await dialog.getByLabel('Name').fill('My own device')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Not confirmed on your device. Try again when you are ready', 'blank')
    await device.unlocks(true)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Passkey added')
    await expect(region(page, 'Passkeys').getByRole('row', { name: /My own device/ })).toContainText(
      'Not yet',
    )
    await expectSound(page, widths)

    await logOut(page)
    await expectSound(page, widths)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page).toHaveURL('/dashboard/home')

    await page.goto('/dashboard/security')
    const row = region(page, 'Passkeys').getByRole('row', { name: /My own device/ })
    await expect(row).not.toContainText('Not yet')
    await row.getByRole('button', { name: 'Remove passkey: My own device' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
    await expectToast(page, 'Passkey removed')
    await expect(region(page, 'Passkeys')).toContainText('You have no passkeys yet.')
    await logOut(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expectToast(page, 'This passkey could not be used. Please try again.', 'error')
    await expect(page).toHaveURL('/login')
  })
})

/** On a server of its own, whose sessions can be made older: no journey lasts ten minutes. */
test.describe('long after the login', () => {
  const product = ownProduct('proof', { host: 'localhost' })

  async function ageProof({ email }: Person) {
    const { db } = product().services
    const owner = db.selectFrom('app.users').select('id').where('email', '=', email)
    const sessions = db.updateTable('app.sessions').where('user_id', '=', owner)
    await sessions.set({ reauthenticated_at: new Date(Date.now() - 3_600_000) }).execute()
  }

  test('[F-04, F-05] reauthentication takes password and code, or a passkey', async ({
    browser,
    request,
  }) => {
    const investor = await newInvestor(request)
    const page = await dashboardOf(browser, request, investor, {
      viewport: phone,
      path: '/dashboard/security',
    })
    await addAuthenticator(page)
    await region(page, 'Passkeys').getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Passkey added')
    const { dialog: shown, secret, codes } = await setUp(page)
    await shown.getByRole('button', { name: 'I’ve saved my codes' }).click()
    const asked = page.getByRole('dialog', { name: 'Confirm it’s you' })
    const renew = async (typed: string) => {
      await ageProof(investor.person)
      await region(page, 'Two-factor authentication')
        .getByRole('button', { name: 'Create new recovery codes' })
        .click()
      await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(typed)
      await page.getByRole('dialog').getByRole('button', { name: 'Create new codes' }).click()
      await expect(asked).toBeVisible()
    }
    const renewed = page.getByRole('dialog', { name: 'Save your recovery codes' })

    await renew(code(secret, 1))
    await expectAccessible(page, page.url(), widths)
    await asked.getByLabel('Password', { exact: true }).fill(investor.person.password)
    await asked.getByLabel('Code', { exact: true }).fill(codes[0]!)
    await asked.getByRole('button', { name: 'Continue' }).click()
    await expect(renewed).toBeVisible()
    const [next] = await renewed.getByRole('listitem').allTextContents()
    await renewed.getByRole('button', { name: 'I’ve saved my codes' }).click()

    await renew(next!)
    await asked.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(renewed).toBeVisible()
  })

  test("[N-14, A-17] changing the firm's profile needs reauthentication and keeps what was typed", async ({
    browser,
  }) => {
    const page = await consoleOf(browser, { path: '/admin/firm' })
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Street address').fill('2 Sample Street, Sydney NSW 2000, Australia')
    await dialog.getByLabel('Reason').fill('We have moved')
    await ageProof(sample('administrator'))
    await dialog.getByRole('button', { name: /^Create version/ }).click()
    const asked = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await asked.getByLabel('Password', { exact: true }).fill(sample('administrator').password)
    await asked.getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Profile updated')
    await expect(page.getByRole('region', { name: 'Current profile' })).toContainText('2 Sample Street')
  })
})

/** Chromium's own authenticator, which confirms automatically. */
async function addAuthenticator(page: Page) {
  const devtools: CDPSession = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    unlocks: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

test('[F-09] the login page loads WebAuthn’s library when a passkey is used, not before', async ({
  browser,
}) => {
  const page = await browserOf(browser)
  const scripts: string[] = []
  page.on('request', request => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname)
  })
  await page.goto('/login', { waitUntil: 'networkidle' })
  const before = scripts.length
  expect(before).toBeGreaterThan(0)
  await addAuthenticator(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expectToast(page, 'Not confirmed on your device. Try again when you are ready', 'blank')
  expect(scripts.length).toBeGreaterThan(before)
})

test('[F-05] where the address is a number, the page says where passkeys work', async ({ browser }) => {
  const page = await browserOf(browser)
  await page.goto(`http://127.0.0.1:${ownJourneyPort}/login`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expectToast(page, 'Passkeys only work at localhost. Open this page there', 'error')
})

test('[F-08, P-14] an admin of a live firm must set up 2FA before the console opens', async ({ browser }) => {
  const port = await freePort()
  const address = `http://localhost:${port}`
  const product = await startLiveProduct('e2e-admin', port, { PUBLIC_URL: address })
  try {
    const page = await browserOf(browser)
    const person = stranger('Alma Admin')
    const { name, email, password } = person
    const account = { name, email, password, phone: '+61 400 123 456', country: 'Australia' }
    expect((await page.request.post(`${address}/api/auth/signup`, { data: account })).ok()).toBe(true)
    const ofPerson = product.services.db.updateTable('app.users').where('email', '=', email)
    await ofPerson.set({ type: 'admin', role: 'admin', email_verified_at: new Date() }).execute()
    await page.goto(`${address}/login`)
    await enterPassword(page, person)
    await expect(page).toHaveURL(`${address}/admin/security`)
    await expect(page.getByText('Admins need two-factor authentication to open the console.')).toBeVisible()
    await expectSound(page)
    await page.getByRole('link', { name: 'Console' }).click()
    await expect(page).toHaveURL(`${address}/admin/security`)
    const { dialog } = await setUp(page)
    await dialog.getByRole('button', { name: 'I’ve saved my codes' }).click()
    await expect(page.getByText('Admins need two-factor authentication to open the console.')).toBeHidden()
    await page.getByRole('link', { name: 'Console' }).click()
    await expect(page).toHaveURL(`${address}/admin/home`)
    await expect(page.getByText('No withdrawals made yet')).toBeVisible()
    await expect(page.getByText(riskLine)).toBeVisible()
    await expect(page.getByText(liveSettings.FIRM_UNREGULATED_STATEMENT)).toBeVisible()
  } finally {
    await product.stop()
  }
})

test('[F-05] an admin finds the same sections in the console', async ({ browser }) => {
  const page = await consoleOf(browser)
  await page.getByRole('link', { name: 'Security' }).first().click()
  await expect(page).toHaveURL('/admin/security')
  await expect(region(page, 'Two-factor authentication').getByText('Off', { exact: true })).toBeVisible()
  await expect(region(page, 'Passkeys')).toBeVisible()
  await expectSound(page)
})
