import { beforeAll, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import * as call from '#shared/contract/accounts.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { type Accounts, openAccounts } from '#test/support/accounts.ts'

let accounts: Accounts

beforeAll(async () => {
  accounts = await openAccounts()
})

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

type Registered = Awaited<ReturnType<Accounts['register']>>

async function notificationsOf({ answer }: Registered) {
  const { data } = await accounts.call(listNotifications, null, {}, { token: answer.data.token.accessToken })
  return data.map(({ kind, text, details, subject }) => ({ kind, text, details, subject }))
}

const subjectsTo = async (email: string) => (await accounts.emailsTo(email)).map(({ subject }) => subject)
const newDevice = 'New login to your account'

/** Logs in with its own user agent and IP address; returns the access token. */
async function logIn(
  { email, password }: Registered,
  device?: string,
  userAgent = firefox,
  remoteAddress = '192.0.2.44',
): Promise<string> {
  const response = await accounts.app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'user-agent': userAgent },
    remoteAddress,
    payload: { email, password, ...(device === undefined ? {} : { device }) },
  })
  expect(response.statusCode).toBe(200)
  return response.json().data.token.accessToken
}

test('[L-08] notifies a login on a new device once, naming the device', async () => {
  const own = 'browser-of-the-owner'
  const person = await accounts.register('Nadia', { device: own })
  await logIn(person, own)
  expect(await notificationsOf(person)).toEqual([])
  await logIn(person, 'browser-of-someone')
  await logIn(person, 'browser-of-someone')
  expect(await notificationsOf(person)).toEqual([
    {
      kind: 'session.opened',
      text: expect.stringMatching(
        /on a new device: Firefox on Linux, address 192\.0\.2\.44, \d+ \w+ 20\d\d, \d\d:\d\d UTC\./,
      ),
      details: [expect.stringContaining('Change your password now')],
      subject: null,
    },
  ])
  expect((await subjectsTo(person.email)).filter(subject => subject === newDevice)).toHaveLength(1)
  const email = (await accounts.emailsTo(person.email)).find(({ subject }) => subject === newDevice)
  expect(email?.text).toContain('about the security of your account and cannot be turned off')
})

test('[L-08] recognises a program by its user agent, whatever its version', async () => {
  const person = await accounts.register('Prog')
  await logIn(person)
  expect(await notificationsOf(person)).toHaveLength(1)
  await logIn(person, undefined, firefox.replaceAll('140.0', '141.0.2'))
  expect(await notificationsOf(person)).toHaveLength(1)
  await logIn(person, undefined, 'curl/8.5.0')
  expect((await notificationsOf(person))[0]?.text).toContain('an unknown browser, address')
})

test('[L-08, A-12] a browser that logged out is not a new device at its next login', async () => {
  const person = await accounts.register('Luca', { device: 'browser-of-the-owner' })
  const token = await logIn(person, 'browser-of-the-owner')
  await accounts.call(call.logout, null, {}, { token, ip: '192.0.2.44' })
  await logIn(person, 'the-same-browser-afterwards', firefox.replaceAll('140.0', '141.0.2'))
  expect(await notificationsOf(person)).toEqual([])
  await logIn(person, 'browser-of-someone', firefox, '198.51.100.7')
  expect(await notificationsOf(person)).toHaveLength(1)
  await logIn(person, 'another-browser-here', 'Mozilla/5.0 (Macintosh) Safari/605.1')
  expect(await notificationsOf(person)).toHaveLength(2)
})

test('[L-08] a browser with a device id is not taken for a known program', async () => {
  const person = await accounts.register('Pam')
  await logIn(person)
  await logIn(person, 'browser-of-someone')
  expect(await notificationsOf(person)).toHaveLength(2)
})

test('[L-08] a device is new again once its sessions are removed; notifications stay', async () => {
  const own = 'browser-of-the-owner'
  const person = await accounts.register('Absent', { device: own })
  await logIn(person, 'browser-of-someone')
  await accounts.owner(`
    DELETE FROM app.sessions WHERE user_id = (SELECT id FROM app.users WHERE email = '${person.email}')`)
  expect((await notificationsOf(person)).map(({ text }) => text)).toEqual(['New login to your account.'])
  await logIn(person, own)
  expect((await notificationsOf(person))[0]?.text).toContain('on a new device: Firefox on Linux')
})

test('[L-08] notifies a changed password', async () => {
  const person = await accounts.register('Chan')
  const token = person.answer.data.token.accessToken
  const body = { oldPassword: person.password, newPassword: 'brand new words' }
  await accounts.call(call.changePassword, null, { body }, { token })
  expect((await notificationsOf(person)).map(({ kind, subject }) => [kind, subject])).toEqual([
    ['password.changed', null],
  ])
  expect(await subjectsTo(person.email)).toContain('Your password was changed')
  const { text } = (await accounts.emailsTo(person.email)).at(-1)!
  expect(text).toMatch(/Set a new password:\s+https?:\S+\/forgot-password\s/)
})

test('[L-08, A-16] notifies the old address when a change is requested and confirmed', async () => {
  const person = await accounts.register('Adele')
  const token = person.answer.data.token.accessToken
  const email = accounts.newEmail()
  const body = { name: 'Adele', email, phone: '+61 2 1234 5678', country: 'Australia' }
  await accounts.call(call.updateProfile, null, { body }, { token })
  expect((await notificationsOf(person)).map(({ kind }) => kind)).toEqual(['email.requested'])
  const verify = { body: { otp: await accounts.codeOf(email), email } }
  await accounts.call(call.verifyEmail, null, verify, { token })
  expect((await notificationsOf(person)).map(({ kind }) => kind)).toEqual([
    'email.changed',
    'email.requested',
  ])
  const subjects = ['A change of your email address was requested', 'Your email address was changed']
  expect((await subjectsTo(person.email)).slice(-2)).toEqual(subjects)
  expect(await subjectsTo(email)).toEqual([expect.stringContaining('is your verification code')])
  // The old address can no longer reset the password, but can still contact the firm.
  const last = (await accounts.emailsTo(person.email)).at(-1)!.text
  const words = last.replace(/\s+/g, ' ')
  expect(words).toContain("Wasn't you? Contact us now")
  expect(words).toContain(`You can reach us at ${sampleFirm.supportEmail}.`)
  expect(words).not.toContain('Set a new password')
})

test('[L-08] a refresh token that is used twice ends its session, notified once', async () => {
  const person = await accounts.register('Reuben')
  const { refreshToken } = person.answer.data.token
  const renew = () => accounts.call(call.refresh, null, { body: { refreshToken } })
  const uses = await Promise.all(Array.from({ length: 5 }, renew))
  expect(uses.filter(({ status }) => status === 200)).toHaveLength(1)
  const again = await accounts.call(call.login, null, { body: person })
  const { data } = await accounts.call(listNotifications, null, {}, { token: again.data.token.accessToken })
  expect(data.map(({ kind }) => kind)).toEqual(['session.reused'])
  expect((await subjectsTo(person.email)).at(-1)).toBe('We logged you out on one device')
})
