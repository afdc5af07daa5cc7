import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { dashboardOf, expectSound, widths } from './support/investor.ts'
import { expectToast, sample, tokenOf } from './support/people.ts'

test('[B-03] a calendar year is downloaded as CSV and PDF', async ({ browser, request }) => {
  const person = sample('investor')
  const investor = { person, token: await tokenOf(request, person) }
  const page = await dashboardOf(browser, request, investor, { path: '/dashboard/statement' })
  const section = page.getByRole('region', { name: 'Yearly statement' })
  const year = await section.getByLabel('Year').inputValue()
  expect(Number(year)).toBe(new Date().getFullYear())
  await expectSound(page, widths)

  for (const kind of ['CSV', 'PDF']) {
    const download = page.waitForEvent('download')
    await section.getByRole('button', { name: `Year as ${kind}` }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe(`yearly-statement-${year}.${kind.toLowerCase()}`)
    await expectToast(page, `${file.suggestedFilename()} saved`)
    const start = readFileSync(await file.path(), 'utf8').slice(0, 5)
    expect(start).toBe(kind === 'PDF' ? '%PDF-' : '\ufeffPart')
  }
})
