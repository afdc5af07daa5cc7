import { expect, type Page, test } from '@playwright/test'
import { png } from '#test/support/png.ts'
import { region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast, phone } from './support/people.ts'

/** The firm's own look (W-09). It counts for the whole firm. */
ownProduct('brand')

const rgb = (hex: string) =>
  `rgb(${[1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`
const light = '#0b6e4f'
const dark = '#7fd1ae'
const buttonOf = async (page: Page) =>
  page
    .getByRole('link', { name: 'Login' })
    .first()
    .evaluate(link => getComputedStyle(link).backgroundColor)

test('[W-09] two admins decide the colours, which every page then has', async ({
  browser,
  page: visitor,
}) => {
  await visitor.goto('/')
  await visitor.keyboard.press('Escape')
  const before = await buttonOf(visitor)

  const page = await consoleOf(browser)
  await page.getByRole('link', { name: 'Brand', exact: true }).click()
  await expect(region(page, 'Current look')).toContainText('The product’s own')
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Propose a look' }).click()
  const dialog = page.getByRole('dialog')
  const lightField = dialog.getByLabel('Colour in the light theme', { exact: true })
  await lightField.fill('#F59E0B')
  const contrasts = dialog.getByRole('list', { name: 'Contrast in the light theme' })
  await expect(contrasts).toContainText('Too low')
  await expectSound(page, widths)
  // Half a colour is told while it is typed, and the preview stays as it was.
  const preview = dialog.getByRole('figure', { name: 'Light theme' }).getByText('A button')
  const colour = () => preview.evaluate(button => getComputedStyle(button).backgroundColor)
  const colourBefore = await colour()
  await lightField.press('Backspace')
  const half = 'Enter a colour, such as #1c3f94. The preview keeps the last valid colour'
  await expect(lightField).toHaveAccessibleDescription(half)
  await expect(dialog.getByRole('status')).toHaveText([half, ''])
  expect(await colour()).toBe(colourBefore)
  await expectSound(page, widths)
  await lightField.press('B')
  await expect(lightField).not.toHaveAttribute('aria-invalid')
  await dialog.getByLabel('Reason').fill('Our own colours')
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(dialog.getByText(/^This colour’s contrast is 1\.\d:1 in the light theme/)).toBeVisible()
  await dialog.getByRole('button', { name: /^Use #/ }).click()
  await expect(contrasts).not.toContainText('Too low')
  await lightField.fill(light)
  await dialog.getByLabel('Colour in the dark theme', { exact: true }).fill(dark)
  await dialog.getByLabel('Logo', { exact: true }).selectOption('Your own')
  const file = dialog.getByLabel('Logo file', { exact: true })
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('nothing') })
  await expect(dialog.getByText('This is not a complete PNG file')).toBeVisible()
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() })
  await expectToast(page, 'Logo uploaded')
  await expectSound(page, widths)
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  await expect(region(page, 'Proposals')).toBeFocused()
  await visitor.reload()
  expect(await buttonOf(visitor)).toBe(before)

  const other = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
  await region(other, 'Proposals')
    .getByRole('link', { name: /^Brand/ })
    .click()
  const waiting = region(other, 'Proposals').getByRole('listitem').filter({ hasText: 'Our own colours' })
  await expect(waiting).toContainText(light)
  await expect(waiting).toContainText('Your own, 120 × 30 pixels, beside your name')
  await waiting.getByText('Show the new look').click()
  await expect(waiting.getByRole('figure', { name: 'Dark theme' })).toBeVisible()
  await expectSound(other, widths)
  await waiting.getByRole('button', { name: /^Approve/ }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(other, 'Proposal approved')
  await expect(region(page, 'Current look')).toContainText(light)

  await visitor.reload()
  expect(await buttonOf(visitor)).toBe(rgb(light))
  const logo = visitor.getByRole('banner').locator('.wordmark').first()
  const picture = await logo.evaluate(mark => getComputedStyle(mark, '::before').backgroundImage)
  const shown = await visitor.request.get(/url\("(.*)"\)/.exec(picture)![1]!)
  expect([shown.status(), shown.headers()['content-type']]).toEqual([200, 'image/png'])
  await expect(logo).toHaveText('Probity')
  await expectSound(visitor, widths)
  await visitor.emulateMedia({ colorScheme: 'dark' })
  expect(await buttonOf(visitor)).toBe(rgb(dark))
  await expectSound(visitor, widths)
  await visitor.goto('/login')
  await expectSound(visitor, widths)

  // The email about this proposal was sent before the look was in force; the next one has it.
  await page.getByRole('button', { name: 'Propose a look' }).click()
  await dialog.getByLabel('Colours').selectOption('The product’s own')
  await dialog.getByLabel('Reason').fill('As it was')
  await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  await visitor.emulateMedia({ colorScheme: 'light' })
  await visitor.goto('/mailbox')
  const email = visitor.getByRole('listitem').filter({ hasText: 'Reason: As it was' }).first()
  await email.getByText('As mail programs show it').click()
  const button = email.getByRole('link', { name: 'Review the proposal', exact: true })
  expect(await button.evaluate(link => getComputedStyle(link).backgroundColor)).toBe(rgb(light))
  const drawn = email.locator('img.logo')
  await expect.poll(() => drawn.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBe(120)
  await expectSound(visitor, widths)

  const reset = region(other, 'Proposals').getByRole('listitem').filter({ hasText: 'As it was' })
  await reset.getByRole('button', { name: /^Approve/ }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expect(region(page, 'Current look')).not.toContainText(light)
  await visitor.goto('/')
  expect(await buttonOf(visitor)).toBe(before)
})
