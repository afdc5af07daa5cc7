import { expect, type Locator, type Page, type Request, test } from '@playwright/test'
import { callApi, expectToast, logIn, openAccount, phone, sample, stranger } from './support/people.ts'

/** The forms of the accounts under slow hands and slow lines: what is typed, sent or pasted too early or too often. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Requests to these addresses wait until the answer is called. */
async function hold(page: Page, addresses: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(addresses, async route => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Opens a page whose scripts, but for the one that no page is painted without, wait until the answer is called. */
async function openWithoutScript(page: Page, path: string): Promise<() => void> {
  const release = await hold(page, /\/assets\/(?!start-)[^/]+\.js$/)
  await page.goto(path, { waitUntil: 'commit' })
  return release
}

const isCall = (request: Request) => request.url().includes('/api/')

/** The calls that the page makes from now on, but for reads. */
function writesOf(page: Page): string[] {
  const seen: string[] = []
  page.on('request', sent => {
    if (sent.method() !== 'GET') seen.push(new URL(sent.url()).pathname)
  })
  return seen
}

const { email, password } = sample('investor')

type FormOnServer = { path: string; typed: Record<string, string>; sent?: Record<string, unknown> }

/** The text by which the server knows the browser again. */
const device = expect.any(String)

const registration = {
  name: 'Stella Stranger',
  email: 'investor@probity.test',
  country: 'Australia',
  phone: '+61 400 123 456',
  password: 'correct-horse-9',
  confirmPassword: 'correct-horse-9',
  referrer: 'NOBODYS',
}

/** Every form that the server renders and a script sends: what is typed, and what is sent where that is not the same. */
const forms: FormOnServer[] = [
  { path: '/login', typed: { email, password }, sent: { email, password, device } },
  {
    path: '/register',
    typed: registration,
    sent: { ...registration, device, terms: { version: 1, translation: null } },
  },
  { path: `/verify/${email}`, typed: { otp: '000000' }, sent: { email, otp: '000000' } },
  { path: '/forgot-password', typed: { email: 'nobody@example.com' } },
  {
    path: '/reset-password#token=unknown',
    typed: { password: 'correct-horse-9', confirmPassword: 'correct-horse-9' },
    sent: { token: 'unknown', password: 'correct-horse-9' },
  },
  {
    path: '/invitation#token=unknown',
    typed: { password: 'correct-horse-9', confirmPassword: 'correct-horse-9' },
    sent: { token: 'unknown', password: 'correct-horse-9' },
  },
]

const field = (page: Page, name: string) => page.locator(`[name="${name}"]`)

async function typeInto(page: Page, typed: Record<string, string>): Promise<Locator> {
  let last = page.locator('never')
  for (const [name, text] of Object.entries(typed)) {
    last = field(page, name)
    if (name === 'country') await last.selectOption(text)
    else await last.pressSequentially(text)
  }
  return last
}

/** Where the caret stands, where the browser tells it. */
const caretOf = (input: Locator) =>
  input.evaluate(({ selectionStart, selectionEnd }: HTMLInputElement) => [selectionStart, selectionEnd])

async function putCaret(input: Locator): Promise<void> {
  await input.press('ArrowLeft')
  await input.press('Shift+ArrowLeft')
}

/** A password manager adds an element to a form; a translator puts texts into elements of its own. React knows neither. */
function changeLikeExtensions(input: Element) {
  input.after(document.createElement('password-manager'))
  const heading = document.querySelector('h1')!
  const translation = document.createElement('font')
  translation.append(heading.firstChild!)
  heading.append(translation)
}

for (const { path, typed, sent = typed } of forms) {
  test(`[A-01, A-03, A-08, A-13] ${path}: what is sent before the script runs is sent by it, once, and stays`, async ({
    page,
  }) => {
    const release = await openWithoutScript(page, path)
    const last = await typeInto(page, typed)
    await putCaret(last)
    const caret = await caretOf(last)
    const writes = writesOf(page)
    await last.press('Enter')
    await last.press('Enter')
    expect(writes).toEqual([])
    await expect(page).toHaveURL(path)
    const answer = await hold(page, '**/api/**')
    const call = page.waitForRequest(isCall)
    release()
    expect((await call).postDataJSON()).toEqual(sent)
    for (const [name, text] of Object.entries(typed)) await expect(field(page, name)).toHaveValue(text)
    await expect(last).toBeFocused()
    expect(await caretOf(last)).toEqual(caret)
    answer()
    await expect(page.locator('[data-toast]').first()).toBeVisible()
    expect(writes).toHaveLength(1)
  })

  test(`[A-01, A-03, A-08, A-13] ${path}: a form is kept and sent where a password manager changed it`, async ({
    page,
  }) => {
    const release = await openWithoutScript(page, path)
    const last = await typeInto(page, typed)
    await putCaret(last)
    const caret = await caretOf(last)
    await last.evaluate(changeLikeExtensions)
    await last.press('Enter')
    const call = page.waitForRequest(isCall)
    const answer = await hold(page, '**/api/**')
    release()
    await expect(page.locator('password-manager, font')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).not.toBeEmpty()
    for (const [name, text] of Object.entries(typed)) await expect(field(page, name)).toHaveValue(text)
    await expect(last).toBeFocused()
    expect(await caretOf(last)).toEqual(caret)
    answer()
    expect((await call).postDataJSON()).toEqual(sent)
  })
}

test.describe('with the start overlay', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } })

  test('[O-02] a page that a password manager changed keeps its focus and has no overlay again', async ({
    page,
  }) => {
    const release = await openWithoutScript(page, '/login')
    const overlay = page.getByRole('dialog')
    await expect(overlay).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(overlay).toBeHidden()
    const last = await typeInto(page, { email, password })
    await last.evaluate(changeLikeExtensions)
    release()
    await expect(page.locator('password-manager, font')).toHaveCount(0)
    await expect(last).toBeFocused()
    await expect(overlay).toBeHidden()
  })
})

test('[A-01] what a password manager filled in before the script ran is sent', async ({ page }) => {
  const release = await openWithoutScript(page, '/login')
  for (const [name, text] of Object.entries({ email, password })) {
    await field(page, name).evaluate((input: HTMLInputElement, value) => {
      input.value = value
    }, text)
  }
  release()
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL('/dashboard/home')
})

test('[A-01] a page keeps its text where extensions change it while the script starts', async ({ page }) => {
  // One adds an element at every task; another puts back at once what was removed.
  await page.addInitScript(() => {
    const add = () =>
      document.querySelector('[name=email]')?.after(document.createElement('password-manager'))
    const again = (records: MutationRecord[]) => {
      for (const { target, removedNodes } of records) {
        for (const node of removedNodes) if (node.nodeName === 'FONT') target.appendChild(node)
      }
    }
    const options = { childList: true, subtree: true }
    addEventListener('DOMContentLoaded', () => {
      new MutationObserver(again).observe(document.body, options)
      setInterval(add)
    })
  })
  const release = await openWithoutScript(page, '/login')
  await typeInto(page, { email, password })
  const [emailField, heading] = [field(page, 'email'), page.getByRole('heading', { level: 1 })]
  await emailField.evaluate(input => Object.assign(input, { isServed: true }))
  await heading.evaluate(element => element.append(document.createElement('font')))
  release()
  await page.getByRole('button', { name: 'Show characters' }).click()
  await expect(field(page, 'password')).toHaveAttribute('type', 'text')
  expect(await emailField.evaluate(input => 'isServed' in input)).toBe(true)
  await field(page, 'password').press('Enter')
  await expect(page).toHaveURL('/dashboard/home')
})

test('[A-01] a button pressed the moment React takes over acts once', async ({ page }) => {
  const release = await openWithoutScript(page, '/login')
  const show = page.getByRole('button', { name: 'Show characters' })
  await show.evaluate(button => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      if (Object.keys(button).some(key => key.startsWith('__reactProps'))) (button as HTMLElement).click()
      else port2.postMessage(null)
    }
    port2.postMessage(null)
  })
  release()
  await expect(field(page, 'password')).toHaveAttribute('type', 'text')
  // By then all is there.
  await field(page, 'email').fill(email)
  await field(page, 'password').fill('wrong-password-1')
  await field(page, 'password').press('Enter')
  await expect(page.locator('[data-toast="error"]')).toBeVisible()
  await expect(field(page, 'password')).toHaveAttribute('type', 'text')
})

test('[A-01] an empty form sent before the script runs is refused in the specified words', async ({
  page,
}) => {
  const release = await openWithoutScript(page, '/login')
  await page.getByRole('button', { name: 'Log in' }).click()
  release()
  await expectToast(page, 'Email and password are required', 'error')
  await expect(page.getByLabel('Email')).toBeFocused()
})

test('[F-05] a button pressed before the script runs acts once it runs', async ({ page }) => {
  const release = await openWithoutScript(page, '/login')
  const show = page.getByRole('button', { name: 'Show characters' })
  await show.click()
  const passkey = page.getByRole('button', { name: 'Use a passkey' })
  await passkey.click()
  await passkey.click()
  const calls = writesOf(page)
  release()
  await expectToast(page, 'Passkeys only work at localhost. Open this page there', 'error')
  expect(calls).toEqual(['/api/auth/login/passkey/begin'])
  // The last press counts alone.
  await expect(show).toBeVisible()
})

test('[A-13] a link followed before the script runs brings the typed address along', async ({ page }) => {
  const release = await openWithoutScript(page, '/login')
  await typeInto(page, { email })
  await page.getByRole('link', { name: 'Forgotten your password?' }).click()
  await expect(page).toHaveURL('/login')
  release()
  await expect(page).toHaveURL('/forgot-password')
  await expect(field(page, 'email')).toHaveValue(email)
})

test('[A-13] a link is followed where the script of the page cannot be loaded', async ({ page }) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/assets\/(?!start-)[^/]+\.js$/, async route => {
    await promise
    await route.abort()
  })
  await page.goto('/login', { waitUntil: 'commit' })
  await page.getByRole('link', { name: 'Forgotten your password?' }).click()
  await expect(page).toHaveURL('/login')
  resolve()
  await expect(page).toHaveURL('/forgot-password')
})

test('[P-02] a menu that is opened before the script runs stays open', async ({ page }) => {
  await page.setViewportSize(phone)
  const release = await openWithoutScript(page, '/login')
  await page.getByRole('button', { name: 'Show characters' }).click()
  await page.getByRole('button', { name: 'Menu' }).click()
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await expect(menu).toBeVisible()
  release()
  await expect(page.locator('[aria-label="Hide characters"]')).toBeAttached()
  await expect(menu).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  for (const { path, typed } of forms) {
    test(`[A-01, A-03, A-08, A-13] ${path}: sending does nothing, and puts nothing into the address`, async ({
      page,
    }) => {
      await page.goto(path)
      const last = await typeInto(page, typed)
      const asked: string[] = []
      page.on('request', request => asked.push(request.url()))
      await last.press('Enter')
      await page.getByRole('main').locator('form').first().getByRole('button').last().click()
      for (const [name, text] of Object.entries(typed)) await expect(field(page, name)).toHaveValue(text)
      await expect(page).toHaveURL(path)
      expect(asked).toEqual([])
    })
  }
})

test('[A-13] an email address carries over to the next page while that page is loading', async ({ page }) => {
  await page.goto('/login')
  await page.getByLabel('Email').pressSequentially('somebody@example')
  const release = await hold(page, '**/assets/forgot-password-*.js')
  const asked = page.waitForRequest('**/assets/forgot-password-*.js')
  await page.getByRole('link', { name: 'Forgotten your password?' }).click()
  await asked
  await page.getByLabel('Email').press('End')
  await page.getByLabel('Email').pressSequentially('.com')
  release()
  await expect(page.getByRole('heading', { name: 'Forgotten password' })).toBeVisible()
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type('.au')
  await expect(page.getByLabel('Email')).toHaveValue('somebody@example.com.au')
  await page.getByRole('link', { name: 'Back to log in' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue('somebody@example.com.au')
})

test('[A-02] pressing Log in repeatedly sends it once, also while the next page loads', async ({ page }) => {
  const writes = writesOf(page)
  const answer = await hold(page, '**/api/auth/login')
  await page.goto('/login')
  await typeInto(page, { email, password })
  const release = await hold(page, '**/assets/home-*.js')
  const button = page.getByRole('button', { name: 'Log in' })
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Enter')
  await expect(button).toHaveAttribute('aria-busy', 'true')
  answer()
  await expectToast(page, 'Login successfull')
  await page.keyboard.press('Enter')
  await button.click({ force: true })
  release()
  await expect(page).toHaveURL('/dashboard/home')
  expect(writes).toEqual(['/api/auth/login'])
})

test('[X-05] a refusal stands at its field', async ({ page }) => {
  await page.goto('/login')
  const button = page.getByRole('button', { name: 'Log in' })
  await button.click()
  await expectToast(page, 'Email and password are required', 'error')
  await typeInto(page, { email: 'nobody@example.com', password: 'not-the-password' })
  await page.keyboard.press('Enter')
  const words = 'Incorrect email or password'
  await expectToast(page, words, 'error')
  const input = page.getByLabel('Password', { exact: true })
  await expect(input).toHaveAccessibleDescription(words)
  await expect(input).toBeFocused()
  expect(await caretOf(input)).toEqual([0, 'not-the-password'.length])
  await field(page, 'email').fill('')
  await typeInto(page, { email })
  await input.fill(password)
  await input.press('Enter')
  await expect(page).toHaveURL('/dashboard/home')
})

test('[A-13] a link that is no good says so for longer than a toast, with the way to another', async ({
  page,
}) => {
  await page.goto('/reset-password#token=unknown')
  await typeInto(page, { password: 'correct-horse-9', confirmPassword: 'correct-horse-9' })
  await page.keyboard.press('Enter')
  const words = 'This link was already used or has expired. Request a new one.'
  await expectToast(page, words, 'error')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.locator('[data-toast]')).toHaveCount(0)
  await expect(page.getByRole('main').getByText(words)).toBeVisible()
  await page.getByLabel('Email').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expectToast(page, 'If this email belongs to an account, a link to set a new password is on its way')
})

test('[A-08] the code field shows digit keys, takes a pasted code, and leads on', async ({
  page,
  request,
}) => {
  const person = stranger()
  await page.goto('/register')
  await typeInto(page, {
    ...person,
    country: 'Australia',
    phone: '+61 400 123 456',
    confirmPassword: person.password,
  })
  await page.keyboard.press('Enter')
  const input = page.getByLabel('Verification code')
  await expect(input).toBeFocused()
  await expect(input).toHaveAttribute('inputmode', 'numeric')
  await expect(input).toHaveAttribute('autocomplete', 'one-time-code')
  let subject = ''
  await expect(async () => {
    const path = `/demo/mailbox?to=${encodeURIComponent(person.email)}`
    const [mail] = await callApi<{ subject: string }[]>(request, 'GET', path)
    subject = mail!.subject
  }).toPass()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(text => navigator.clipboard.writeText(text), subject.replace(/(\d{3})(\d{3})/, '$1 $2'))
  await input.press('ControlOrMeta+v')
  await expect(input).toHaveValue(/^\d{3} \d{3} is your verification code$/)
  // As in another browser than the one that registered.
  await page.evaluate(() => localStorage.clear())
  await input.press('Enter')
  await expect(page).toHaveURL('/login')
  await expect(page.getByLabel('Email')).toHaveValue(person.email)
})

test('[A-01, A-03, A-13] password managers are told what each field is', async ({ page, request }) => {
  const kinds = (names: string[]) =>
    Promise.all(names.map(name => field(page, name).getAttribute('autocomplete')))
  await page.goto('/login')
  expect(await kinds(['email', 'password'])).toEqual(['username', 'current-password'])
  await page.goto('/register')
  expect(await kinds(['name', 'email', 'country', 'phone', 'password', 'confirmPassword'])).toEqual([
    'name',
    'username',
    'country-name',
    'tel',
    'new-password',
    'new-password',
  ])
  await page.goto('/reset-password#token=unknown')
  expect(await kinds(['password', 'confirmPassword'])).toEqual(['new-password', 'new-password'])
  const person = stranger()
  await openAccount(request, person)
  await logIn(page, person)
  await page.goto('/dashboard/profile')
  await expect(field(page, 'oldPassword')).toBeVisible()
  expect(await kinds(['oldPassword', 'newPassword', 'confirmation'])).toEqual([
    'current-password',
    'new-password',
    'new-password',
  ])
})
