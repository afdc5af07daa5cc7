import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import type { FirmInLanguage, Statistic } from '#shared/contract/site.ts'
import { type Language, languageCodes, sourceLanguage } from '#shared/i18n/languages.ts'
import { region, rowOf } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import {
  callApi,
  consoleOf,
  dayInWords,
  daysAgo,
  expectToast,
  phone,
  sample,
  tokenOf,
} from './support/people.ts'
import { savedBy } from './support/saved.ts'

/** What the firm says of itself is managed in the console (N-14), and the public pages follow. */

const mark = () => crypto.randomUUID().slice(0, 8)
const siteOf = (page: Page, language: Language = sourceLanguage) =>
  callApi<{ firm: FirmInLanguage; statistics: Statistic[] }>(page.request, 'GET', '/site', { language })
/** What visitors read of the firm in each language. */
const firmOf = (page: Page) =>
  Promise.all(languageCodes.map(async language => (await siteOf(page, language)).firm))

test('[N-14, P-12, P-14] a new version of the profile shows on the public pages at once', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const { firm } = await siteOf(page)
  await page.goto('/admin/firm')
  await expect(region(page, 'Current profile')).toContainText(firm.legalName)
  await expectSound(page, widths)

  const address = `${mark()} Sample Street, Sydney NSW 2000, Australia`
  const edit = async (to: string) => {
    await page.getByRole('button', { name: 'Edit profile' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Street address').fill(to)
    await expect(dialog.getByRole('status')).toContainText(to)
    await dialog.getByLabel('Reason').fill('We have moved')
    await expectSound(page, widths)
    await dialog.getByRole('button', { name: /^Create version/ }).click()
    await expectToast(page, 'Profile updated')
    await expect(dialog).toBeHidden()
  }
  await edit(address)
  const versions = region(page, 'Versions').getByRole('listitem')
  await expect(versions.first()).toContainText('We have moved')
  await expect(versions.first()).toContainText(`${firm.streetAddress} → ${address}`)
  const visitor = await page.context().newPage()
  await visitor.goto('/contact')
  await expect(visitor.locator('address')).toContainText(address)
  await visitor.close()
  await edit(firm.streetAddress)
  expect((await siteOf(page)).firm).toEqual(firm)
})

test("[N-14, P-06] the firm's texts are edited page by page, and lists entry by entry", async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const before = await firmOf(page)
  await page.goto('/admin/firm')
  await expect(region(page, 'Texts: About us')).toContainText('A culture of integrity')
  await expectSound(page, widths)

  const dialog = page.getByRole('dialog')
  const open = () => region(page, 'Texts: About us').getByRole('button', { name: /^Edit/ }).click()
  const save = async () => {
    await dialog.getByLabel('Reason').fill('Our values have a new word')
    await dialog.getByRole('button', { name: /^Create version/ }).click()
  }
  const title = `Patience ${mark()}`
  await open()
  await dialog.getByRole('button', { name: 'Add a value' }).click()
  const added = dialog.getByRole('group', { name: 'Values' }).getByRole('listitem').last()
  await expect(added.getByLabel('Title')).toBeFocused()
  await added.getByLabel('Title').fill(title)
  await save()
  await expect(added.getByLabel('Text')).toBeFocused()
  await expect(added.getByLabel('Text')).toHaveAccessibleDescription('Text is required')
  await added.getByLabel('Text').fill('We wait for the right price.')
  await dialog.getByRole('button', { name: 'Move value 5 up' }).click()
  await expect(dialog.getByRole('status')).toContainText(`${title} · We wait for the right price.`)
  await expectSound(page, widths)
  await save()
  await expectToast(page, 'Texts updated')
  await expect(dialog).toBeHidden()
  const visitor = await page.context().newPage()
  await visitor.goto('/about')
  await expect(visitor.getByText(title)).toBeVisible()
  const { firm: changed } = await siteOf(page)
  expect(changed.texts.values.map(value => value.title)[3]).toBe(title)

  await open()
  await dialog.getByRole('button', { name: 'Remove value 4' }).click()
  await expect(dialog.getByRole('button', { name: 'Add a value' })).toBeFocused()
  await save()
  await expect(dialog).toBeHidden()
  expect(await firmOf(page)).toEqual(before)
  await visitor.close()
})

test('[N-14] an admin translates the headline, and visitors read it in their language', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const { firm } = await siteOf(page)
  await page.goto('/admin/firm')
  const language = page.getByLabel('Language of the texts below')
  const texts = region(page, 'Texts: Home page')
  const dialog = page.getByRole('dialog')
  const save = async (reason: string) => {
    await dialog.getByLabel('Reason').fill(reason)
    await dialog.getByRole('button', { name: /^Create version/ }).click()
    await expect(dialog).toBeHidden()
  }
  const heading = `Bücher, die Sie prüfen können ${mark()}`
  const translated = texts.getByText('Wir investieren in operativ tätige Unternehmen')

  await language.selectOption('German')
  await expect(translated).toHaveAttribute('lang', 'de')
  const before = await texts.getByRole('listitem').first().locator('[lang="de"]').textContent()
  await expectSound(page, widths)
  await texts.getByRole('button', { name: 'Translate into German: Home page' }).press('Enter')
  const field = dialog.getByRole('textbox', { name: /^Home page heading/ })
  await expect(field).toHaveAttribute('lang', 'de')
  await expect(dialog.getByText(firm.texts.heading!)).toHaveAttribute('lang', 'en')
  await field.fill(heading)
  const introduction = dialog.getByRole('textbox', { name: /^Home page introduction/ })
  const words = await introduction.inputValue()
  await introduction.fill('')
  await expect(dialog.getByRole('status')).toContainText(heading)
  await expectSound(page, widths)
  await save('In German')
  await expectToast(page, 'Translation saved')
  await expect(texts).toContainText('Not translated. Visitors read the original.')

  const visitor = await page.context().newPage()
  await visitor.goto('/de')
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(heading)
  await expect(visitor.getByRole('heading', { level: 1 }).locator('[lang]')).toHaveCount(0)
  await expect(visitor.getByText(firm.texts.introduction!)).toHaveAttribute('lang', 'en')
  await expectSound(visitor, widths)
  await visitor.goto('/')
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(firm.texts.heading!)
  await visitor.close()

  const editOriginal = async (to: string) => {
    await language.selectOption('English (original)')
    await texts.getByRole('button', { name: /^Edit/ }).click()
    await dialog.getByLabel('Home page heading').fill(to)
    await save('Another headline')
  }
  await editOriginal('Books that you can check')
  // Other journeys may have changed a list.
  await expect(region(page, 'Languages').getByRole('listitem').first()).toContainText(
    /The originals? of \d texts? ha(s|ve) changed/,
  )
  await editOriginal(firm.texts.heading!)
  await language.selectOption('German')
  await expect(texts).toContainText('The original has changed since this was translated.')
  await texts.getByRole('button', { name: /^Translate/ }).click()
  await field.fill(before!)
  await introduction.fill(words)
  await save('As it was')
  await expect(texts).not.toContainText('The original has changed')

  await language.selectOption('Arabic')
  await texts.getByRole('button', { name: /^Translate/ }).click()
  await expect(field).toHaveAttribute('dir', 'rtl')
  await expectSound(page, widths)
  await dialog.getByRole('checkbox').check()
  await save('The translation is still right')
  await expect(texts).not.toContainText('The original has changed')
  await language.selectOption('Spanish')
  await texts.getByRole('button', { name: /^Translate/ }).click()
  await dialog.getByRole('checkbox').check()
  await save('The translation is still right')
  expect((await siteOf(page)).firm).toEqual(firm)
})

test('[N-14, D2] what a profile may not leave open is refused at its field, and nothing changes', async ({
  browser,
}) => {
  const page = await consoleOf(browser)
  const before = await siteOf(page)
  await page.goto('/admin/firm')
  await page.getByRole('button', { name: 'Edit profile' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Regulator').fill('Some authority')
  await dialog.getByLabel('Reason').fill('We are licensed now')
  await dialog.getByRole('button', { name: /^Create version/ }).click()
  await expect(dialog.getByLabel('Licence')).toHaveAccessibleDescription(
    /Enter both the regulator and the licence/,
  )
  expect((await siteOf(page)).firm).toEqual(before.firm)
})

test('[N-14, P-04] a figure is entered with its evidence, shown with it, changed, and taken off', async ({
  browser,
}) => {
  const page = await consoleOf(browser, { path: '/admin/statistics' })
  await expect(page.getByRole('table', { name: 'Figures measured from the ledger' })).toContainText(
    'Ledger: account "recorded returns"',
  )
  await expectSound(page)
  const label = `Offices ${mark()}`
  await page.getByRole('button', { name: 'Add a figure' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill(label)
  await dialog.getByLabel('Value').fill('3')
  await dialog.getByLabel('Source').fill('Lease register')
  await dialog.getByRole('button', { name: 'Add figure' }).click()
  await expectToast(page, 'Enter the value, source, evidence and date', 'error')
  await dialog.getByLabel('Evidence').fill('https://example.com/leases')
  const day = daysAgo(145)
  await dialog.getByLabel('As of').fill(day)
  await dialog.getByLabel('Reason').fill('Asked for by visitors')
  await expectSound(page)
  await dialog.getByRole('button', { name: 'Add figure' }).click()
  await expectToast(page, 'Figure added')
  const row = rowOf(page, 'Custom figures', label)
  await expect(row).toContainText('Shown')

  const visitor = await page.context().newPage()
  await visitor.goto('/')
  const shown = visitor.locator('[data-statistic]').filter({ hasText: label })
  await expect(shown).toContainText(`Lease register, as of ${dayInWords(day, 'long')}`)
  await expect(shown.getByRole('link', { name: 'Lease register' })).toHaveAttribute(
    'href',
    'https://example.com/leases',
  )

  await page.getByRole('button', { name: `Edit ${label}` }).click()
  await dialog.getByLabel('Value').fill('4')
  await expect(dialog.getByRole('status')).toContainText('3 → 4')
  await dialog.getByLabel('Reason').fill('One more')
  await dialog.getByRole('button', { name: 'Create version 2' }).click()
  await expectToast(page, 'Figure updated')
  await page.getByRole('button', { name: `History of ${label}` }).click()
  await expect(dialog.getByText('Asked for by visitors')).toBeVisible()
  await expect(region(dialog, 'Compare two versions')).toContainText('3 → 4')
  await expectSound(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: `Hide ${label}` }).click()
  await dialog.getByLabel('Reason').fill('Out of date')
  await dialog.getByRole('button', { name: 'Hide figure' }).click()
  await expectToast(page, 'Figure hidden')
  await expect(row).toContainText('Hidden')
  await visitor.reload()
  await expect(shown).toHaveCount(0)
})

test('[N-14, K-01] a plan is added, moved first, retired and restored, each with its reason', async ({
  browser,
}) => {
  const page = await consoleOf(browser, { path: '/admin/plans' })
  const name = `Steady ${mark()}`
  await page.getByRole('button', { name: 'New plan' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Target (% of the amount)').fill('2.5')
  await dialog.getByLabel('Minimum').fill('500')
  await dialog.getByLabel('Maximum').fill('100')
  await dialog.getByLabel('Duration, as shown on the card').fill('90 days')
  await dialog.getByLabel('Days', { exact: true }).fill('90')
  await dialog.getByLabel('Reason').fill('Asked for by investors')
  await expectSound(page)
  await dialog.getByRole('button', { name: 'Add plan' }).click()
  await expect(dialog.getByLabel('Maximum')).toHaveAccessibleDescription(/at least the minimum/)
  await dialog.getByLabel('Maximum').fill('')
  await dialog.getByRole('button', { name: 'Add plan' }).click()
  await expectToast(page, 'Plan added')
  await expect(rowOf(page, 'Current plans', name)).toContainText('Unlimited')
  await expectSound(page)

  await page.getByRole('button', { name: 'Reorder' }).click()
  await expect(dialog.getByRole('button', { name: /^Move .* down$/ }).first()).toBeFocused()
  await dialog.getByRole('button', { name: 'Save order' }).click()
  await expectToast(page, 'Nothing has been changed', 'error')
  const up = dialog.getByRole('button', { name: `Move ${name} up` })
  await expectSound(page)
  while (await up.isEnabled()) await up.click()
  await dialog.getByRole('button', { name: 'Save order' }).click()
  await expectToast(page, 'Order saved')
  await expect(page.getByRole('table', { name: 'Current plans' }).getByRole('row').nth(1)).toContainText(name)

  const retire = async (why: string) => {
    await page.getByRole('button', { name: `Retire ${name}` }).click()
    await dialog.getByLabel('Reason').fill(why)
    await dialog.getByRole('button', { name: 'Retire plan' }).click()
    await expectToast(page, 'Plan retired')
    await expect(rowOf(page, 'Current plans', name)).toHaveCount(0)
    await expect(rowOf(page, 'Retired plans', name)).toHaveCount(1)
  }
  await retire('Not taken up')
  await page.getByRole('button', { name: `Restore ${name}` }).click()
  await dialog.getByLabel('Reason').fill('Asked for again')
  await dialog.getByRole('button', { name: 'Restore plan' }).click()
  await expectToast(page, 'Plan restored')
  await expect(rowOf(page, 'Current plans', name)).toHaveCount(1)
  await retire('Still not taken up')
  await page.setViewportSize(phone)
  await expectSound(page)
  await page.getByRole('button', { name: `History of ${name}` }).click()
  for (const why of ['Not taken up', 'Asked for again', 'Still not taken up'])
    await expect(dialog.getByText(why, { exact: true }).first()).toBeVisible()
  await expect(dialog.getByText('No active investments.').first()).toBeVisible()
  await expectSound(page)
})

/** A plan of its own that was added and retired again: both are in the log. @returns its name */
async function addPlan(request: APIRequestContext): Promise<string> {
  const token = await tokenOf(request, sample('administrator'))
  const name = `Passing ${mark()}`
  const terms = {
    percentage: 2,
    minimum: 100,
    maximum: null,
    duration: '10 days',
    durationDays: 10,
    note: null,
  }
  const body = { name, ...terms, reason: 'For the log' }
  const { _id } = await callApi<Plan>(request, 'POST', '/plan/new', { token, body })
  await callApi(request, 'POST', `/plan/retire/${_id}`, { token, body: { reason: 'For the log' } })
  return name
}

test('[N-12] the log shows before and after, is narrowed to days, and is taken away as a file', async ({
  browser,
  request,
}) => {
  const plan = await addPlan(request)
  const page = await consoleOf(browser, { path: '/admin/audit' })
  await page.getByRole('combobox', { name: 'Filter entries' }).selectOption('Plan added')
  const entry = rowOf(page, 'Audit log', plan).filter({ hasText: 'Plan added' })
  await entry.getByText('Before and after').click()
  await expect(entry).toContainText('Duration')
  await expectSound(page)
  await page.getByRole('button', { name: 'Filter and sort entries' }).click()
  await page.getByLabel('Done from').fill('2001-01-02')
  await page.getByLabel('Done to').fill('2001-01-01')
  await expect(page.getByRole('alert')).toHaveText(/^The last day cannot be before the first/)
  await expect(entry).toContainText('Plan added')
  await page.getByLabel('Done to').fill('2001-01-02')
  await expect(page.getByText('No entries match this search.')).toBeVisible()
  await expectSound(page)
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await page.getByRole('button', { name: 'When', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Audit log, Done, latest first' })).toBeVisible()
  await page.getByRole('button', { name: 'Columns of entries' }).click()
  await page.getByRole('checkbox', { name: 'Why' }).uncheck()
  await expect(page.getByRole('columnheader')).toHaveText(['When', 'Who', 'What', 'About', 'From'])
  const { name } = await savedBy(page, page.getByRole('button', { name: /^Export/ }))
  expect(name).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  await page.setViewportSize(phone)
  await expectSound(page)
})
