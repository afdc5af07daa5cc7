import { expect, type Page, test } from '@playwright/test'
import { expectSound, widths } from './support/investor.ts'
import { callApi, expectToast, logIn, type Person, sample, storedKeys, tokenOf } from './support/people.ts'

/** Getting in and out of an account, and the way on from there. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Logs in on the page as it stands. */
async function enter(page: Page, { email, password }: Person) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
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
    await expect(page.getByRole('link', { name: 'Register' })).toHaveAttribute('href', '/register')
  })

  test('[A-02, K-05] an investor lands on the dashboard; tokens and state are kept', async ({ page }) => {
    // At once: the toast may be gone by the time the dashboard is there.
    await Promise.all([expectToast(page, 'Login successfull'), logIn(page, sample('investor'))])
    await expect(page).toHaveURL('/dashboard/home')
    expect(await storedKeys(page)).toEqual(['access', 'device', 'refresh', 'root'])
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
    // What a device saw of the public log is the same for everybody, and stays.
    expect((await storedKeys(page)).filter(key => key !== 'proof')).toEqual([])
    const answer = await request.post('/api/auth/refresh', { data: { refreshToken } })
    expect(answer.status()).toBe(401)
    await page.goBack()
    await expect(page).toHaveURL('/login')
  })
})

test.describe('the way on', () => {
  test('[A-02] a link of an email is opened after the login, also after a reload', async ({
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

  test('[X-02] a login after a session has ended returns to the same page', async ({ page }) => {
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

  for (const [who, link, place, header] of [
    ['investor', 'Go to your dashboard', '/dashboard/home', 'Dashboard'],
    ['administrator', 'Go to the console', '/admin/home', 'Console'],
  ] as const) {
    test(`[A-02] to the ${who} who is logged in, the login and the register page say so and lead on`, async ({
      page,
    }) => {
      await logIn(page, sample(who))
      for (const form of ['/login', '/register']) {
        await page.goto(form)
        await expect(page.getByText(/^You are logged in as /)).toBeVisible()
        await expect(page.getByLabel('Password', { exact: true })).toHaveCount(form === '/login' ? 0 : 1)
        const account = page.getByRole('banner').getByRole('link', { name: header, exact: true })
        await expect(account).toHaveAttribute('href', place)
        await expect(page.getByRole('link', { name: 'Login', exact: true })).toHaveCount(0)
        await expectSound(page, widths)
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

  test('[A-02] who is logged in can log in as someone else', async ({ page }) => {
    await logIn(page, sample('investor'))
    await page.goto('/login')
    await page.getByRole('button', { name: 'Log in as someone else' }).click()
    await expect(page.getByLabel('Email')).toBeFocused()
    await enter(page, sample('administrator'))
    await expect(page).toHaveURL('/admin/home')
  })
})
