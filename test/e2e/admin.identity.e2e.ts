import { expect, test } from '@playwright/test'
import { listStaff, type StaffMember } from '#shared/contract/staff.ts'
import { roleNames } from '#shared/roles.ts'
import { expectAccessible } from './support/accessible.ts'
import { payoutAddress, region } from './support/console.ts'
import { sendIdentity } from './support/identity.ts'
import { asAdmin, expectSound, fund, invest, newInvestor, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, expectToast, sample, tokenOf } from './support/people.ts'

test.describe('with limits of its own', () => {
  ownProduct('identity-console')

  test('[W-06, N-03] two admins set a limit, and a proof lets the withdrawal above it go on', async ({
    browser,
    request,
  }) => {
    const page = await consoleOf(browser, { path: '/admin/settings' })
    await page.getByRole('button', { name: 'Propose a change' }).click()
    const dialog = page.getByRole('dialog')
    const limit = dialog.getByLabel('Without proof of identity, up to')
    await limit.fill('200,000')
    await dialog.getByLabel('Reason').fill('A new law')
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    await expect(limit).toHaveAccessibleDescription(/Enter at most the amount without proof of the source/)
    await limit.fill('2,000')
    await dialog.getByLabel('Without proof of the source of funds, up to').fill('')
    await expectAccessible(page, 'proposing limits', widths)
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    const other = await consoleOf(browser, { who: 'second administrator', path: '/admin/settings' })
    const proposal = region(other, 'Proposals').getByRole('listitem').filter({ hasText: 'A new law' })
    await expect(proposal).toContainText('$25,000.00 → $2,000.00')
    await expect(proposal).toContainText('$100,000.00 → Not asked for')
    await proposal.getByRole('button', { name: /^Approve/ }).click()
    await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
    const force = region(page, 'Current settings')
    await expect(force).toContainText('Without proof of the source of funds, up toNot asked for')
    await expect(force).toContainText('Without proof of identity, up to$2,000.00')

    const iris = await newInvestor(request)
    await fund(request, iris, 4_000)
    const { _id } = await callApi<{ _id: string }>(request, 'POST', '/withdrawal/new', {
      token: iris.token,
      body: { amount: 3_000, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress },
    })
    await sendIdentity(request, iris)
    await page.goto('/admin/home')
    await page.getByRole('link', { name: 'Review: identity checks to decide' }).click()
    const checks = region(page, 'Checks')
    await checks.getByRole('searchbox').fill(iris.person.name)
    await expect(checks.getByRole('row').filter({ has: page.getByRole('cell') })).toHaveCount(1)
    await checks.getByRole('link', { name: 'Identity', exact: true }).click()
    await page.getByRole('button', { name: 'Open what was sent' }).click()
    const sent = region(page, 'What was sent')
    await sent.getByRole('button', { name: 'Show front of the document' }).click()
    await sent.getByRole('button', { name: 'Enlarge front of the document' }).click()
    const large = page.getByRole('dialog', { name: 'Front of the document' })
    await expect(large.getByRole('img')).toHaveJSProperty('width', 120)
    await expectAccessible(page, 'a picture in its own size', widths)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Verify/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click()
    await expectToast(page, 'Verified')

    await page.goto(`/admin/withdrawal?id=${_id}`)
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve/ })
      .click()
    await expectToast(page, 'Withdrawal approved')
  })

  test('[W-01, R-07] compliance decides checks, and decides nothing about money', async ({
    browser,
    request,
  }) => {
    const token = await tokenOf(request, sample('administrator'))
    const staff = await callApi<StaffMember[]>(request, 'GET', listStaff.path, { token })
    const { _id } = staff.find(({ email }) => email === sample('support').email)!
    const body = { role: 'compliance', reason: 'Has the training for it' }
    await callApi(request, 'PUT', `/staff/role/${_id}`, { token, body })
    const iris = await newInvestor(request)
    await fund(request, iris, 4_000)
    const investment = await invest(request, iris, 'Basic', 500)
    const check = await sendIdentity(request, iris)
    const page = await consoleOf(browser, { who: 'support' })
    await expect(page.getByText('· Compliance')).toBeVisible()
    const menu = page.getByRole('navigation', { name: 'Admin console' })
    for (const name of ['Identity', 'Messages', 'Audit log']) {
      await expect(menu.getByRole('link', { name, exact: true })).toBeVisible()
    }
    await expect(menu.getByRole('link', { name: 'Settings', exact: true })).toHaveCount(0)
    await page.goto(`/admin/investment?id=${investment._id}`)
    await expect(page.getByRole('heading', { level: 2, name: 'History' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^(Approve|Decline)/ })).toHaveCount(0)
    await page.goto(`/admin/check?id=${check._id}`)
    await page.getByRole('button', { name: 'Open what was sent' }).click()
    await page.getByRole('button', { name: /^Verify/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click()
    await expectToast(page, 'Verified')
  })
})

test('[N-03, N-12] staff open a proof, which is logged, and verify it', async ({ browser, request }) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 40_000)
  const { _id: withdrawal } = await callApi<{ _id: string }>(request, 'POST', '/withdrawal/new', {
    token: iris.token,
    body: { amount: 30_000, wallet: 'Bitcoin (BTC)', walletAddress: payoutAddress },
  })
  await sendIdentity(request, iris)
  const page = await consoleOf(browser, { path: `/admin/withdrawal?id=${withdrawal}` })
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

  const { _id: refused } = await sendIdentity(request, iris)
  const refusing = await openAndPress(refused, /^Refuse/)
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

  await page.goto(`/admin/check?id=${refused}`)
  const corrects = /^Correct to returned/
  await expect(page.getByRole('button', { name: corrects })).toBeDisabled()
  await expect(page.getByText('You refused this yourself. Another person can correct it.')).toBeVisible()
  await expectSound(page, widths)
  const other = await consoleOf(browser, { who: 'second administrator', path: `/admin/check?id=${refused}` })
  await expect(other.getByText('Open it before you decide.')).toBeVisible()
  await other.getByRole('button', { name: 'Open what was sent' }).click()
  await other.getByRole('button', { name: corrects }).click()
  await other.getByLabel('Reason').fill('It is genuine, we have asked the issuer')
  await other.getByRole('dialog').getByRole('button', { name: 'Return', exact: true }).click()
  await expectToast(other, 'Returned, with your reason')
  await expect(page.getByRole('button', { name: corrects })).toHaveCount(0)
})

for (const role of ['support', 'finance'] as const) {
  test(`[W-01, R-07] ${role} is shown no documents of anyone`, async ({ browser, request }) => {
    const { _id } = await sendIdentity(request, await newInvestor(request))
    const page = await consoleOf(browser, { who: role })
    const menu = page.getByRole('navigation', { name: 'Admin console' })
    await expect(menu.getByRole('link', { name: 'Monitoring' })).toBeVisible()
    await expect(menu.getByRole('link', { name: 'Identity' })).toHaveCount(0)
    await page.goto('/admin/identity')
    await expect(page.getByText(`Your role, ${roleNames[role]}, does not include it.`)).toBeVisible()
    await page.goto(`/admin/check?id=${_id}`)
    await expect(page.getByText('This check could not be loaded, or it does not exist.')).toBeVisible()
  })
}
