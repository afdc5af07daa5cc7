import { beforeAll, expect, test } from 'vitest'
import { newId } from '#server/platform/id.ts'
import { proposeApiKey } from '#shared/contract/api-keys.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { newPayout } from '#shared/contract/payouts.ts'
import { proposeWebhook } from '#shared/contract/webhooks.ts'
import { maximumPayouts } from '#shared/limits.ts'
import { openWorld, type World } from '#test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

type Sent = { accept?: string; body?: object | string; url?: string }

async function answerTo({ accept, body = {}, url = '/api/auth/password/forgot' }: Sent) {
  const { payload } = await world.app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      ...(accept === undefined ? {} : { 'accept-language': accept }),
    },
    payload: body,
  })
  return JSON.parse(payload) as { message: string; code?: string; fields?: Record<string, string> }
}

const login = { url: '/api/auth/login', body: { email: 'nobody@example.com', password: 'not-the-password' } }

test('a caller with German first gets every kind of answer in German', async () => {
  const accept = 'de-CH, en;q=0.5'
  const invalid = await answerTo({ accept, body: { email: 'no address' } })
  expect(invalid).toMatchObject({
    code: 'invalid_input',
    message: 'Geben Sie eine gültige E-Mail-Adresse ein',
  })
  expect(invalid.fields).toEqual({ email: invalid.message })
  expect(await answerTo({ ...login, accept })).toMatchObject({
    code: 'invalid_credentials',
    message: 'E-Mail-Adresse oder Passwort falsch',
  })
  expect((await answerTo({ accept, url: '/api/nothing' })).message).toBe(
    'Diesen Aufruf gibt es nicht; siehe /api/docs',
  )
  expect((await answerTo({ accept, body: '{"email":' })).message).toBe('Die Anfrage ist kein gültiges JSON')
  expect((await answerTo({ accept, body: { email: 'nobody@example.com' } })).message).toBe(
    'Falls diese E-Mail-Adresse zu einem Konto gehört, ist ein Link zum Festlegen eines neuen Passworts unterwegs',
  )
})

test('a message that names a field or a number is one sentence in the language', async () => {
  const contact = { url: '/api/contact/new', body: { email: 'a@example.com', subject: 'S', message: 'M' } }
  expect((await answerTo({ ...contact, accept: 'es' })).message).toBe('El campo «Nombre» es obligatorio')
  const long = { ...contact, body: { ...contact.body, name: 'n'.repeat(121) } }
  expect((await answerTo({ ...long, accept: 'de' })).message).toBe(
    'Das Feld „Name“ darf höchstens 120 Zeichen haben',
  )
})

test('wrong addresses and too many payouts are refused in the language', async () => {
  const refused = async (call: CallDefinition, body: Record<string, unknown>) =>
    (await world.call(call, world.admin, { body }, { language: 'de' })).message
  const integration = { name: 'Books', reason: 'For our accountants' }
  const key = { ...integration, rights: ['books'], addresses: ['203.0.0.0/4'], until: '2027-01-31' }
  expect(await refused(proposeApiKey, key)).toMatch(/^Geben Sie IP-Adressen oder -Bereiche wie 203.0.113.7 /)
  const webhook = { ...integration, url: 'ftp://example.com', events: ['withdrawal.paid'] }
  expect(await refused(proposeWebhook, webhook)).toMatch(/^Geben Sie eine Adresse wie https:/)
  const withdrawals = Array.from({ length: maximumPayouts + 1 }, () => newId(new Date()))
  expect(await refused(newPayout, { wallet: 'Bitcoin (BTC)', withdrawals })).toBe(
    `Ein Stapel umfasst höchstens ${maximumPayouts} Auszahlungen`,
  )
})

test.each([undefined, 'fr', '*', 'de;q=0'])(
  'a caller who prefers %s is answered in English',
  async accept => {
    const sent = accept === undefined ? {} : { accept }
    expect((await answerTo({ ...login, ...sent })).message).toBe('Incorrect email or password')
  },
)

test('the most preferred of our languages wins', async () => {
  expect((await answerTo({ ...login, accept: 'de;q=0.4, ar;q=0.9, fr' })).message).toBe(
    'البريد الإلكتروني أو كلمة المرور غير صحيحة',
  )
})

test('requests in two languages at the same time are each answered in their own', async () => {
  const answers = await Promise.all(
    ['de', 'en', 'es', 'de', 'en'].map(accept => answerTo({ accept, body: { email: '' } })),
  )
  expect(answers.map(({ message }) => message)).toEqual([
    'Die E-Mail-Adresse ist erforderlich',
    'Email is required',
    'El correo electrónico es obligatorio',
    'Die E-Mail-Adresse ist erforderlich',
    'Email is required',
  ])
})
