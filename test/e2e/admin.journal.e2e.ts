import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { investorInPlan } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { consoleOf } from './support/people.ts'

/** Auditors take the whole journal with them. */

test('[B-03, N-14] an auditor downloads a year of the journal in each format', async ({
  browser,
  request,
}) => {
  await investorInPlan(request)
  const page = await consoleOf(browser, { who: 'auditor' })
  await page.getByRole('navigation').getByRole('link', { name: 'Journal' }).first().click()
  await expect(page.getByRole('heading', { name: 'Journal', level: 1 })).toBeVisible()
  const year = new Date().getUTCFullYear()
  const downloaded = async () => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download journal' }).click()
    const file = await download
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }
  const hledger = await downloaded()
  expect(hledger.name).toMatch(new RegExp(`^journal-${year}-01-01-to-${year}-\\d\\d-\\d\\d\\.journal$`))
  expect(hledger.text).toContain('* Closing balances\n')
  await page.getByRole('radio', { name: 'Beancount' }).check()
  const beancount = await downloaded()
  expect(beancount.text).toContain(' balance Assets:Custody  ')
  await page.getByRole('radio', { name: 'CSV' }).check()
  expect((await downloaded()).text).toContain('Line,Date,Time')

  await page.getByLabel('Period').selectOption('Other days')
  await page.getByLabel('To (UTC)').fill('2020-01-01')
  await expect(page.getByRole('alert').getByText('The last day cannot be before the first')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download journal' })).toBeDisabled()
  await expectSound(page, widths)
})
