import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { StartupFault } from '#server/platform/startup-fault.ts'
import { environmentSchema, loadConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'probity-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const example = readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8')
const live = {
  MODE: 'live',
  PUBLIC_URL: 'https://invest.example.com/',
  DATABASE_URL: 'postgres://app:secret@db.example.com/probity',
  TOKEN_SECRET: 'x'.repeat(32),
  SMTP_URL: 'smtp://mail.example.com:25',
  MAIL_FROM: 'noreply@example.com',
  PAYMENT_ADDRESS_BITCOIN: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  FIRM_LEGAL_NAME: 'Example Capital Pty Ltd',
  FIRM_REGISTRATION_NUMBER: 'ACN 000 000 000',
  FIRM_UNREGULATED_STATEMENT: 'Not regulated.',
  FIRM_STREET_ADDRESS: '1 Example Street, Sydney',
  FIRM_SUPPORT_EMAIL: 'support@example.com',
  FIRM_JURISDICTIONS: 'Australia',
  FIRM_RISK_STATEMENT: 'You may lose the money you invest.',
  FIRM_FOUNDED_YEAR: '2019',
  FIRM_ONLINE_SINCE: '2021',
}

function faultOf(environment: NodeJS.ProcessEnv): StartupFault {
  try {
    loadConfig({ DATA_DIR: folder, ...environment })
  } catch (error) {
    if (error instanceof StartupFault) return error
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('configuration', () => {
  test('an empty environment is the demonstration on port 3000, with a secret that stays', () => {
    const config = loadConfig({ DATA_DIR: folder })
    expect(config).toMatchObject({
      mode: 'demo',
      host: '127.0.0.1',
      port: 3000,
      database: null,
      firm: null,
      rateLimit: true,
    })
    expect(config.tokenSecret).toHaveLength(64)
    expect(loadConfig({ DATA_DIR: folder }).tokenSecret).toBe(config.tokenSecret)
  })

  test('[P-13] a live chat is a provider and its id: the chat’s own page, on an origin of its own', () => {
    const chat = (LIVE_CHAT_PROVIDER: string, LIVE_CHAT_ID: string) =>
      loadConfig({ DATA_DIR: folder, LIVE_CHAT_PROVIDER, LIVE_CHAT_ID }).liveChat
    expect(loadConfig({ DATA_DIR: folder }).liveChat).toBeNull()
    expect(chat('crisp', 'e93e073a-1f69-4cbc-8934-f9e1611e65bb')).toEqual({
      provider: 'Crisp',
      frame: 'https://go.crisp.chat/chat/embed/?website_id=e93e073a-1f69-4cbc-8934-f9e1611e65bb',
    })
    expect(chat('tawk', '5a1b2c3d4e5f60718293a4b5/1fuoet6bd')).toEqual({
      provider: 'tawk.to',
      frame: 'https://tawk.to/chat/5a1b2c3d4e5f60718293a4b5/1fuoet6bd',
    })
  })

  test.each([
    [{ LIVE_CHAT_PROVIDER: 'crisp' }, 'LIVE_CHAT_ID: is missing beside LIVE_CHAT_PROVIDER'],
    [{ LIVE_CHAT_ID: 'x' }, 'LIVE_CHAT_PROVIDER: is missing beside LIVE_CHAT_ID'],
    [{ LIVE_CHAT_PROVIDER: 'mine', LIVE_CHAT_ID: 'x' }, 'LIVE_CHAT_PROVIDER: must be crisp or tawk'],
    [
      { LIVE_CHAT_PROVIDER: 'crisp', LIVE_CHAT_ID: 'https://evil.example' },
      "LIVE_CHAT_ID: must be Crisp's Website ID, like e93e073a-1f69-4cbc-8934-f9e1611e65bb",
    ],
    [
      { LIVE_CHAT_PROVIDER: 'tawk', LIVE_CHAT_ID: '5a1b2c3d4e5f60718293a4b5/../..' },
      "LIVE_CHAT_ID: must be property and widget of tawk.to's Direct Chat Link, like 5a1b2c3d4e5f60718293a4b5/1fuoet6bd",
    ],
  ])('[P-13] a live chat that cannot be is told: %j', (environment, message) => {
    const { message: told, exitCode } = faultOf(environment)
    expect(told.split('\n').filter(line => line.includes('LIVE_CHAT'))).toEqual([`  ${message}`])
    expect(exitCode).toBe(78)
  })

  test('.env.example names every variable and no other, and shows the defaults', () => {
    const shown = parseEnv(example)
    expect(Object.keys(shown).sort()).toEqual(Object.keys(environmentSchema.shape).sort())
    const given = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== ''))
    expect(environmentSchema.parse(given)).toEqual(environmentSchema.parse({}))
  })

  test('all faults are reported at once, each with its variable, and end the start with 78', () => {
    const fault = faultOf({ PORT: 'x', USDT_RATE: '-1', MODE: 'lve', SMTP_URL: 'mail.example.com' })
    expect(fault.exitCode).toBe(78)
    expect(fault.message).toContain('\n  PORT: must be a whole number from 0 to 65535\n')
    expect(fault.message).toContain('\n  USDT_RATE: must be a positive decimal number, like 0.99\n')
    expect(fault.message).toContain('\n  MODE: must be demo or live\n')
    expect(fault.message).toContain('\n  SMTP_URL: must look like smtps://')
  })

  test('a faulty secret or connection string is never repeated in the message', () => {
    const fault = faultOf({ TOKEN_SECRET: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db/x' })
    expect(fault.message).toContain('TOKEN_SECRET')
    expect(fault.message).not.toContain('hunter2')
  })

  test('an empty variable counts as missing', () => {
    expect(loadConfig({ DATA_DIR: folder, PORT: '', DATABASE_URL: ' ' })).toMatchObject({
      port: 3000,
      database: null,
    })
  })

  test('without its own URL the owner is the login of the application', () => {
    const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: live.DATABASE_URL })
    expect(config.database).toEqual({ appUrl: live.DATABASE_URL, ownerUrl: live.DATABASE_URL })
  })
})

describe('live mode', () => {
  test('a complete configuration is accepted and keeps what it was given', () => {
    expect(loadConfig(live)).toMatchObject({
      publicUrl: 'https://invest.example.com',
      firm: {
        legalName: 'Example Capital Pty Ltd',
        unregulatedStatement: 'Not regulated.',
        foundedYear: 2019,
      },
      paymentAddresses: { bitcoin: live.PAYMENT_ADDRESS_BITCOIN },
    })
  })

  test.each(Object.keys(live).filter(name => name !== 'MODE'))('without %s it does not start', name => {
    const stem = name.startsWith('PAYMENT') ? 'PAYMENT_ADDRESS_BITCOIN, …' : name
    const fault = faultOf({ ...live, [name]: '' })
    expect(fault.exitCode).toBe(78)
    expect(fault.message).toContain(stem)
  })

  test('everything that is missing is listed in one answer, also beside a faulty variable', () => {
    const { message } = faultOf({ MODE: 'live', PORT: '99999' })
    const named = Object.keys(live).filter(name => name !== 'MODE' && name !== 'FIRM_UNREGULATED_STATEMENT')
    for (const name of ['PORT', ...named]) expect(message).toContain(`  ${name}`)
    expect(message).toContain('FIRM_UNREGULATED_STATEMENT')
  })

  test.each([
    ['RATE_LIMIT', 'off'],
    ['PAYMENT_ADDRESS_BITCOIN', 'bcrt1qs79nvks8m8g4pqqvaplmyeawnxqtpehwmzvx5l'],
    ['PAYMENT_ADDRESS_USDT', '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A'],
    ['PRICE_SOURCES', ','],
  ])('%s=%s, which is for the demonstration, is refused', (name, value) => {
    expect(faultOf({ ...live, [name]: value }).message).toContain(name)
  })
})

describe('payment addresses', () => {
  test.each([
    ['PAYMENT_ADDRESS_BITCOIN', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdx'],
    ['PAYMENT_ADDRESS_USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6x'],
    ['PAYMENT_ADDRESS_ETHEREUM', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ])('a mistyped %s is refused in both modes: what is paid to it would be lost', (name, value) => {
    expect(faultOf({ ...live, [name]: value }).message).toContain(`${name}: is not a valid`)
    expect(faultOf({ [name]: value }).message).toContain(`${name}: is not a valid`)
  })
})

describe('demo mode', () => {
  test.each([
    ['PAYMENT_ADDRESS_BITCOIN', live.PAYMENT_ADDRESS_BITCOIN],
    ['PAYMENT_ADDRESS_USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ])('%s on the main network is refused', (name, value) => {
    expect(faultOf({ [name]: value }).message).toContain(`${name}: must be`)
  })

  test('its own addresses belong to no main network', () => {
    const { paymentAddresses } = loadConfig({ DATA_DIR: folder })
    expect(paymentAddresses.bitcoin).toMatch(/^bcrt1/)
    expect(paymentAddresses.usdt).toMatch(/^27/)
  })
})
