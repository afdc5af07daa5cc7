import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessible.ts'
import { region } from './support/console.ts'
import { browserOf, callApi, consoleOf, expectToast, openAccount, phone, stranger } from './support/people.ts'

/** The newest email to an address whose subject matches, once it is there. */
async function emailTo(request: APIRequestContext, email: string, subject: RegExp): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => {
      const path = `/demo/mailbox?to=${encodeURIComponent(email)}`
      const emails = await callApi<{ subject: string; text: string }[]>(request, 'GET', path)
      found = emails.find(mail => subject.test(mail.subject))?.text
      return found
    })
    .toBeDefined()
  return found!
}

async function invitationLink(request: APIRequestContext, email: string): Promise<string> {
  const text = await emailTo(request, email, /^Your invitation to /)
  return /\/invitation#token=[\w-]+/.exec(text)![0]
}

/** Fills in the dialog of an invitation. */
async function invite(page: Page, person: { name: string; email: string }, role: string) {
  await page.getByRole('button', { name: 'Invite a team member' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a team member' })
  await dialog.getByLabel('Name').fill(person.name)
  await dialog.getByLabel('Email').fill(person.email)
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByLabel('Reason').fill('We need more hands')
  return dialog
}

const rowOf = (page: Page, table: string, words: string) =>
  page
    .getByRole('table', { name: `${table}, newest first` })
    .getByRole('row')
    .filter({ hasText: words })

test('[W-02, W-03, N-12] an invitee sets a password by email and works as staff until the role ends', async ({
  browser,
  request,
}) => {
  const page = await consoleOf(browser)
  await page.getByRole('link', { name: 'Staff', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Staff' })).toBeVisible()
  await expectAccessible(page)
  const person = stranger('Sina Support')
  const dialog = await invite(page, person, 'Support')
  await expectAccessible(page, 'the invitation')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await expectToast(page, 'Invitation sent')
  await expect(rowOf(page, 'Invitations', person.email)).toContainText('Margaret Osei')

  const invited = await browserOf(browser, phone)
  await invited.goto(await invitationLink(request, person.email))
  await expect(invited.getByLabel('Password', { exact: true })).toBeVisible()
  await expectAccessible(invited)
  await invited.getByLabel('Password', { exact: true }).fill(person.password)
  await invited.getByLabel('Confirm password').fill(person.password)
  await invited.getByRole('button', { name: 'Set password' }).click()
  await expectToast(invited, 'Welcome. Log in with your new password')
  await invited.waitForURL('**/login')
  await invited.getByLabel('Email').fill(person.email)
  await invited.getByLabel('Password', { exact: true }).fill(person.password)
  await invited.getByRole('button', { name: 'Log in' }).click()
  await invited.waitForURL('**/admin/home')
  await expect(invited.getByText(`${person.name} · Support`)).toBeVisible()

  await expect(rowOf(page, 'Staff', person.email)).toContainText('Support')
  await expect(rowOf(page, 'Invitations', person.email)).toHaveCount(0)
  await page.getByRole('button', { name: `Change role of ${person.name}` }).click()
  const change = page.getByRole('dialog')
  await change.getByLabel('Reason').fill('Moves to the auditors')
  // None is chosen beforehand: a press too many must make nobody an admin.
  await change.getByRole('button', { name: 'Change role' }).click()
  await expectToast(page, 'Choose the new role', 'error')
  await expect(change.getByLabel('Role')).toBeFocused()
  await change.getByLabel('Role').selectOption('Auditor')
  await expectAccessible(page, 'the change of a role')
  await change.getByRole('button', { name: 'Change role' }).click()
  await expectToast(page, 'Role changed')
  await invited.goto('/admin/home')
  await invited.waitForURL('**/login')

  await page.getByRole('button', { name: `End access of ${person.name}` }).click()
  const end = page.getByRole('dialog')
  await end.getByRole('button', { name: 'End access' }).click()
  await expectToast(page, 'Enter a reason. It is kept in the audit log', 'error')
  await end.getByLabel('Reason').fill('Has left the firm')
  await end.getByRole('button', { name: 'End access' }).click()
  await expectToast(page, 'Access ended')
  await expect(rowOf(page, 'Staff', person.email)).toContainText('Access ended')
  await invited.getByLabel('Email').fill(person.email)
  await invited.getByLabel('Password', { exact: true }).fill(person.password)
  await invited.getByRole('button', { name: 'Log in' }).click()
  await expectToast(invited, 'Your access has ended. Ask an admin.', 'error')
})

test('[W-02] a link of an invitation that is worth nothing says so in place of the form', async ({
  browser,
}) => {
  const page = await browserOf(browser, phone)
  await page.goto('/invitation')
  await expect(page.getByText('This link is not complete.')).toBeVisible()
  await page.goto('/invitation#token=nothing')
  await page.getByLabel('Password', { exact: true }).fill('correct-horse-9')
  await page.getByLabel('Confirm password').fill('correct-horse-9')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(
    page.getByText('This link was already used, was withdrawn or has expired.').first(),
  ).toBeVisible()
  await expectAccessible(page)
})

test('[W-04, N-12] a second decider is invited by two admins, not one', async ({ browser, request }) => {
  const page = await consoleOf(browser, { viewport: phone, path: '/admin/staff' })
  const person = stranger('Fred Finance')
  const dialog = await invite(page, person, 'Finance')
  await expect(dialog.getByText('Another admin must approve it.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  const own = region(page, 'Proposals').getByRole('listitem').filter({ hasText: person.email })
  await expect(own.getByRole('button')).toHaveText(['Withdraw'])
  await expectAccessible(page)

  const other = await consoleOf(browser, { who: 'second administrator', path: '/admin/staff' })
  const proposal = region(other, 'Proposals').getByRole('listitem').filter({ hasText: person.email })
  await proposal.getByRole('button', { name: `Approve the invitation of ${person.name}` }).click()
  const ask = other.getByRole('dialog')
  await expect(ask).toContainText('We need more hands')
  await expectAccessible(other, 'the approval')
  await ask.getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(other, 'Proposal approved')
  await expect(proposal).toContainText('Approved')
  // The other's open page hears of it.
  await expect(own).toContainText('Approved')
  await invitationLink(request, person.email)
  const row = rowOf(other, 'Invitations', person.email)
  await row.getByRole('button', { name: /^Withdraw/ }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('Not needed any more')
  await other.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' }).click()
  await expectToast(other, 'Invitation withdrawn')
  await expect(row).toHaveCount(0)
})

test('[W-05, N-12] lost second factors are reset by two admins; their owner reads of both steps', async ({
  browser,
  request,
}) => {
  const person = stranger('Lotte Lost')
  const token = await openAccount(request, person)
  await callApi(request, 'POST', '/auth/second-factor/begin', { token })
  const page = await consoleOf(browser, { path: '/admin/staff' })
  await page.getByRole('button', { name: 'Reset two-factor access' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Account email').fill(person.email)
  await dialog.getByLabel('Reason').fill('Came in person with her passport')
  await expectAccessible(page, 'the reset')
  await dialog.getByRole('button', { name: 'Propose the reset' }).click()
  await expectToast(page, 'Proposed. Another admin must approve it')
  await emailTo(request, person.email, /^A reset of your two-factor authentication was proposed$/)

  const other = await consoleOf(browser, {
    viewport: phone,
    who: 'second administrator',
    path: '/admin/staff',
  })
  const proposal = region(other, 'Proposals').getByRole('listitem').filter({ hasText: person.email })
  await proposal.getByRole('button', { name: /^Approve/ }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve proposal' }).click()
  await expectToast(other, 'Proposal approved')
  await emailTo(request, person.email, /^Your two-factor authentication was reset$/)
})
