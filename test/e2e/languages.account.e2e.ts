import { expect, type Page, test } from '@playwright/test'
import { type Language, languages } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { expectSound } from './support/investor.ts'
import { desktop, expectToast, mailed, type Person, phone, stranger } from './support/people.ts'

/** The pages of accounts in other languages: what people read, and what the server answers to them. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

const widths = [
  ['phone', phone],
  ['desktop', desktop],
] as const

/** What the browser complains of, such as a page that React had to make anew; refused requests are asked for here. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return complaints
}

async function expectIn(page: Page, language: Language): Promise<void> {
  const html = page.locator('html')
  await expect(html).toHaveAttribute('lang', language)
  await expect(html).toHaveAttribute('dir', languages[language].direction)
}

for (const language of ['de', 'ar'] as const) {
  const words = (text: string) => messageIn(language, text)

  test(`an account is opened, verified and entered again in ${language}`, async ({
    page,
    request,
    context,
    baseURL,
  }) => {
    await context.addCookies([{ name: 'language', value: language, url: baseURL! }])
    const complaints = complaintsOf(page)
    const field = (name: string) => page.locator(`main [name=${name}]`)
    const press = (text: string) =>
      page
        .getByRole('main')
        .getByRole('button', { name: words(text) })
        .click()
    const heading = (text: string) => page.getByRole('heading', { name: words(text), exact: true, level: 1 })

    await page.goto('/register')
    await expectIn(page, language)
    await expect(heading('Register')).toBeVisible()
    await press('Register')
    await expectToast(page, words('Please complete all required fields'), 'error')
    await expectSound(page, widths)
    const person: Person = stranger()
    await field('name').fill(person.name)
    await field('email').fill(person.email)
    await field('country').selectOption('Australia')
    await field('phone').fill('+61 400 123 456')
    await field('password').fill('Password1')
    await field('confirmPassword').fill('Password1')
    await press('Register')
    await expect(
      page.getByText(words('This password is too common. Choose another one.')).first(),
    ).toBeVisible()
    await field('password').fill(person.password)
    await field('confirmPassword').fill(person.password)
    await press('Register')
    await expect(page).toHaveURL(`/verify/${person.email}`)

    await expect(heading('VERIFY EMAIL')).toBeVisible()
    await expectSound(page, widths)
    await field('otp').fill('12345')
    await press('Verify email')
    await expectToast(page, words('The code has six digits'), 'error')
    await field('otp').fill(await mailed(request, person.email, /\b\d{6}\b/))
    await press('Verify email')
    await expect(page).toHaveURL('/login')
    await expect(heading('Email verified')).toBeVisible()
    await expectSound(page, widths)

    await page.evaluate(() => localStorage.clear())
    await page.goto('/forgot-password')
    await expectIn(page, language)
    await expect(heading('Forgotten password')).toBeVisible()
    await field('email').fill(person.email)
    await press('Send the link')
    const link = await mailed(request, person.email, /https?:\S+token=\S+/)
    await expectSound(page, widths)
    await page.goto(link.slice(new URL(link).origin.length))
    await expectIn(page, language)
    await field('password').fill('abc')
    await field('confirmPassword').fill('abc')
    await press('Set password')
    await expectToast(page, words('Password must be at least six characters long'), 'error')
    const changed = `${person.password}-again`
    await field('password').fill(changed)
    await field('confirmPassword').fill(changed)
    await press('Set password')
    await expect(page).toHaveURL('/login')

    await field('email').fill(person.email)
    await field('password').fill(person.password)
    await press('Log in')
    await expect(page.getByText(words('Incorrect email or password')).first()).toBeVisible()
    await expectSound(page, widths)
    await field('password').fill(changed)
    await press('Log in')
    await expect(page).toHaveURL('/dashboard/home')
    await expectIn(page, language)
    expect(complaints).toEqual([])
  })
}
