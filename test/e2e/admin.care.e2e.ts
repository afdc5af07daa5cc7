import { expect, test } from '@playwright/test'
import { investorInPlan, investorWith, openAct, payoutAddress, region, rowOf } from './support/console.ts'
import { expectSound } from './support/investor.ts'
import { callApi, consoleOf, daysAgo, deafConsoleOf, expectToast, sample, tokenOf } from './support/people.ts'

/** What an operator's slips, a lost connection or a keyboard must not break. */

const usdt = { method: 'usdt', amount: 250 }

test('[N-12, B-06] pressing the confirmation twice sends it once', async ({ browser, request }) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', usdt)
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  let sent = 0
  await page.route('**/api/deposit/approve/*', async route => {
    sent += 1
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Approve deposit' }).dblclick()
  await expectToast(page, 'Deposit approved')
  expect(sent).toBe(1)
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 250 })
})

test('[N-12, B-06] an act whose answer was lost is tried again under the same key and done once', async ({
  browser,
  request,
}) => {
  const { person, decide, read } = await investorInPlan(request)
  await decide('/return/new', {
    amount: 50,
    source: 'Licence fee',
    realisedAt: daysAgo(18),
    evidence: 'TX-2026-0003',
  })
  const page = await consoleOf(browser)
  const keys: (string | undefined)[] = []
  await page.route('**/api/earning/add/*', async route => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    // The server does it, and the answer never arrives.
    await route.fetch()
    await route.abort('connectionreset')
  })
  const users = region(page, 'Users')
  await users.getByRole('searchbox').fill(person.name)
  await users.getByRole('button', { name: `Add earnings for ${person.name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('5')
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, 'We cannot reach the server. Check your connection and try again', 'error')
  await dialog.getByRole('button', { name: 'Add earnings' }).click()
  await expectToast(page, 'Earnings added. A second person must approve them')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBeTruthy()
  expect(keys[1]).toBe(keys[0])
  expect(await read<unknown[]>('/earning/get-all-user')).toHaveLength(1)
})

test('[N-12, B-05] when two admins confirm the same, one acts and the other is informed', async ({
  browser,
  request,
}) => {
  const { ask, read } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', usdt)
  const admins = [await deafConsoleOf(browser), await deafConsoleOf(browser, { who: 'second administrator' })]
  const both = Promise.withResolvers<void>()
  let waiting = admins.length
  const answers: Promise<number>[] = []
  for (const page of admins) {
    const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
    await expect(dialog).toContainText('$250.00')
    // Neither request goes on before both are there.
    await page.route('**/api/deposit/approve/*', async route => {
      waiting -= 1
      if (waiting === 0) both.resolve()
      await both.promise
      await route.continue()
    })
    answers.push(page.waitForResponse('**/api/deposit/approve/*').then(answer => answer.status()))
  }
  await Promise.all(
    admins.map(page => page.getByRole('dialog').getByRole('button', { name: 'Approve deposit' }).click()),
  )
  const statuses = await Promise.all(answers)
  expect(statuses.toSorted()).toEqual([200, 409])
  const [first, second] = statuses[0] === 200 ? admins : admins.toReversed()
  await expectToast(second!, /This deposit is already paid/, 'error')
  await expect(rowOf(first!, 'Deposits', invoiceId)).toContainText('Paid')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 250 })
})

test('[N-12, S-04] what another admin has decided meanwhile is refused and changes nothing', async ({
  browser,
  request,
}) => {
  const { ask, decide, read } = await investorWith(request, 500)
  const withdrawal = await ask('/withdrawal/new', {
    amount: 100,
    wallet: 'Bitcoin (BTC)',
    walletAddress: payoutAddress,
  })
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Withdrawals', 'Approve', withdrawal.invoiceId)
  await decide(`/withdrawal/decline/${withdrawal._id}`, { reason: 'Asked for by phone' })
  await dialog.getByRole('button', { name: 'Approve withdrawal' }).click()
  await expectToast(page, /declined/, 'error')
  // For longer than its toast.
  await expect(dialog).toContainText('This withdrawal is already declined.')
  expect(await read<{ balance: number }>('/auth/me')).toMatchObject({ balance: 500 })
})

test('[N-12] an act is done by keyboard alone, and the focus never gets lost', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', usdt)
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('searchbox').focus()
  await page.keyboard.type(invoiceId)
  const approve = section.getByRole('button', { name: `Approve ${invoiceId}` })
  await expect(section.getByText('1 of 1')).toBeVisible()
  // The list's tools, then its table: headers, the row's tick, its links, its act.
  const stops = [
    section.getByRole('combobox', { name: 'Filter deposits' }),
    section.getByRole('button', { name: 'Filter and sort deposits' }),
    section.getByRole('button', { name: 'Columns of deposits' }),
    section.getByRole('button', { name: 'Export deposits as CSV' }),
    section.getByRole('checkbox', { name: 'Select all pending (1)' }),
    section.getByRole('button', { name: 'Amount', exact: true }),
    section.getByRole('button', { name: 'Payment method', exact: true }),
    section.getByRole('button', { name: 'Status', exact: true }),
    section.getByRole('checkbox', { name: `Select ${invoiceId}` }),
    section.getByRole('link', { name: invoiceId }),
    section.getByRole('cell').getByRole('link').last(),
    approve,
  ]
  for (const stop of stops) {
    await page.keyboard.press('Tab')
    await expect(stop).toBeFocused()
  }

  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(approve).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(dialog.locator(':focus')).toBeVisible()
  await page.keyboard.press('Shift+Tab')
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(dialog.getByRole('button', { name: 'Approve deposit' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expectToast(page, 'Deposit approved')
  await expect(rowOf(page, 'Deposits', invoiceId)).toContainText('Paid')
  await expect(section.locator('[data-focus-home]')).toBeFocused()
})

test('[N-12] the focus stays in a list whose last row was taken out of it by an act', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const { invoiceId } = await ask('/deposit/new', usdt)
  const page = await consoleOf(browser)
  const section = region(page, 'Deposits')
  await section.getByRole('combobox', { name: 'Filter deposits' }).selectOption('Pending')
  const dialog = await openAct(page, 'Deposits', 'Approve', invoiceId)
  await dialog.getByRole('button', { name: 'Approve deposit' }).click()
  await expectToast(page, 'Deposit approved')
  await expect(section.getByText('No deposits match this search.')).toBeVisible()
  await expect(section.locator('[data-focus-home]')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(section.getByRole('button', { name: 'Show all deposits' })).toBeFocused()
})

test('[N-12] the audit log finds every action with who, when, from where and why', async ({
  browser,
  request,
}) => {
  const { ask } = await investorWith(request, 0)
  const { _id, invoiceId } = await ask('/deposit/new', usdt)
  const page = await consoleOf(browser)
  const dialog = await openAct(page, 'Deposits', 'Decline', invoiceId)
  const reason = `Nothing arrived ${crypto.randomUUID().slice(0, 8)}`
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Decline deposit' }).click()
  await expectToast(page, 'Deposit declined')

  await page.goto('/admin/audit')
  await page.getByRole('searchbox').fill(reason)
  const { name } = await callApi<{ name: string }>(request, 'GET', '/auth/me', {
    token: await tokenOf(request, sample('administrator')),
  })
  const found = rowOf(page, 'Audit log', reason)
  await expect(found).toHaveCount(1)
  await expect(found).toContainText('Deposit declined')
  await expect(found).toContainText(name)
  await expect(found).toContainText('127.0.0.1')
  await expect(found.getByRole('link', { name })).toBeVisible()
  await expect(found).not.toContainText(_id)

  await page.getByRole('combobox').selectOption('Deposit approved')
  await expect(page.getByText('No entries match this search.')).toBeVisible()

  // Found by its number, it leads to the deposit.
  await page.getByRole('combobox').selectOption('Deposit declined')
  await page.getByRole('searchbox').fill(invoiceId)
  await found.getByRole('link', { name: invoiceId }).click()
  await expect(page).toHaveURL(`/admin/deposit?id=${_id}`)
  await expect(page.getByRole('heading', { level: 1, name: `Deposit ${invoiceId}` })).toBeVisible()
})

test('[N-14] a plan is changed in a new version, after what changes has been shown', async ({
  browser,
  request,
}) => {
  const page = await consoleOf(browser, { path: '/admin/plans' })
  const version = async () => {
    const plans = await callApi<{ name: string; version: number; note: string | null }[]>(
      request,
      'GET',
      '/plan/get-all',
    )
    return plans.find(plan => plan.name === 'Deluxe')!
  }
  const before = await version()
  const edit = async (note: string, changes: string) => {
    await page.getByRole('button', { name: 'Edit Deluxe' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Note on the card').fill(note)
    await expect(dialog.getByRole('status')).toContainText(changes)
    await dialog.getByLabel('Reason').fill('A test of the journey')
    await dialog.getByRole('button', { name: /^Create version/ }).click()
    await expectToast(page, 'Plan updated')
    await expect(dialog).toBeHidden()
  }
  await edit('Places are limited', 'Note')
  await expect(rowOf(page, 'Current plans', 'Deluxe')).toContainText('Places are limited')
  await expect(rowOf(page, 'Current plans', 'Deluxe')).toContainText(`Version ${before.version + 1}`)
  await edit(before.note ?? '', 'Places are limited →')
  expect(await version()).toMatchObject({ version: before.version + 2, note: before.note })

  await page.getByRole('button', { name: 'Edit Deluxe' }).click()
  await page.getByRole('button', { name: /^Create version/ }).click()
  await expectToast(page, 'Nothing has been changed', 'error')
})

test('[N-14, P-11] a contact message is read in the console, answered by email, and reopened', async ({
  browser,
  request,
}) => {
  const mark = crypto.randomUUID().slice(0, 8)
  const subject = `About the term ${mark}`
  const email = `vera.${mark}@example.com`
  await callApi(request, 'POST', '/contact/new', {
    body: { name: 'Vera Visitor', email, subject, message: 'Two lines,\nboth kept.' },
  })
  const page = await consoleOf(browser)
  await page.getByRole('link', { name: 'Review: messages to answer' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Messages' })).toBeVisible()
  await page.getByRole('searchbox').fill(subject)
  await expect(page.getByRole('heading', { level: 2, name: subject })).toBeVisible()
  await expect(page.getByText('1 of 1')).toBeVisible()
  await expect(page.getByText('Two lines,')).toBeVisible()
  await expect(page.getByRole('link', { name: email })).toBeVisible()
  await expectSound(page)

  await page.getByRole('button', { name: `Reply to '${subject}'` }).click()
  const dialog = page.getByRole('dialog')
  await expectSound(page)
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Enter a reply', 'error')
  await dialog.getByLabel('Reply').fill('One term is thirty days.')
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expectToast(page, 'Reply sent')
  // Only open ones are on show.
  await expect(page.getByText('No messages match this search.')).toBeVisible()
  await expect
    .poll(async () => {
      const mails = await callApi<{ subject: string; text: string }[]>(
        request,
        'GET',
        `/demo/mailbox?to=${email}`,
      )
      return mails.map(mail => mail.subject)
    })
    .toEqual([expect.stringMatching(/^Our reply to your message of /)])

  await page.getByRole('combobox', { name: 'Filter messages' }).selectOption('Answered')
  await page.getByRole('button', { name: `History of '${subject}'` }).click()
  await expect(dialog.getByText('One term is thirty days.')).toBeVisible()
  await expectSound(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Reopen '${subject}'` }).click()
  await dialog.getByLabel('Reason').fill('She asked more')
  await dialog.getByRole('button', { name: 'Reopen' }).click()
  await expectToast(page, 'Message reopened')
})
