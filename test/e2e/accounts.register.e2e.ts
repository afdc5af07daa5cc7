import { expect, type Page, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import {
  callApi,
  expectToast,
  logIn,
  mailed,
  openAccount,
  type Person,
  stranger,
  tokenOf,
} from './support/people.ts'

/** Opening an account, showing that its address is one's own, and a password that was forgotten. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

async function fillRegistration(page: Page, { name, email, password }: Person, confirmation = password) {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Country').selectOption('Australia')
  await page.getByLabel('Mobile number').fill('+61 400 123 456')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(confirmation)
}

test('[A-03, A-08, A-11] a visitor registers, reads the code in the mailbox and is verified', async ({
  page,
}) => {
  const person = stranger()
  await page.goto('/register')
  await expect(page.getByRole('main').getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/login')
  await fillRegistration(page, person)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page).toHaveURL(`/verify/${person.email}`)
  await expect(page.getByRole('heading', { name: 'VERIFY EMAIL', exact: true })).toBeVisible()
  await expect(page.getByText('Enter the six digit verification code sent to your email')).toBeVisible()
  const [mailbox] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'built-in mailbox' }).click(),
  ])
  const mail = mailbox.getByText(/\b\d{6}\b/).first()
  await expect(mail).toBeVisible()
  const code = /\b\d{6}\b/.exec((await mail.textContent()) ?? '')?.[0] ?? ''
  await page.getByLabel('Verification code').fill(code)
  await page.getByRole('button', { name: 'Verify email' }).click()
  await expect(page).toHaveURL('/login')
  // Registering has logged them in.
  await expect(page.getByRole('heading', { name: 'Email verified' })).toBeVisible()
  await expect(page.getByText(`You are logged in as ${person.name}.`)).toBeVisible()
  await expect(page.getByLabel('Password')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'Go to your dashboard' }).click()
  await expect(page).toHaveURL('/dashboard/home')
})

test('[A-04, A-05, A-06] each error has its words, its field and the focus', async ({ page }) => {
  await page.goto('/register')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Name', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  const person = stranger()
  await fillRegistration(page, { ...person, password: 'secret-1' }, 'secret-2')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Password must be the same as its confirmation', 'error')
  await expect(page.getByLabel('Confirm password')).toBeFocused()
  await fillRegistration(page, { ...person, password: 'abcde' })
  await page.keyboard.press('Enter')
  await expectToast(page, 'Password must be at least six characters long', 'error')
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test('[A-04, A-05, A-06] all that is wrong is told at once, the first field focused', async ({ page }) => {
  await page.goto('/register')
  const person = stranger()
  await fillRegistration(page, { ...person, email: 'not an address', password: 'abc' }, 'abd')
  await page.getByLabel('Country').selectOption('')
  await page.keyboard.press('Enter')
  await expectToast(page, 'Please complete all required fields', 'error')
  for (const label of ['Email', 'Country', 'Password', 'Confirm password']) {
    await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('aria-invalid', 'true')
  }
  await expect(page.getByLabel('Name', { exact: true })).not.toHaveAttribute('aria-invalid')
  await expect(page.getByLabel('Email')).toBeFocused()
  await expectSound(page)
})

test('[A-07] server checks show at once; a password made of the name is refused', async ({
  page,
  request,
}) => {
  const known = stranger()
  await openAccount(request, known)
  await page.goto('/register?ref=NOBODYS')
  await fillRegistration(page, { ...known, password: 'Password1' })
  await page.keyboard.press('Enter')
  for (const label of ['Email', 'Password', 'Referral code']) {
    await expect(page.getByLabel(label).first()).toHaveAttribute('aria-invalid', 'true')
  }
  await fillRegistration(page, { ...stranger(), name: 'Nora Name', password: 'nora-name-1' })
  await page.keyboard.press('Enter')
  await expectToast(
    page,
    'The password contains your name. Choose one that nobody can guess from it.',
    'error',
  )
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
})

test('[A-07] a taken email and an unknown referral code show at their fields', async ({ page, request }) => {
  const known = stranger()
  await openAccount(request, known)
  await page.goto('/register?ref=NOBODYS')
  await expect(page.getByLabel('Referral code')).toHaveValue('NOBODYS')
  await fillRegistration(page, stranger())
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Referral code')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Referral code').fill('')
  await fillRegistration(page, known)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true')
  await expect(page).toHaveURL(/\/register/)
})

test('[A-15] who registers with a referral code has its owner as referrer', async ({ page, request }) => {
  const owner = stranger('Otto Owner')
  const token = await openAccount(request, owner)
  const { referralCode } = await callApi<{ referralCode: string }>(request, 'GET', '/auth/me', { token })
  const person = stranger()
  await page.goto(`/register?ref=${referralCode}`)
  await fillRegistration(page, person)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page).toHaveURL(/\/verify\//)
  const own = await callApi<{ referrer: string }>(request, 'GET', '/auth/me', {
    token: await tokenOf(request, person),
  })
  expect(own.referrer).toBe(owner.name)
})

test('[A-09, A-10] an empty code is not sent; a wrong one is told clearly', async ({ page, request }) => {
  const person = stranger()
  const { name, email, password } = person
  await callApi(request, 'POST', '/auth/signup', {
    body: { name, email, password, phone: '+61 400 123 456', country: 'Australia' },
  })
  await page.goto(`/verify/${email}`)
  const calls: string[] = []
  page.on('request', sent => sent.url().includes('/api/') && calls.push(sent.url()))
  await page.getByRole('button', { name: 'Verify email' }).click()
  await expectToast(page, 'Email verification code is required', 'error')
  expect(calls).toEqual([])
  const code = await mailed(request, email, /\b\d{6}\b/)
  const wrong = code === '000000' ? '000001' : '000000'
  await page.getByLabel('Verification code').fill(wrong)
  await page.keyboard.press('Enter')
  await expectToast(page, 'That code is incorrect. Check it, or request a new one.', 'error')
  await expect(page).toHaveURL(`/verify/${email}`)
  await expect(page.getByText("Didn't receive code?")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resend' })).toBeEnabled()
})

test('[A-13] a mailed link sets a new password, once', async ({ page, request }) => {
  const person = stranger()
  await openAccount(request, person)
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgotten your password?' }).click()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText(`If ${person.email} belongs to an account`)).toBeVisible()
  const link = await mailed(request, person.email, /https?:\/\/\S*\/reset-password#token=\S+/)
  const { pathname, hash } = new URL(link)
  for (const outcome of ['set', 'refused'] as const) {
    await page.goto(pathname + hash)
    await page.getByLabel('New password').fill('another-horse-7')
    await page.getByLabel('Confirm password').fill('another-horse-7')
    await page.getByRole('button', { name: 'Set password' }).click()
    if (outcome === 'set') await expect(page).toHaveURL('/login')
    else await expect(page.locator('[data-toast="error"]')).toBeVisible()
  }
  // Where the link is used up, the next one is asked for.
  await expect(page.getByText('This link was already used or has expired.').first()).toBeVisible()
  await expectSound(page)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText(`If ${person.email} belongs to an account`)).toBeVisible()
  await logIn(page, { ...person, password: 'another-horse-7' })
})

test('before registering, people read what is published about them', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/register')
  await expect(
    page.getByText('Your transactions appear there with their day and amount, never with your name.'),
  ).toBeVisible()
  await expectSound(page, widths)
  await page.getByRole('link', { name: 'What we publish about you' }).click()
  await expect(page).toHaveURL('/proof#about-you')
  await expect(page.getByRole('heading', { name: 'What we publish about an investor' })).toBeInViewport()
  await expect(page.getByText('It stays public, but your secret can be erased')).toBeVisible()
})
