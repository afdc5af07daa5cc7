import { expect, test } from '@playwright/test'
import { region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { consoleOf, expectToast, phone } from './support/people.ts'

/** Programs of the firm. They count for the whole firm: the journey has a demonstration of its own. */
ownProduct('integrations')

test('[I-01] two admins decide an API key, which reads until one of them revokes it', async ({
  browser,
  request,
}) => {
  const page = await consoleOf(browser)
  await page.getByRole('navigation').getByRole('link', { name: 'Integrations' }).first().click()
  await expect(page.getByText('No API keys yet')).toBeVisible()
  await page.getByRole('button', { name: 'Propose an API key' }).click()
  const proposing = page.getByRole('dialog')
  await proposing.getByLabel('Name').fill('Accounting')
  await proposing.getByLabel('IP addresses and ranges').fill('everywhere')
  await proposing
    .getByLabel('Last day')
    .fill(new Date(Date.now() + 86_400_000 * 30).toISOString().slice(0, 10))
  await proposing.getByLabel('Reason').fill('Monthly reports')
  await proposing.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(proposing.getByText('Choose what the key may read')).toBeVisible()
  await proposing.getByLabel(/^The console/).check()
  await proposing.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(proposing.getByText(/^Enter IP addresses or ranges such as/)).toBeVisible()
  await expectSound(page, widths)
  await proposing.getByLabel('IP addresses and ranges').fill('127.0.0.1\n203.0.113.0/24')
  await proposing.getByRole('button', { name: 'Propose', exact: true }).click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  await expect(region(page, 'Proposals')).toBeFocused()

  const other = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
  await region(other, 'Proposals')
    .getByRole('link', { name: /^Integrations/ })
    .click()
  const waiting = region(other, 'Proposals').getByRole('listitem').filter({ hasText: 'Accounting' })
  await expect(waiting).toContainText('127.0.0.1, 203.0.113.0/24')
  await waiting.getByRole('button', { name: /^Approve/ }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(other, 'Proposal approved')
  const keys = region(other, 'API keys')
  await expect(keys).toContainText('Approved, not created yet')
  await expect(keys.getByRole('button', { name: 'Create key' })).toHaveCount(0)

  await region(page, 'API keys').getByRole('button', { name: 'Create key for Accounting' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Save this API key' })
  const key = (await shown.getByText(/^probity_/).textContent())!
  await shown.getByRole('button', { name: 'Copy key' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await page.keyboard.press('Escape')
  await expect(shown.getByRole('alert')).toContainText('Have you saved the key?')
  await expectSound(page, widths)
  await shown.getByRole('button', { name: 'I’ve saved the key' }).click()
  await expect(region(page, 'API keys')).toContainText(`${key.slice(0, 12)}…`)

  const ask = async () =>
    (await request.get('/api/withdrawal/get-all', { headers: { Authorization: `Bearer ${key}` } })).status()
  expect(await ask()).toBe(200)
  await page.reload()
  await expect(region(page, 'API keys')).toContainText(', from 127.0.0.1')
  await expectSound(page, widths)

  await keys.getByRole('button', { name: 'Revoke Accounting' }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('No longer needed')
  await other.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await expectToast(other, 'API key revoked')
  expect(await ask()).toBe(401)
  await expect(region(page, 'API keys').getByRole('listitem')).toContainText('Revoked')
  await expectSound(other, widths)
})
