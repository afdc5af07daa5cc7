import { expect, type Locator, type Page, test } from '@playwright/test'
import { openReceiver, type Receiver, verified } from '#test/support/receiver.ts'
import { investorWith, region } from './support/console.ts'
import { expectSound, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { callApi, consoleOf, expectToast, phone, sample, tokenOf } from './support/people.ts'

/** A program of the firm that is notified of events. It counts for the whole firm: the journey has a demonstration of its own. */
let receiver: Receiver

ownProduct('webhooks', {
  settings: async () => {
    receiver = await openReceiver()
    return { WEBHOOK_PRIVATE_HOSTS: receiver.host }
  },
})
test.afterAll(() => receiver?.close())

test('[I-02] two admins set up a webhook, whose program checks each message', async ({
  browser,
  request,
}) => {
  const page = await consoleOf(browser)
  await page.getByRole('navigation').getByRole('link', { name: 'Integrations' }).first().click()
  await expect(page.getByText('No webhooks yet')).toBeVisible()
  await expect(page.getByText('No deliveries yet')).toBeVisible()
  await propose(page)

  const other = await consoleOf(browser, {
    viewport: phone,
    who: 'second administrator',
    path: '/admin/integrations',
  })
  const waiting = region(other, 'Proposals').getByRole('listitem').filter({ hasText: 'Accounting' })
  await expect(waiting.first()).toContainText(receiver.url)
  await waiting
    .first()
    .getByRole('button', { name: /^Approve/ })
    .click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(other, 'Proposal approved')
  await expect(region(other, 'Webhooks')).toContainText('Approved, no secret yet')

  const secret = await secretFrom(page, 'Create secret')
  await expect(region(page, 'Webhooks')).toContainText('Active')
  await act(page, 'Send a test to Accounting', 'Send test event')
  await expect.poll(() => receiver.received.length).toBe(1)
  expect(verified(secret, receiver.received[0]!)).toMatchObject({ type: 'webhook.test', data: {} })

  const { person } = await investorWith(request, 150)
  await expect.poll(() => receiver.received.length).toBe(2)
  expect(verified(secret, receiver.received[1]!)).toMatchObject({
    type: 'deposit.approved',
    data: { requested: 150, credited: 150 },
  })
  expect(receiver.received[1]!.body).not.toContain(person.email)
  const deposit = row(page, 'A deposit was credited')
  await expect(deposit).toContainText('Delivered')
  await expect(deposit).toContainText('200 ok')
  await expectSound(page, widths)

  await failAndResume(page, request, secret)

  await act(page, /^Send again A deposit was credited, to Accounting, /, 'Send again', deposit)
  await expect.poll(() => receiver.received.length).toBe(5)
  expect(receiver.received[4]).toMatchObject({
    id: receiver.received[3]!.id,
    body: receiver.received[3]!.body,
  })

  const newSecret = await secretFrom(page, 'Replace secret')
  await expect(region(page, 'Webhooks')).toContainText('Former secret signs until')
  await act(page, 'Send a test to Accounting', 'Send test event')
  await expect.poll(() => receiver.received.length).toBe(6)
  for (const each of [secret, newSecret]) verified(each, receiver.received[5]!)

  await region(other, 'Webhooks').getByRole('button', { name: 'Stop Accounting' }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('The program is moved')
  await expectSound(other, widths)
  await other.getByRole('dialog').getByRole('button', { name: 'Stop webhook' }).click()
  await expectToast(other, 'Webhook stopped')
  await expect(region(page, 'Webhooks')).toContainText('Messages wait until an admin resumes it.')
  const token = await tokenOf(page.request, sample('administrator'))
  const [{ _id }] = await callApi<[{ _id: string }]>(page.request, 'GET', '/webhook/get-all', { token })
  await callApi(page.request, 'POST', `/webhook/test/${_id}`, { token })
  await expect(region(page, 'Deliveries').getByRole('row').nth(1)).toContainText(
    '0 attempts. Waits until an admin resumes the webhook',
  )
  await act(page, 'Resume Accounting', 'Resume webhook')
  await expect.poll(() => receiver.received.length).toBe(7)
  await expect(region(page, 'Webhooks')).toContainText('Active')

  await region(other, 'Webhooks').getByRole('button', { name: 'Remove Accounting' }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('No longer needed')
  await expectSound(other, widths)
  await other.getByRole('dialog').getByRole('button', { name: 'Remove webhook' }).click()
  await expectToast(other, 'Webhook removed')
  await expect(region(page, 'Webhooks').getByRole('listitem').first()).toContainText('Removed')
  await expect(region(page, 'Deliveries').getByRole('button', { name: /^Send again/ })).toHaveCount(0)
  await expectSound(other, widths)
})

async function propose(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Propose a webhook' }).click()
  const proposing = page.getByRole('dialog')
  const send = proposing.getByRole('button', { name: 'Propose', exact: true })
  await proposing.getByLabel('Name').fill('Accounting')
  await proposing.getByLabel('Address').fill('http://books.example.com/')
  await proposing.getByLabel('Reason').fill('Books deposits at once')
  await send.click()
  await expect(proposing.getByText('Choose at least one event')).toBeVisible()
  await proposing.getByLabel('A deposit was credited').check()
  await proposing.getByLabel('A withdrawal was requested').check()
  await send.click()
  await expect(proposing.getByText('Enter an address that begins with https://')).toBeVisible()
  await expectSound(page, widths)
  await proposing.getByLabel('Address').fill(receiver.url)
  await send.click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  await expect(region(page, 'Proposals')).toBeFocused()
}

/** Confirms an action in its dialog. */
async function act(page: Page, button: string | RegExp, confirm: string, within: Locator | Page = page) {
  await within.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Creates or replaces the secret and reads it. */
async function secretFrom(page: Page, action: string): Promise<string> {
  await region(page, 'Webhooks')
    .getByRole('button', { name: `${action} for Accounting` })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: action }).click()
  const shown = page.getByRole('dialog', { name: 'Save this secret' })
  const secret = (await shown.getByText(/^whsec_/).textContent())!
  await page.keyboard.press('Escape')
  await expect(shown.getByRole('alert')).toContainText('Have you saved the secret?')
  await expectSound(page, widths)
  await shown.getByRole('button', { name: 'I’ve saved the secret' }).click()
  return secret
}

function row(page: Page, words: string): Locator {
  return region(page, 'Deliveries').getByRole('row').filter({ hasText: words }).first()
}

/** The program is down: its message waits, in the log with its answer, and arrives once it is back. */
async function failAndResume(page: Page, request: Parameters<typeof investorWith>[0], secret: string) {
  receiver.state.status = 503
  receiver.state.answer = 'Down for maintenance'
  await investorWith(request, 200)
  await expect.poll(() => receiver.received.length).toBe(3)
  const webhook = region(page, 'Webhooks').getByRole('listitem').first()
  await expect(webhook).toContainText('Your program has accepted no message since')
  const failed = row(page, 'A deposit was credited')
  await expect(failed).toContainText('503 Down for maintenance')
  await expect(failed).toContainText('1 attempt, next')
  await region(page, 'Deliveries').getByLabel('Filter deliveries').selectOption('Waiting')
  await expect(region(page, 'Deliveries').getByRole('row')).toHaveCount(2)
  await expectSound(page, widths)
  receiver.state.status = 200
  receiver.state.answer = 'ok'
  await act(page, 'Try now Accounting', 'Try now')
  await expect(webhook).toBeFocused()
  await expect.poll(() => receiver.received.length).toBe(4)
  const [, , first, second] = receiver.received
  expect(second).toMatchObject({ id: first!.id, body: first!.body })
  expect(verified(secret, second!)).toMatchObject({ type: 'deposit.approved', data: { credited: 200 } })
  await expect(region(page, 'Deliveries')).toContainText('No deliveries match this search')
  await region(page, 'Deliveries').getByRole('button', { name: 'Show all deliveries' }).click()
  await expect(row(page, 'A deposit was credited')).toContainText('2 attempts')
  await expect(webhook).toContainText('Active')
}
