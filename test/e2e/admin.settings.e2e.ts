import { expect, test } from '@playwright/test'
import { listStaff, type StaffMember } from '#shared/contract/staff.ts'
import { may } from '#shared/roles.ts'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { asAdmin, dashboardOf, expectSound, fund, newInvestor } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, callApi, consoleOf, expectToast, phone, sample, tokenOf } from './support/people.ts'

/** What two admins decide. It counts for the whole firm: each journey has a demonstration of its own. */

test.describe('with two admins', () => {
  ownProduct('settings')

  test('[W-06, D7] settings change by two admins only, for what is asked for from then on', async ({
    browser,
  }) => {
    const page = await consoleOf(browser)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    const force = region(page, 'Current settings')
    await expect(force).toContainText('$10,000.00')
    await expectAccessible(page)
    const proposeLimit = async (limit: string, why: string) => {
      await page.getByRole('button', { name: 'Propose a change' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill(why)
      await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
      await expectToast(page, 'Nothing has been changed', 'error')
      await dialog.getByLabel('Withdrawals need two approvals above').fill(limit)
      await expectAccessible(page, 'the proposal')
      await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
      await expectToast(page, 'Proposed. Another admin must approve it')
      // The button that opened it is closed until that one is decided.
      await expect(region(page, 'Proposals')).toBeFocused()
    }
    await proposeLimit('25,000', 'Fewer delays')
    const closed = page.getByRole('button', { name: 'Propose a change' })
    await expect(closed).toBeDisabled()
    const wait = 'Withdraw your open proposal first, or wait until another admin decides it'
    await expect(closed).toHaveAccessibleDescription(wait)

    const other = await consoleOf(browser, { viewport: phone, who: 'second administrator' })
    await region(other, 'Proposals')
      .getByRole('link', { name: /^Settings/ })
      .click()
    const waiting = (words: string) =>
      region(other, 'Proposals').getByRole('listitem').filter({ hasText: words })
    await expect(region(other, 'Current settings')).toContainText('$10,000.00')
    await expect(other.getByRole('button', { name: 'Propose a change' })).toHaveAccessibleDescription(
      'Decide the open proposal first',
    )
    await expectAccessible(other)
    await waiting('Fewer delays')
      .getByRole('button', { name: /^Reject/ })
      .click()
    await other.getByRole('dialog').getByLabel('Reason').fill('Too much for one')
    await other.getByRole('dialog').getByRole('button', { name: 'Reject proposal' }).click()
    await expectToast(other, 'Proposal rejected')
    await expect(force).toContainText('$10,000.00')

    await proposeLimit('9,000', 'A little more care')
    await expect(waiting('A little more care')).toContainText('$10,000.00 → $9,000.00')
    await waiting('A little more care')
      .getByRole('button', { name: /^Approve/ })
      .click()
    await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
    await expectToast(other, 'Proposal approved')
    await expect(force).toContainText('$9,000.00')
  })

  test('[W-06, D7] investors read the minimum withdrawal, and that deposits are closed', async ({
    browser,
    request,
  }) => {
    const iris = await newInvestor(request)
    await fund(request, iris, 100)
    const page = await consoleOf(browser, { viewport: phone, path: '/admin/settings' })
    await page.getByRole('button', { name: 'Propose a change' }).click()
    const dialog = page.getByRole('dialog')
    const minimum = dialog.getByLabel('Minimum withdrawal')
    await minimum.fill('100.01')
    await dialog.getByLabel('Waiting time of new withdrawal addresses').fill('12')
    await dialog.getByLabel('Payment window').fill('61')
    await dialog.getByLabel('New deposits').selectOption('Closed')
    await dialog.getByLabel('Reason').fill('We return money only')
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    await expect(minimum).toHaveAccessibleDescription(/Enter an amount from \$0 to \$100/)
    await minimum.fill('20')
    await expect(dialog.getByLabel('Payment window')).toHaveAccessibleDescription(
      /Enter a whole number of minutes from 15 to 60/,
    )
    await dialog.getByLabel('Payment window').fill('30')
    await expectSound(page)
    await dialog.getByRole('button', { name: 'Propose', exact: true }).click()
    const proposal = region(page, 'Proposals')
      .getByRole('listitem')
      .filter({ hasText: 'We return money only' })
    await expect(proposal).toContainText('Waiting time of new withdrawal addressesNone → 12 hours')
    await expect(proposal).toContainText('None → $20.00')
    await expect(proposal).toContainText('Payment window15 minutes → 30 minutes')
    const other = await consoleOf(browser, { who: 'second administrator', path: '/admin/settings' })
    await region(other, 'Proposals')
      .getByRole('listitem')
      .filter({ hasText: 'We return money only' })
      .getByRole('button', { name: /^Approve/ })
      .click()
    await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
    await expect(region(page, 'Current settings')).toContainText('New depositsClosed')

    const own = await dashboardOf(browser, request, iris, { path: '/dashboard/deposit' })
    await expect(own.getByText('We are not accepting new deposits at present.')).toBeVisible()
    await expect(own.getByRole('button', { name: /^Fund now/ })).toHaveCount(0)
    await expectSound(own)
    await own.goto('/dashboard/new-investment')
    await expect(own.getByRole('radio', { name: /balance/ })).toBeVisible()
    await expect(own.getByRole('radio', { name: /Bitcoin/ })).toHaveCount(0)
    await own.goto('/dashboard/withdrawals')
    const amount = own.getByLabel('Amount (USD)')
    await expect(amount).toHaveAccessibleDescription(/From \$20, or all of it/)
    await amount.fill('19.99')
    await own.getByLabel('Wallet address').fill('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080')
    await own.getByRole('button', { name: 'Request withdrawal' }).click()
    await expectToast(own, 'Minimum withdrawal is $20, or your whole balance of $100.00', 'error')
    await own.getByRole('button', { name: 'Max: the whole available balance' }).click()
    await own.getByRole('button', { name: 'Request withdrawal' }).click()
    await expect(own.getByRole('dialog', { name: 'Confirm this withdrawal?' })).toBeVisible()
  })

  test('[W-06, A-03] while registration is closed, the page to register says so', async ({
    browser,
    request,
  }) => {
    const token = await tokenOf(request, sample('administrator'))
    const { values } = await callApi<{ values: object }>(request, 'GET', '/setting/get', { token })
    const body = { ...values, registrationOpen: false, reason: 'All plans are full' }
    const { proposal } = await callApi<{ proposal: string }>(request, 'POST', '/setting/propose', {
      token,
      body,
    })
    const visitor = await browserOf(browser, phone)
    await visitor.goto('/register')
    await expect(visitor.getByRole('button', { name: 'Register' })).toBeVisible()
    await asAdmin(request, `/proposal/approve/${proposal}`, {}, 'second administrator')
    await expect(async () => {
      await visitor.reload()
      await expect(visitor.getByRole('status')).toContainText('We are not opening new accounts at present.')
    }).toPass()
    await expect(visitor.getByRole('button', { name: 'Register' })).toHaveCount(0)
    await expectAccessible(visitor)
    const page = await consoleOf(browser, { path: '/admin/settings' })
    await expect(region(page, 'Current settings')).toContainText('Closed')
  })
})

test.describe('with one admin', () => {
  ownProduct('only-admin')

  test('[W-08] the only admin reads what cannot be done, and cannot propose it', async ({
    browser,
    request,
  }) => {
    const token = await tokenOf(request, sample('administrator'))
    const staff = await callApi<StaffMember[]>(request, 'GET', listStaff.path, { token })
    for (const { _id, email, role } of staff) {
      if (email === sample('administrator').email || !may(role, 'decide')) continue
      await asAdmin(request, `/staff/end/${_id}`, { reason: 'Has left the firm' })
    }
    const page = await consoleOf(browser, { viewport: phone })
    for (const path of ['/admin/settings', '/admin/staff']) {
      await page.goto(path)
      const words = region(page, 'Too few admins')
      await expect(words).toContainText('You are the only admin.')
      await expect(words).toContainText('withdrawals above $10,000.00 in 24 hours cannot be approved')
      await expectAccessible(page)
    }
    await expect(page.getByRole('button', { name: 'Reset two-factor access' })).toBeDisabled()
    await page.goto('/admin/settings')
    await expect(page.getByRole('button', { name: 'Propose a change' })).toBeDisabled()
  })
})
