import { expect, test } from '@playwright/test'
import { importPeps, importSdn } from '#test/support/sanctions.ts'
import { freshAddress } from '#test/support/withdrawals.ts'
import { expectAccessible } from './support/accessible.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { expectSoundInArabic } from './support/languages.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, consoleOf, expectToast, logIn, phone } from './support/people.ts'

/** Its worker compares names at its start and each minute. */
const product = ownProduct('screening', {
  // Nobody listens there.
  settings: { SANCTIONS_UN_URL: 'https://127.0.0.1:4/consolidated.xml' },
})
const wallet = 'USDT ERC-20'

test('[N-03, N-07] staff decide whether a person is the one on a sanctions list', async ({
  browser,
  request,
}) => {
  // The worker finds matches within a minute.
  test.setTimeout(180_000)
  const page = await consoleOf(browser, { path: '/admin/screening' })
  await expect(region(page, 'Lists in force').getByRole('row', { name: /OFAC/ })).toContainText(
    'Never imported',
  )
  await expect(region(page, 'Lists in force')).toContainText('so no name was compared')
  const nations = region(page, 'Lists in force').getByRole('row', { name: /United Nations/ })
  await expect(nations).toContainText('Fetched every day')
  await expect(nations).toContainText('Cannot be fetched')
  await expect(region(page, 'Matches')).toContainText('No matches so far')
  await expectAccessible(page, 'sanctions lists before any import', widths)

  const [other, listed] = [
    await investorWith(request, 500, 'Yevgeny Schukin'),
    await investorWith(request, 500, 'Marwan Al Zubaydi'),
  ]
  const to = { amount: 100, wallet, walletAddress: freshAddress(wallet) }
  const [first, second] = [await other.ask('/withdrawal/new', to), await listed.ask('/withdrawal/new', to)]
  await importSdn(
    product(),
    [
      {
        uid: 7001,
        first: 'Evgenii',
        last: 'SHCHUKIN',
        births: ['15 Mar 1965'],
        nationality: 'Russia',
        aliases: [['weak', 'ZHENYA']],
      },
      { uid: 7002, first: 'Marwan', last: 'AL-ZUBAIDI' },
    ],
    { compares: false },
  )
  const matches = region(page, 'Matches')
  await expect(async () => {
    await page.reload()
    await expect(matches.getByRole('row')).toHaveCount(3, { timeout: 2_000 })
  }).toPass({ timeout: 100_000 })
  await expect(region(page, 'Lists in force')).toContainText('All names were compared')
  await expect(region(page, 'Lists in force').getByRole('row', { name: /OFAC/ })).toContainText(
    'Imported manually',
  )
  await expectSound(page, widths)

  await page.goto(`/admin/withdrawal?id=${first._id}`)
  await expect(region(page, 'Payment')).toContainText('may be on the sanctions list')
  await page.getByRole('button', { name: `Approve ${first.invoiceId}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve withdrawal' }).click()
  await expect(page.getByRole('dialog')).toContainText('must decide the match first')
  await expectSound(page, widths)
  await page.keyboard.press('Escape')

  await page.goto('/admin/screening?matches=open#matches')
  await matches
    .getByRole('row', { name: /Yevgeny/ })
    .getByRole('link', { name: /SHCHUKIN/ })
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('SHCHUKIN')
  await expect(region(page, 'The entry')).toContainText('1965-03-15')
  await expect(region(page, 'The entry')).toContainText('Russia')
  await expect(region(page, 'The account')).toContainText('Yevgeny Schukin')
  await expectAccessible(page, 'a match to decide', widths)
  await expectSoundInArabic(page)
  await page.getByRole('button', { name: /^Somebody else/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Decide: somebody else' }).click()
  await expect(dialog.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Reason').fill('Born in 1990, as the passport shows')
  await expectAccessible(page, 'the decision about a match', widths)
  await dialog.getByRole('button', { name: 'Decide: somebody else' }).click()
  await expectToast(page, 'Decided: somebody else')
  await expect(region(page, 'The decision')).toContainText('Born in 1990')
  await page.goto(`/admin/withdrawal?id=${first._id}`)
  await page.getByRole('button', { name: `Approve ${first.invoiceId}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(page, 'Withdrawal approved')

  await page.goto('/admin/screening?matches=open#matches')
  await matches.getByRole('button', { name: /^The listed one/ }).click()
  await dialog.getByLabel('Reason').fill('The passport’s number is that of the list')
  await dialog.getByRole('button', { name: 'Decide: the listed one' }).click()
  await expectToast(page, 'Decided. The account is frozen')
  await page.goto(`/admin/withdrawal?id=${second._id}`)
  await expect(region(page, 'Payment')).toContainText('sanctions list')
  await page.getByRole('link', { name: 'View matches' }).click()
  await expect(matches).toContainText('The listed one')
})

test('[N-03, N-07] staff decide whether a person is politically exposed', async ({ browser, request }) => {
  const person = await investorWith(request, 500, 'Mirabella Ministerova')
  await importPeps(product(), [
    {
      id: 'Q100',
      name: 'Mirabella Ministerova',
      birth: '1970-03-15',
      countries: 'de',
      aliases: 'M. Ministerova',
    },
  ])
  const page = await consoleOf(browser, { path: '/admin/screening?matches=open#matches' })
  await expect(region(page, 'Lists in force').getByRole('row', { name: /OpenSanctions/ })).toContainText('1')
  const row = region(page, 'Matches').getByRole('row', { name: /Mirabella/ })
  await expect(row).toContainText('Politically exposed')
  await row.getByRole('link', { name: 'Mirabella Ministerova' }).last().click()
  await expect(region(page, 'The entry')).toContainText('Germany')
  await expect(page.getByText('Until you decide, this stops nothing')).toBeVisible()
  await page.getByRole('button', { name: 'Compare dates of birth' }).click()
  await expect(region(page, 'Dates of birth')).toContainText('We do not know it')
  await expectAccessible(page, 'a match with a politically exposed person', widths)
  await expectSoundInArabic(page)
  await page.getByRole('button', { name: /^The listed one/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('nothing is frozen')
  await dialog.getByLabel('Reason').fill('They told us of their office')
  await expectAccessible(page, 'the decision about a politically exposed person', widths)
  await dialog.getByRole('button', { name: 'Decide: the listed one' }).click()
  await expectToast(page, 'Decided: a politically exposed person')
  await expect(region(page, 'The account')).toContainText('Not frozen')
  await region(page, 'The account').getByRole('link', { name: 'Mirabella Ministerova' }).click()
  await expect(page.getByText('We decided that this is a politically exposed person')).toBeVisible()
  await expectSound(page, widths)

  const own = await browserOf(browser)
  await logIn(own, person.person)
  await own.goto('/dashboard/identity')
  await expect(own.getByText('The law counts you among politically exposed persons')).toBeVisible()
  await expect(region(own, 'Prove your identity')).toBeVisible()
  await expectAccessible(own, 'the identity of a politically exposed person', widths)
  await own.goto('/dashboard/new-investment')
  await expect(own.getByText('This will wait until we have verified your identity')).toBeVisible()
})

test('[N-07] the matches of names fit a phone', async ({ browser }) => {
  const page = await browserOf(browser, phone)
  const admin = await consoleOf(browser, { viewport: phone })
  await page.close()
  await admin.goto('/admin/screening')
  await expect(region(admin, 'Matches').getByRole('row')).not.toHaveCount(0)
  await expectSound(admin)
})
