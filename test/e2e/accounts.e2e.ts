import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { expectSound } from './support/investor.ts'
import {
  callApi,
  expectToast,
  logIn,
  openAccount,
  type Person,
  sample,
  stranger,
  tokenOf,
} from './support/people.ts'

/** Opening an account, getting in and out of it, and the guard before what is behind it. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const stored = (page: Page) => page.evaluate(() => Object.keys(localStorage).sort())

/** A token of the right form whose time has passed. */
const expiredToken = `e30.${Buffer.from(JSON.stringify({ sub: 'nobody', exp: 1 })).toString('base64url')}.x`

async function fillRegistration(page: Page, { name, email, password }: Person, confirmation = password) {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Country').fill('Australia')
  await page.getByLabel('Mobile number').fill('+61 400 123 456')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(confirmation)
}

/** Logs in on the page as it stands. */
async function enter(page: Page, { email, password }: Person) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** The newest mail to an address that has what is looked for. */
async function mailed(request: APIRequestContext, to: string, pattern: RegExp): Promise<string> {
  let found: string | undefined
  const path = `/demo/mailbox?to=${encodeURIComponent(to)}`
  await expect(async () => {
    const mails = await callApi<{ text: string }[]>(request, 'GET', path)
    found = mails.map(({ text }) => pattern.exec(text)?.[0]).find(Boolean)
    expect(found).toBeDefined()
  }).toPass()
  return found ?? ''
}

test.describe('log in', () => {
  test.beforeEach(async ({ page }) => {
    await page.goto('/login')
  })

  test('[A-01] without email and password nothing is sent, and the first field has the focus', async ({
    page,
  }) => {
    const calls: string[] = []
    page.on('request', request => request.url().includes('/api/') && calls.push(request.url()))
    await page.getByRole('button', { name: 'Log in' }).click()
    await expectToast(page, 'Email and password are required', 'error')
    await expect(page.getByLabel('Email')).toBeFocused()
    expect(calls).toEqual([])
    await expect(page.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/register')
  })

  test('[A-02, K-05] an investor comes to his dashboard, his tokens and state are kept', async ({ page }) => {
    // At once: the toast may be gone by the time the dashboard is there.
    await Promise.all([expectToast(page, 'Login successfull'), logIn(page, sample('investor'))])
    await expect(page).toHaveURL('/dashboard/home')
    expect(await stored(page)).toEqual(['access', 'device', 'refresh', 'root'])
    const { state } = await page.evaluate(() => JSON.parse(localStorage.getItem('root') ?? '{}'))
    expect(Object.keys(state).sort()).toEqual([
      'balance',
      'earnings',
      'email',
      'investments',
      'name',
      'referralCode',
      'referrer',
      'withdrawals',
    ])
  })

  test('[A-02] an admin comes to the console', async ({ page }) => {
    await logIn(page, sample('administrator'))
    await expect(page).toHaveURL('/admin/home')
  })

  test('[X-03] a wrong password is told in the server’s words, and what was typed stays', async ({
    page,
  }) => {
    await page.getByLabel('Email').fill('nobody@example.com')
    await page.getByLabel('Password', { exact: true }).fill('not-the-password')
    await page.keyboard.press('Enter')
    await expect(page.locator('[data-toast="error"]')).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue('nobody@example.com')
    await expect(page).toHaveURL('/login')
  })

  test('[A-14] what is typed as a password can be shown and hidden', async ({ page }) => {
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('secret')
    await page.getByRole('button', { name: 'Show characters' }).click()
    await expect(password).toHaveAttribute('type', 'text')
    await page.getByRole('button', { name: 'Hide characters' }).click()
    await expect(password).toHaveAttribute('type', 'password')
  })

  test('[A-12] Logout forgets tokens and state, returns home, and ends the session', async ({
    page,
    request,
  }) => {
    await logIn(page, sample('investor'))
    const refreshToken = await page.evaluate(() => localStorage.getItem('refresh'))
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/')
    // By which this browser is known again at the next login; it says nothing about anybody.
    expect(await stored(page)).toEqual(['device'])
    const answer = await request.post('/api/auth/refresh', { data: { refreshToken } })
    expect(answer.status()).toBe(401)
    await page.goBack()
    await expect(page).toHaveURL('/login')
  })
})

test.describe('the way on', () => {
  test('[A-02] a link of a mail is come back to after the login, also when the page was read anew', async ({
    page,
    request,
  }) => {
    const token = await tokenOf(request, sample('investor'))
    const [withdrawal] = await callApi<{ _id: string }[]>(request, 'GET', '/withdrawal/get-all-user', {
      token,
    })
    const place = `/dashboard/withdrawals?withdrawal=${withdrawal!._id}`
    await page.goto(place)
    await expect(page).toHaveURL('/login')
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
    await page.reload()
    await enter(page, sample('investor'))
    await expect(page).toHaveURL(place)
    await expect(page.getByRole('dialog')).toBeVisible()
  })

  test('[A-02] who goes back after a login does not come to the login page', async ({ page }) => {
    await page.goto('/about')
    await page.goto('/dashboard/history')
    await expect(page).toHaveURL('/login')
    await enter(page, sample('investor'))
    await expect(page).toHaveURL('/dashboard/history')
    await page.goBack()
    await expect(page).toHaveURL('/about')
  })

  test('[R-07] a page of the console is come back to by an admin only', async ({ page }) => {
    for (const [who, place] of [
      ['administrator', '/admin/audit?q=deposit'],
      ['investor', '/dashboard/home'],
    ] as const) {
      await page.goto('/admin/audit?q=deposit')
      await expect(page).toHaveURL('/login')
      await enter(page, sample(who))
      await expect(page).toHaveURL(place)
      await page.getByRole('button', { name: 'Logout' }).click()
      await expect(page).toHaveURL('/')
    }
  })

  test('[X-02] who logs in again after his session has ended comes back to his page', async ({ page }) => {
    await logIn(page, sample('investor'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.route('**/api/**', route =>
      route.fulfill({
        status: 401,
        json: { status: 'error', message: 'The token has expired', code: 'token_expired' },
      }),
    )
    // A pointer over the link would have its page read already, and so lead away before the click.
    await page.getByRole('link', { name: 'Statement' }).evaluate((link: HTMLElement) => link.click())
    await expect(page).toHaveURL('/login')
    await page.unrouteAll()
    await enter(page, sample('investor'))
    await expect(page).toHaveURL('/dashboard/statement')
  })

  for (const [who, link, place] of [
    ['investor', 'Go to your dashboard', '/dashboard/home'],
    ['administrator', 'Go to the console', '/admin/home'],
  ] as const) {
    test(`[A-02] to the ${who} who is logged in, the login and the register page say so and lead on`, async ({
      page,
    }) => {
      await logIn(page, sample(who))
      for (const form of ['/login', '/register']) {
        await page.goto(form)
        await expect(page.getByText(/^You are logged in as /)).toBeVisible()
        await expectSound(page)
        await page.getByRole('link', { name: link }).click()
        await expect(page).toHaveURL(place)
      }
      await page.getByRole('button', { name: 'Logout' }).click()
      await expect(page).toHaveURL('/')
      await page.goto('/login')
      await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
      await expect(page.getByText(/^You are logged in/)).toHaveCount(0)
    })
  }
})

test.describe('register and verify', () => {
  test('[A-03, A-08, A-11] a stranger registers, reads his code in the mailbox and is verified', async ({
    page,
  }) => {
    const person = stranger()
    await page.goto('/register')
    await expect(page.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login')
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
    await logIn(page, person)
  })

  test('[A-04, A-05, A-06] each fault has its words, its field and the focus', async ({ page }) => {
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
    await page.getByLabel('Country').fill('')
    await page.keyboard.press('Enter')
    await expectToast(page, 'All fields but the referral code are required', 'error')
    for (const label of ['Email', 'Country', 'Password', 'Confirm password']) {
      await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('aria-invalid', 'true')
    }
    await expect(page.getByLabel('Name', { exact: true })).not.toHaveAttribute('aria-invalid')
    await expect(page.getByLabel('Email')).toBeFocused()
    await expectSound(page)
  })

  test('[A-07] what only the server knows is told at once, too; a password made of the name is refused', async ({
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

  test('[A-07] an address that has an account, and an unknown referral code, are told at their fields', async ({
    page,
    request,
  }) => {
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
    await expectToast(page, 'This code is not right. Check it, or ask for a new one.', 'error')
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
    const link = await mailed(request, person.email, /https?:\/\/\S*\/reset-password\?token=\S+/)
    const { pathname, search } = new URL(link)
    for (const outcome of ['set', 'refused'] as const) {
      await page.goto(pathname + search)
      await page.getByLabel('New password').fill('another-horse-7')
      await page.getByLabel('Confirm password').fill('another-horse-7')
      await page.getByRole('button', { name: 'Set password' }).click()
      if (outcome === 'set') await expect(page).toHaveURL('/login')
      else await expect(page.locator('[data-toast="error"]')).toBeVisible()
    }
    // Where the link is used up, the next one is asked for.
    await expect(page.getByText('This link was used already or has expired.').first()).toBeVisible()
    await expectSound(page)
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await expect(page.getByText(`If ${person.email} belongs to an account`)).toBeVisible()
    await logIn(page, { ...person, password: 'another-horse-7' })
  })
})

test.describe('guard', () => {
  const dashboard = [
    'home',
    'profile',
    'investments',
    'new-investment',
    'withdrawals',
    'history',
    'deposit',
    'confirm-deposit?method=usdt&amount=100',
  ].map(page => `/dashboard/${page}`)

  test('[R-02, R-03, R-04] without a token every protected page leads to /login', async ({ page }) => {
    for (const path of [...dashboard, '/admin/home', '/admin/investment?id=x']) {
      await page.goto(path)
      await expect(page).toHaveURL('/login')
    }
  })

  test('[R-02] behind the guard each page of the dashboard has its heading and title', async ({ page }) => {
    await logIn(page, sample('investor'))
    for (const path of dashboard) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page).toHaveTitle(/ · Probity$/)
    }
  })

  test('[R-05, X-02] an expired session that cannot be renewed is removed, in the specified words', async ({
    page,
  }) => {
    await page.goto('/login')
    await page.evaluate(token => localStorage.setItem('access', token), expiredToken)
    await Promise.all([
      expectToast(page, 'Your session has expired, you will be redirected to the login page', 'error'),
      page.goto('/dashboard/home'),
    ])
    await expect(page).toHaveURL('/login')
    expect(await stored(page)).toEqual([])
  })

  test('[R-06] an expired access token with a good refresh token lets the visit go on', async ({ page }) => {
    await logIn(page, sample('investor'))
    // From a page that makes no calls: one that is left while it renews would lose the new pair.
    await page.goto('/')
    await page.evaluate(token => localStorage.setItem('access', token), expiredToken)
    await page.goto('/dashboard/history')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Earnings history')
    expect(await page.evaluate(() => localStorage.getItem('access'))).not.toBe(expiredToken)
  })

  test('[R-07] an investor who opens the console is sent to his own pages', async ({ page }) => {
    await logIn(page, sample('investor'))
    await page.goto('/admin/home')
    await expect(page).toHaveURL('/dashboard/home')
  })

  test('[A-12] logging out in one tab takes the other tab out too', async ({ context, page }) => {
    await logIn(page, sample('investor'))
    const other = await context.newPage()
    await other.goto('/dashboard/history')
    await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(other).toHaveURL('/login')
  })
})
