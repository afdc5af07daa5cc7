import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { payoutAddress, region } from './support/console.ts'
import { sendIdentity } from './support/identity.ts'
import { asAdmin, expectSound, fund, invest, newInvestor, widths } from './support/investor.ts'
import { callApi, consoleOf, expectToast } from './support/people.ts'

test('[N-03, N-12] staff open a proof, which is logged, and verify it', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 40_000)
  const { _id: withdrawal } = await callApi<{ _id: string }>(request, 'POST', '/withdrawal/new', {
    token: iris.token,
    body: { amount: 30_000, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress },
  })
  await sendIdentity(request, iris)
  const page = await consoleOf(browser)
  await page.goto(`/admin/withdrawal?id=${withdrawal}`)
  await expect(page.getByText('It waits for proof of identity')).toBeVisible()
  await page.getByRole('link', { name: 'View checks' }).click()
  const row = region(page, 'Checks').getByRole('row', { name: new RegExp(iris.person.name) })
  await expect(row).toHaveCount(1)
  await expectSound(page, widths)
  await row.getByRole('link', { name: 'Identity', exact: true }).click()

  await expect(page.getByText('1 withdrawal waits for this.')).toBeVisible()
  const verify = page.getByRole('button', { name: /^Verify/ })
  await expect(verify).toBeDisabled()
  await expectSound(page, widths)
  const sent = region(page, 'What was sent')
  await sent.getByRole('button', { name: 'Open what was sent' }).click()
  await expect(sent).toContainText('PA1234567')
  await sent.getByRole('button', { name: 'Show selfie' }).click()
  await expect(sent.getByRole('img', { name: 'Selfie' })).toBeVisible()
  await expect(region(page, 'Who opened it').getByRole('row', { name: /^Selfie/ })).toBeVisible()
  await expectSound(page, widths)

  await verify.click()
  const dialog = page.getByRole('dialog', { name: 'Is this the person?' })
  await expectAccessible(page, 'verifying a check', widths)
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expectToast(page, 'Verified')
  await expect(region(page, 'The check')).toContainText('Counts until')
  await asAdmin(request, `/withdrawal/approve/${withdrawal}`)
})

test('[N-10] staff return a proof with a reason, and refuse a person, whose money returns', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 40_000)
  const investment = await invest(request, iris, 'Elite', 30_000)
  const page = await consoleOf(browser)
  const openAndPress = async (id: string, act: RegExp) => {
    await page.goto(`/admin/check?id=${id}`)
    await page.getByRole('button', { name: 'Open what was sent' }).click()
    await page.getByRole('button', { name: act }).click()
    return page.getByRole('dialog')
  }
  const returning = await openAndPress((await sendIdentity(request, iris))._id, /^Return/)
  await returning.getByRole('button', { name: 'Return', exact: true }).click()
  await expect(returning.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await returning.getByLabel('Reason').fill('The picture is blurred')
  await expectAccessible(page, 'returning a check', widths)
  await returning.getByRole('button', { name: 'Return', exact: true }).click()
  await expectToast(page, 'Returned, with your reason')

  const refusing = await openAndPress((await sendIdentity(request, iris))._id, /^Refuse/)
  await refusing.getByLabel('Reason').fill('The document is forged')
  await expectAccessible(page, 'refusing a person', widths)
  await refusing.getByRole('button', { name: 'Refuse', exact: true }).click()
  await expectToast(page, /Their pending investments are declined/)
  await page.goto(`/admin/investment?id=${investment._id}`)
  await expect(page.getByText('The document is forged').first()).toBeVisible()
  await page.goto(
    `/admin/user?id=${(await callApi<{ _id: string }>(request, 'GET', '/auth/me', { token: iris.token }))._id}`,
  )
  await expect(page.getByText('Refused as a customer')).toBeVisible()
  await expectSound(page, widths)
})

test('[W-01, R-07] support is shown no documents of anyone', async ({ browser, request }) => {
  const { _id } = await sendIdentity(request, await newInvestor(request))
  const page = await consoleOf(browser, undefined, 'support')
  const menu = page.getByRole('navigation', { name: 'Admin console' })
  await expect(menu.getByRole('link', { name: 'Monitoring' })).toBeVisible()
  await expect(menu.getByRole('link', { name: 'Identity' })).toHaveCount(0)
  await page.goto('/admin/identity')
  await expect(page.getByText('Your role, Support, does not include it.')).toBeVisible()
  await page.goto(`/admin/check?id=${_id}`)
  await expect(page.getByText('This check could not be loaded, or it does not exist.')).toBeVisible()
})
