import { expect, type Locator, test } from '@playwright/test'
import { approvedPassport, veriffServer } from '#test/support/veriff.ts'
import { expectAccessible } from './support/accessible.ts'
import { payoutAddress, region } from './support/console.ts'
import { decide, picture, sendFunds, sendIdentity } from './support/identity.ts'
import {
  asAdmin,
  dashboardOf,
  expectSound,
  fund,
  type Investor,
  invest,
  newInvestor,
  widths,
} from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, expectToast, phone, sample, signIn, tokenOf } from './support/people.ts'

/** The demonstration asks for proof of identity above $25,000, and of the source of funds above $100,000. */
const path = '/dashboard/identity'

const withdraw = (request: Parameters<typeof fund>[0], { token }: Investor, amount: number) =>
  callApi<{ _id: string }>(request, 'POST', '/withdrawal/new', {
    token,
    body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress },
  })

/** What a nurse says of their money; the rest of the form is left to the test. */
async function fillFunds(form: Locator): Promise<void> {
  await form.getByLabel('Occupation').fill('Nurse')
  await form.getByLabel('Where most of the money comes from').selectOption('Salary or pension')
  await form.getByLabel('How much you expect').fill('20,000')
  await form.getByLabel('I could not pay for what I need').check()
}

test('an investor proves their identity by keyboard alone, and reads the outcome live', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path })
  await expect(page.getByRole('heading', { name: 'Your identity is not verified yet' })).toBeVisible()
  await expectSound(page, widths)

  // Sent empty, it says what is missing, at the field.
  await page.getByRole('button', { name: 'Send for checking' }).focus()
  await page.keyboard.press('Enter')
  const name = page.getByLabel('Full name')
  await expect(name).toBeFocused()
  await expectAccessible(page, 'the form with its errors', widths)

  const next = async (text: string) => {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  await page.keyboard.type(iris.person.name)
  await next('02281990')
  await page.getByLabel('Nationality').focus()
  await page.keyboard.type('Australia')
  await next('1 Example Street, Sydney 2000, Australia')
  await next('Identity card')
  await next('PA1234567')
  await next('Australia')
  await next('12312020')
  for (const field of ['Front of the document', 'Back of the document', 'Selfie']) {
    const choosing = page.waitForEvent('filechooser')
    await page.getByLabel(field, { exact: true }).focus()
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(picture(field))
    await expectToast(page, 'File uploaded')
    await expect(page.getByText(`Uploaded: ${field}.png`)).toBeVisible()
  }
  await page.getByRole('button', { name: 'Send for checking' }).focus()
  await page.keyboard.press('Enter')
  const ends = page.getByLabel('Last day on which it is valid')
  await expect(ends).toBeFocused()
  await expect(page.getByText('This document is no longer valid. Use another one.')).toHaveCount(2)
  await page.keyboard.type('12312099')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Sent. We will check it and tell you')
  await expect(page.getByRole('heading', { name: 'Identity: we are checking it' })).toBeVisible()
  await expect(page.locator('[data-focus-home]')).toBeFocused()
  await expectSound(page, widths)

  const { checks } = await callApi<{ checks: { _id: string }[] }>(request, 'GET', '/identity/own', {
    token: iris.token,
  })
  await decide(request, checks[0]!, 'verified')
  await expect(page.getByRole('heading', { name: 'Your identity is verified' })).toBeVisible()
  await expect(region(page, 'What you have sent')).toContainText('Verified')
  await page.goto('/dashboard/profile')
  await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
    'Your identity is verified under this name. If you change it, you have to prove your identity again.',
  )
})

test('[D-08] a withdrawal beyond the limit waits, says why, and goes on once proved', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 40_000)
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/withdrawals' })
  const form = region(page, 'New withdrawal')
  await expect(form).toContainText(
    'Without proof of your identity, you can withdraw up to $25,000.00 in 365 days; $25,000.00 is left.',
  )
  await form.getByLabel('Amount (USD)').fill('30,000')
  await expect(form).toContainText('This will wait for proof of your identity')
  await expectSound(page, widths)

  const { _id } = await withdraw(request, iris, 30_000)
  await page.goto(`/dashboard/withdrawals?withdrawal=${_id}`)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('It waits for proof of your identity. You can cancel it at any time.')
  await expectAccessible(page, 'a withdrawal that waits for proof', widths)
  await page.goto('/dashboard/home')
  await expect(page.getByText('1 withdrawal waits for proof of your identity.')).toBeVisible()

  const check = await sendIdentity(request, iris)
  const checking = page.getByText('1 withdrawal waits until we have checked your proof of identity.')
  await expect(checking).toBeVisible()
  await decide(request, check, 'verified')
  await expect(checking).toHaveCount(0)
  await asAdmin(request, `/withdrawal/approve/${_id}`)
})

test('what we return shows its reason, and what is cancelled is gone', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const page = await dashboardOf(browser, request, iris, { path })
  await decide(request, await sendIdentity(request, iris), 'returned', 'The picture is blurred')
  const proof = region(page, 'Prove your identity')
  await expect(proof).toContainText('The picture is blurred')
  await expectSound(page, widths)
  const front = proof.getByLabel('Front of the document', { exact: true })
  await front.setInputFiles(picture('front'))
  await expectToast(page, 'File uploaded')
  await page.reload()
  await expect(proof.getByText('Uploaded: PNG, 1 kB')).toBeVisible()
  await proof.getByRole('button', { name: 'Remove front of the document' }).click()
  await expect(proof.getByText('Uploaded')).toHaveCount(0)
  await expect(front).toBeFocused()

  await sendIdentity(request, iris)
  const waiting = region(page, 'Identity: we are checking it')
  await waiting.getByRole('button', { name: 'Cancel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this check?' })
  await expectAccessible(page, 'cancelling a check', widths)
  await dialog.getByRole('button', { name: 'Cancel the check' }).click()
  await expectToast(page, 'Cancelled. We have deleted what you sent')
  const sent = region(page, 'What you have sent')
  await expect(sent.getByText('Cancelled', { exact: true })).toBeVisible()
  await expect(sent).toBeFocused()
  await expect(page.getByRole('button', { name: 'Send for checking' })).toBeVisible()
})

test('what we return is corrected without typing or choosing all of it again', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await decide(request, await sendIdentity(request, iris), 'returned', 'The number is another one')
  const page = await dashboardOf(browser, request, iris, { path })
  const proof = region(page, 'Prove your identity')
  await expect(proof).toContainText('The form begins with what you sent before.')
  await expect(proof.getByLabel('Full name')).toHaveValue(iris.person.name)
  await expect(proof.getByLabel('Nationality')).toHaveValue('Australia')
  await expect(proof.getByText('Sent before (PNG, 1 kB)')).toHaveCount(2)
  await expectSound(page, widths)
  const number = proof.getByLabel('Number of the document')
  await number.fill('PA7654321')
  // What is typed outlives the page, in its tab.
  await page.reload()
  await expect(number).toHaveValue('PA7654321')
  await proof.getByRole('button', { name: 'Send for checking' }).click()
  await expectToast(page, 'Sent. We will check it and tell you')
  await expect(page.getByRole('heading', { name: 'Identity: we are checking it' })).toBeVisible()
  expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('identity-identity')
  const { checks } = await callApi<{ checks: { _id: string }[] }>(request, 'GET', '/identity/own', {
    token: iris.token,
  })
  await decide(request, checks[0]!, 'verified')
  await expect(page.getByRole('heading', { name: 'Your identity is verified' })).toBeVisible()
})

test('a half-filled form is there again on return, and gone after logging out', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await decide(request, await sendIdentity(request, iris), 'verified')
  const page = await dashboardOf(browser, request, iris, { path })
  const form = region(page, 'Prove the source of your money')
  await fillFunds(form)
  await page.goto('/dashboard/home')
  await page.goto(path)
  await expect(form.getByLabel('Occupation')).toHaveValue('Nurse')
  await expect(form.getByLabel('Where most of the money comes from')).toHaveValue('salary')
  await expect(form.getByLabel('How much you expect')).toHaveValue('20,000.00')
  await expect(form.getByLabel('I could not pay for what I need')).toBeChecked()
  await expect(form).toContainText('Please do not invest money that you need.')
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/')
  expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain('identity-funds')
})

test('a proof that ends soon is renewed before its end', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  const soon = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
  await decide(request, await sendIdentity(request, iris, { ends: soon }), 'verified')
  const page = await dashboardOf(browser, request, iris, { path: '/dashboard/home' })
  await expect(page.getByText('Your proof of identity ends soon. Please renew it.')).toBeVisible()
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'View your identity' }).click()
  const renewal = region(page, 'Renew your identity before it ends')
  await expect(page.getByRole('heading', { name: 'Your identity is verified' })).toBeVisible()
  await expectSound(page, widths)
  await renewal.getByLabel('Full name').fill(iris.person.name)
  await renewal.getByLabel('Date of birth').fill('1990-02-28')
  await renewal.getByLabel('Nationality').selectOption('Australia')
  await renewal.getByLabel('Address').fill('1 Example Street, Sydney 2000')
  await renewal.getByLabel('Number of the document').fill('PA7654321')
  await renewal.getByLabel('Country that issued it').selectOption('Australia')
  await renewal.getByLabel('Last day on which it is valid').fill('2099-12-31')
  for (const field of ['Front of the document', 'Selfie']) {
    await renewal.getByLabel(field, { exact: true }).setInputFiles(picture(field))
    await expect(renewal.getByText(`Uploaded: ${field}.png`)).toBeVisible()
  }
  await renewal.getByRole('button', { name: 'Send for checking' }).click()
  // Until it is decided, the former one counts.
  await expect(page.getByRole('heading', { name: 'Identity: we are checking it' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Your identity is verified' })).toBeVisible()
  await expect(renewal).toHaveCount(0)
  await expectSound(page, widths)
  const { checks } = await callApi<{ checks: { _id: string }[] }>(request, 'GET', '/identity/own', {
    token: iris.token,
  })
  await decide(request, checks[0]!, 'verified')
  await expect(page.getByRole('heading', { name: 'Identity: we are checking it' })).toHaveCount(0)
  await expect(renewal).toHaveCount(0)
})

test('[D-07, D-08] a refused person reads that they can withdraw everything', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 40_000)
  await invest(request, iris, 'Elite', 30_000)
  const page = await dashboardOf(browser, request, iris, { path })
  const waits = page.getByText('1 investment waits for proof of your identity.')
  await expect(waits.getByRole('link')).toHaveAttribute('href', '/dashboard/investments')
  await decide(request, await sendIdentity(request, iris), 'refused', 'The document is forged')
  const refused = region(page, 'We cannot keep you as a customer')
  await expect(refused).toContainText('The document is forged')
  await expect(refused).toContainText('You can withdraw it without a limit')
  await expectSound(page, widths)
  // Where money would come in, they read the same, and no form.
  for (const form of [
    '/dashboard/deposit',
    '/dashboard/new-investment',
    '/dashboard/confirm-deposit?method=usdt&amount=100',
  ]) {
    await page.goto(form)
    await expect(refused).toContainText('The document is forged')
    await expect(refused.getByRole('link', { name: 'withdraw it' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Fund now|^Proceed to confirm|^Confirm/ })).toHaveCount(0)
    await expectSound(page, widths)
  }
  // The investment was declined, so all of the money is there to be paid out.
  const { _id } = await withdraw(request, iris, 40_000)
  await asAdmin(request, `/withdrawal/approve/${_id}`)
})

test('an investor says where their money comes from, and what a loss would mean', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await decide(request, await sendIdentity(request, iris), 'verified')
  const page = await dashboardOf(browser, request, iris, { path })
  const form = region(page, 'Prove the source of your money')
  await fillFunds(form)
  await form.getByLabel('Explanation').fill('Savings of ten years')
  await form.getByLabel('A few times').check()
  await expect(form).toContainText('Please do not invest money that you need.')
  await form.getByRole('button', { name: 'Send for checking' }).click()
  await expect(form).toContainText('Proof of the source of funds is missing')
  await form.getByLabel('Proof of the source of funds', { exact: true }).setInputFiles(picture('payslip'))
  await expectToast(page, 'File uploaded')
  await expectSound(page, widths)
  await form.getByRole('button', { name: 'Send for checking' }).click()
  await expectToast(page, 'Sent. We will check it and tell you')
  await expect(page.getByRole('heading', { name: 'Source of your money: we are checking it' })).toBeVisible()
})

test('returned proofs of funds are kept beside new ones, unless removed', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await decide(request, await sendIdentity(request, iris), 'verified')
  await decide(request, await sendFunds(request, iris, 3), 'returned', 'A contract is missing')
  const page = await dashboardOf(browser, request, iris, { path })
  const form = region(page, 'Prove the source of your money')
  const kept = form.getByText('We take it again unless you remove it.')
  await expect(kept).toHaveCount(3)
  await expectSound(page, widths)
  const field = form.getByLabel('Proof of the source of funds', { exact: true })
  await field.setInputFiles(picture('contract'))
  await expect(form).toContainText('You can add at most 3 files. Remove one first.')
  await form.getByRole('button', { name: 'Remove proof of the source of funds' }).first().click()
  await expect(kept).toHaveCount(2)
  await expect(field).toBeFocused()
  await field.setInputFiles(picture('contract'))
  await expect(form.getByText('Uploaded: contract.png')).toBeVisible()
  await expect(kept).toHaveCount(2)
  await form.getByRole('button', { name: 'Send for checking' }).click()
  await expectToast(page, 'Sent. We will check it and tell you')
  const { checks } = await callApi<{ checks: { _id: string }[] }>(request, 'GET', '/identity/own', {
    token: iris.token,
  })
  const token = await tokenOf(request, sample('administrator'))
  const check = callApi<{ files: unknown[] }>(request, 'GET', `/identity/get-one/${checks[0]!._id}`, {
    token,
  })
  expect((await check).files).toHaveLength(3)
})

test('a person with both proofs has no limit', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await decide(request, await sendIdentity(request, iris), 'verified')
  await decide(request, await sendFunds(request, iris), 'verified')
  const page = await dashboardOf(browser, request, iris, { path })
  await expect(page.getByText('$0.00, no limit')).toHaveCount(2)
  await expectSound(page, widths)
})

test('a phone takes the pictures with its camera, from the back or the front', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  const context = await browser.newContext({
    viewport: phone,
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await signIn(request, page, iris.person)
  await page.goto(path)
  const form = region(page, 'Prove your identity')
  await expect(form.getByText('Take a picture')).toHaveCount(2)
  await expect(form.getByText('Take a picture').first()).toBeVisible()
  const cameras = form.locator('input[capture]')
  await expect(cameras.nth(0)).toHaveAttribute('capture', 'environment')
  await expect(cameras.nth(1)).toHaveAttribute('capture', 'user')
  const choosing = page.waitForEvent('filechooser')
  await form.getByText('Take a picture').nth(1).click()
  const { name, buffer } = picture('selfie')
  await (await choosing).setFiles({ name, buffer, mimeType: 'image/jpeg' })
  await expect(form.getByText('This is not a complete PDF, PNG or JPEG file')).toBeVisible()
  await expectAccessible(page, 'the form on a phone')
  await context.close()
})

test.describe('with a provider', () => {
  let veriff: Awaited<ReturnType<typeof veriffServer>>
  ownProduct('veriff', {
    settings: async () => {
      veriff = await veriffServer()
      const { url, apiKey, secret } = veriff.provider
      return { VERIFF_URL: url, VERIFF_API_KEY: apiKey, VERIFF_SECRET: secret }
    },
  })
  test.afterAll(() => veriff.close())

  test('an investor proves their identity at a provider, and staff decide', async ({ browser, request }) => {
    // A worker asks for the outcome each minute.
    test.setTimeout(180_000)
    const iris = await newInvestor(request)
    const page = await dashboardOf(browser, request, iris, { path })
    const proof = region(page, 'Prove your identity')
    await proof.getByRole('button', { name: 'Send documents to us instead' }).click()
    await expect(proof.getByLabel('Full name')).toBeVisible()
    await proof.getByRole('button', { name: 'Begin with Veriff' }).click()
    const link = proof.getByRole('link', { name: 'Continue at Veriff' })
    await expect(link).toBeVisible()
    await expect(link).toHaveAttribute('href', `${veriff.provider.url}/v/${veriff.sessions[0]!.id}`)
    await expectSound(page, widths)

    veriff.decides(approvedPassport)
    await expect(page.getByRole('heading', { name: 'Identity: we are checking it' })).toBeVisible({
      timeout: 100_000,
    })
    const { checks } = await callApi<{ checks: { _id: string }[] }>(request, 'GET', '/identity/own', {
      token: iris.token,
    })
    const staff = await consoleOf(browser, { path: `/admin/check?id=${checks[0]!._id}` })
    await staff.getByRole('button', { name: 'Open what was sent' }).click()
    await expect(region(staff, 'What was sent')).toContainText('Veriff compared the document with the face')
    await expectSound(staff, widths)
    await decide(request, checks[0]!, 'verified')
    await expect(page.getByRole('heading', { name: 'Your identity is verified' })).toBeVisible()
  })
})
