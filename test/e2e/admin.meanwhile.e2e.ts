import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import type { WrittenStatistic } from '#shared/contract/firm.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Invoice, investorWith, openAct, payoutAddress, region, rowOf } from './support/console.ts'
import { widths } from './support/investor.ts'
import { callApi, consoleOf, daysAgo, expectToast, sample, tokenOf } from './support/people.ts'

/** What others do while a dialog of the console is open. */

const mark = () => crypto.randomUUID().slice(0, 8)

/** Content behind a dialog is inert, with no roles to query: the test reads its plain text. */
const behind = (page: Page, words: string) => page.locator('main').getByText(words)

async function bySecondAdmin(request: APIRequestContext) {
  const token = await tokenOf(request, sample('second administrator'))
  return {
    read: <T>(path: string) => callApi<T>(request, 'GET', path, { token }),
    post: <T>(path: string, body: unknown) => callApi<T>(request, 'POST', path, { token, body }),
    put: (path: string, body: unknown) => callApi(request, 'PUT', path, { token, body }),
  }
}

/** Sends the edit that was begun before another admin saved theirs: it is refused in words that stay. */
async function expectRefused(page: Page, what: string, edit: string) {
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('status')).toContainText(edit)
  await dialog.getByLabel('Reason').fill('Begun before the other')
  await dialog.getByRole('button', { name: /^Create version/ }).click()
  const words = `Someone else has just changed this ${what}. Reload and try again.`
  await expectToast(page, words, 'error')
  await expect(dialog.locator('form').getByText(words)).toBeVisible()
  await expectAccessible(page, `an edit of a ${what} that came too late`)
}

test('[N-06] a press counts although a new record moves its row from under the pointer', async ({
  browser,
  request,
}) => {
  const { person, ask } = await investorWith(request, 0)
  const request410 = await ask('/deposit/new', { method: 'usdt', amount: 410 })
  const page = await consoleOf(browser)
  await region(page, 'Deposits').getByRole('searchbox').fill(person.email)
  await expect(region(page, 'Deposits').getByText('1 of 1')).toBeVisible()
  const approve = region(page, 'Deposits').getByRole('button', { name: `Approve ${request410.invoiceId}` })
  await approve.hover()
  await page.mouse.down()
  await ask('/deposit/new', { method: 'usdt', amount: 420 })
  await expect(rowOf(page, 'Deposits', '$420.00')).toBeVisible()
  await page.mouse.up()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(request410.invoiceId)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()

  // A person who moves away before the release takes it back.
  await approve.hover()
  await page.mouse.down()
  await page.mouse.move(0, 0)
  await page.mouse.up()
  await expect(dialog).toBeHidden()
})

test('[N-14, S-04] a plan that somebody else changes while it is edited is not overwritten', async ({
  browser,
  request,
}) => {
  const { post, put, read } = await bySecondAdmin(request)
  const terms = {
    name: `Meanwhile ${mark()}`,
    percentage: 2,
    minimum: 500,
    maximum: null,
    duration: '90 days',
    durationDays: 90,
  }
  const { _id } = await post<Invoice>('/plan/new', { ...terms, note: null, reason: 'For a journey' })
  const page = await consoleOf(browser, { path: '/admin/plans' })
  await page.getByRole('button', { name: `Edit ${terms.name}` }).click()
  await page.getByRole('dialog').getByLabel('Minimum').fill('750')
  const note = `Theirs ${mark()}`
  await put(`/plan/${_id}`, { ...terms, note, version: 1, reason: 'Theirs' })
  await expect(behind(page, note)).toBeAttached()
  await expectRefused(page, 'plan', '$500.00 → $750.00')
  const plans = await read<{ _id: string; minimum: number; note: string }[]>('/plan/get-all')
  expect(plans.find(plan => plan._id === _id)).toMatchObject({ minimum: 500, note })
  await post(`/plan/retire/${_id}`, { reason: 'The journey is over' })
})

test('[N-14, S-04] a figure that somebody else changes while it is edited is not overwritten', async ({
  browser,
  request,
}) => {
  const { post, put, read } = await bySecondAdmin(request)
  const source = 'Lease register'
  const figure = {
    label: `Rooms ${mark()}`,
    value: '3',
    source,
    evidence: 'REF-1',
    asOf: daysAgo(145),
    reason: 'For a journey',
  }
  const { _id } = await post<Invoice>('/statistic/new', figure)
  const page = await consoleOf(browser, { path: '/admin/statistics' })
  await page.getByRole('button', { name: `Edit ${figure.label}` }).click()
  await page.getByRole('dialog').getByLabel('Value').fill('5')
  const theirs = `${source}, ${mark()}`
  await put(`/statistic/${_id}`, { ...figure, source: theirs, version: 1 })
  await expect(behind(page, theirs)).toBeAttached()
  await expectRefused(page, 'figure', '3 → 5')
  const { written } = await read<{ written: WrittenStatistic[] }>('/statistic/get-all')
  expect(written.find(one => one._id === _id)).toMatchObject({ value: '3', source: theirs })
  await post(`/statistic/retire/${_id}`, { reason: 'The journey is over' })
})

test('[N-14, S-04] the profile that somebody else changes while it is edited is not overwritten', async ({
  browser,
  request,
}) => {
  const { put, read } = await bySecondAdmin(request)
  const latest = async () =>
    (await read<{ version: number; profile: FirmProfile }[]>('/firm/get-all?limit=1'))[0]!
  const { version, profile } = await latest()
  const page = await consoleOf(browser, { path: '/admin/firm' })
  await page.getByRole('button', { name: 'Edit profile' }).click()
  const mine = `${mark()} Own Street`
  await page.getByRole('dialog').getByLabel('Street address').fill(mine)
  const theirs = { ...profile, streetAddress: `${mark()} Other Street, Sydney` }
  await put('/firm/update', { ...theirs, version, reason: 'Theirs' })
  try {
    await expect(behind(page, theirs.streetAddress).first()).toBeAttached()
    await expectRefused(page, 'profile', mine)
    expect((await latest()).profile).toEqual(theirs)
  } finally {
    await put('/firm/update', { ...profile, version: version + 1, reason: 'The journey is over' })
  }
})

test('[N-12, L-01] a reason being typed stays when another admin decides, with the outcome', async ({
  browser,
  request,
}) => {
  const { ask, decide } = await investorWith(request, 500)
  const { _id, invoiceId } = await ask('/withdrawal/new', {
    amount: 100,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser, { path: '/admin/home?withdrawals=pending' })
  const dialog = await openAct(page, 'Withdrawals', 'Decline', invoiceId)
  const reason = 'The address belongs to somebody else'
  await dialog.getByLabel('Reason').fill(reason)
  await decide(`/withdrawal/approve/${_id}`)
  await expect(behind(page, 'No withdrawals match this search.')).toBeAttached()
  await expect(dialog.getByLabel('Reason')).toHaveValue(reason)
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await dialog.getByRole('button', { name: 'Decline withdrawal' }).click()
  await expect(dialog.locator('form')).toContainText('This withdrawal is already approved.')
  await expectAccessible(page, 'decided by somebody else', widths)

  // The first one warns, because a reason was typed.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  // Its button is gone: the focus is where it was.
  await expect(region(page, 'Withdrawals').locator('[data-focus-home]')).toBeFocused()
})

test('[N-14, L-01] a reply being typed stays when another admin marks the message, and is sent', async ({
  browser,
  request,
}) => {
  const { post, read } = await bySecondAdmin(request)
  const subject = `About a fee ${mark()}`
  const email = `vera.${mark()}@example.com`
  await callApi(request, 'POST', '/contact/new', {
    body: { name: 'Vera Visitor', email, subject, message: 'Is there a fee?' },
  })
  const [message] = await read<{ _id: string }[]>(`/contact/get-all?q=${encodeURIComponent(subject)}`)
  const page = await consoleOf(browser, {
    path: `/admin/messages?status=open&q=${encodeURIComponent(subject)}`,
  })
  await page.getByRole('button', { name: `Reply to '${subject}'` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reply').fill('There is none.')
  await post(`/contact/answered/${message!._id}`, { note: 'By phone' })
  await expect(behind(page, 'No messages match this search.')).toBeAttached()
  await expect(dialog.getByLabel('Reply')).toHaveValue('There is none.')
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Reply sent')
  await expect(dialog).toBeHidden()
  await expect(page.locator('main [data-focus-home]')).toBeFocused()
})

test('[N-12] an open dialog goes with its page', async ({ browser, request }) => {
  const { ask } = await investorWith(request, 0)
  const { _id, invoiceId } = await ask('/deposit/new', { method: 'usdt', amount: 250 })
  const page = await consoleOf(browser)
  await region(page, 'Deposits').getByRole('searchbox').fill(invoiceId)
  await region(page, 'Deposits').getByRole('link', { name: invoiceId }).click()
  await expect(page).toHaveURL(`/admin/deposit?id=${_id}`)
  // The address changes before its page is there, and the list's row has the same button.
  await expect(page.getByRole('heading', { level: 1 })).toContainText(invoiceId)
  await page.getByRole('button', { name: `Decline ${invoiceId}` }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.goBack()
  await expect(region(page, 'Deposits')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('[N-06, N-08] results of several approvals stay visible when the list is empty', async ({
  browser,
  request,
}) => {
  const { person, ask } = await investorWith(request, 0, 'Bulk Bruno')
  for (const amount of [110, 220]) await ask('/deposit/new', { method: 'usdt', amount })
  const page = await consoleOf(browser, {
    path: `/admin/home?deposits=pending&deposits-q=${encodeURIComponent(person.email)}`,
  })
  const deposits = region(page, 'Deposits')
  await deposits.getByRole('checkbox', { name: 'Select all pending (2)' }).check()
  await deposits.getByRole('button', { name: 'Approve 2 deposits' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve 2 deposits' }).click()
  await expect(behind(page, 'No deposits match this search.')).toBeAttached()
  const over = page.getByRole('dialog', { name: '2 deposits approved' })
  await expect(over.getByText('Done', { exact: true })).toHaveCount(2)
  await expectAccessible(page, 'all of a list approved', widths)
  await page.keyboard.press('Escape')
  await expect(over).toBeHidden()
  await expect(deposits.locator('[data-focus-home]')).toBeFocused()
})

test('[N-04, D5] of several investments those only are approved together that the balance pays', async ({
  browser,
  request,
}) => {
  const { person, ask, read } = await investorWith(request, 1000, 'Both Bianca')
  const plan = 'Beginner'
  const held = await ask('/investment/new', { method: 'balance', plan, amount: 600 })
  const byCoin = await ask('/investment/new', { method: 'usdt', plan, amount: 700 })
  const page = await consoleOf(browser)
  const investments = region(page, 'Investments')
  await investments.getByRole('searchbox').fill(person.email)
  await expect(investments.getByText('2 of 2')).toBeVisible()
  await expect(investments.getByRole('button', { name: `Approve ${byCoin.invoiceId}` })).toBeEnabled()
  await investments.getByRole('checkbox', { name: 'Select all pending (2)' }).check()
  await expect(investments.getByRole('button', { name: 'Decline 2 investments' })).toBeEnabled()
  await expectAccessible(page, 'investments to choose')
  await investments.getByRole('button', { name: 'Approve 1 investment' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Approve crypto payments one by one')
  await expect(dialog.getByRole('listitem')).toHaveText(new RegExp(held.invoiceId))
  await dialog.getByRole('button', { name: 'Approve 1 investment' }).click()
  await expectToast(page, 'Investment approved')
  const own = await read<{ _id: string; status: string }[]>('/investment/get-all-user')
  expect(own.find(({ _id }) => _id === byCoin._id)?.status).toBe('pending')
  expect(own.find(({ _id }) => _id === held._id)?.status).toBe('active')
})

test("[N-12, D7] what is one's own is not offered to be decided, nor one's own account", async ({
  browser,
  request,
}) => {
  const token = await tokenOf(request, sample('finance'))
  const body = { method: 'usdt', amount: 250 }
  const { _id, invoiceId } = await callApi<Invoice>(request, 'POST', '/deposit/new', { token, body })
  const page = await consoleOf(browser, { who: 'finance' })
  const deposits = region(page, 'Deposits')
  await deposits.getByRole('searchbox').fill(invoiceId)
  const approve = deposits.getByRole('button', { name: `Approve ${invoiceId}` })
  await expect(approve).toBeDisabled()
  await expect(approve).toHaveAttribute('title', 'You cannot decide about your own record')
  await expect(deposits.getByRole('checkbox')).toHaveCount(0)
  // Declining moves no money to the admin.
  await (await openAct(page, 'Deposits', 'Decline', invoiceId)).getByLabel('Reason').fill('A trial')
  await page.getByRole('dialog').getByRole('button', { name: 'Decline deposit' }).click()
  await expectToast(page, 'Deposit declined')

  const admin = await tokenOf(request, sample('administrator'))
  const me = await callApi<{ _id: string; name: string }>(request, 'GET', '/auth/me', { token: admin })
  const own = await consoleOf(browser, { path: `/admin/user?id=${me._id}` })
  await expect(own.getByRole('button', { name: `Freeze ${me.name}` })).toBeDisabled()
  await expect(own.getByRole('button', { name: 'End all sessions' })).toBeDisabled()
  await expectAccessible(own, "one's own account")
  const deposit = await callApi<{ status: string }>(request, 'GET', `/deposit/get-one/${_id}`, { token })
  expect(deposit.status).toBe('declined')
})
