import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { StartupError } from '#server/platform/startup-error.ts'
import { withdrawalWallets } from '#shared/coins.ts'
import { environmentSchema } from './config/environment.ts'
import { loadConfig, ownerUrlOf } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'probity-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const example = readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8')
const live = {
  MODE: 'live',
  PUBLIC_URL: 'https://invest.example.com/',
  DATABASE_URL: 'postgres://app:secret@db.example.com/probity?sslmode=verify-full',
  TOKEN_SECRET: 'Zr0vN1yQ5cW8uK2mT7bX4eJ9aH6gD3fS',
  SMTP_URL: 'smtp://mail.example.com:25',
  MAIL_FROM: 'noreply@example.com',
  PAYMENT_ADDRESS_BITCOIN: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  FIRM_PRODUCT_NAME: 'Example Capital',
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

function startupErrorOf(environment: NodeJS.ProcessEnv): StartupError {
  try {
    loadConfig({ DATA_DIR: folder, ...environment })
  } catch (error) {
    if (error instanceof StartupError) return error
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

  test('DIRECT_DATABASE_URL is for all but web processes, which then take DATABASE_URL', () => {
    const DATABASE_URL = 'postgres://web@pooler.example.com:6432/probity'
    const DIRECT_DATABASE_URL = 'postgres://web@db.example.com/probity?target_session_attrs=read-write'
    const { database } = loadConfig({ DATA_DIR: folder, DATABASE_URL, DIRECT_DATABASE_URL })
    expect(database).toMatchObject({ appUrl: DIRECT_DATABASE_URL, poolerUrl: DATABASE_URL })
    expect(loadConfig({ DATA_DIR: folder, DATABASE_URL }).database).toEqual({
      appUrl: DATABASE_URL,
      poolerUrl: null,
      readUrl: null,
    })
    expect(startupErrorOf({ DIRECT_DATABASE_URL }).message).toContain(
      'DIRECT_DATABASE_URL: needs DATABASE_URL',
    )
    const withAttributes = `${DATABASE_URL}?target_session_attrs=read-write`
    expect(startupErrorOf({ DATABASE_URL: withAttributes, DIRECT_DATABASE_URL }).message).toContain(
      'DATABASE_URL: leads through a pooler (DIRECT_DATABASE_URL is set), which chooses the server',
    )
    expect(startupErrorOf({ ...live, DIRECT_DATABASE_URL }).message).toContain(
      'DIRECT_DATABASE_URL: needs sslmode=verify-full, unless PostgreSQL is on this machine',
    )
  })

  test('READ_DATABASE_URL leads to a standby, beside DATABASE_URL', () => {
    const READ_DATABASE_URL = 'postgres://web@db2.example.com/probity'
    const { DATABASE_URL } = live
    const { database } = loadConfig({ DATA_DIR: folder, DATABASE_URL, READ_DATABASE_URL })
    expect(database?.readUrl).toBe(READ_DATABASE_URL)
    expect(startupErrorOf({ READ_DATABASE_URL }).message).toContain('READ_DATABASE_URL: needs DATABASE_URL')
    expect(startupErrorOf({ ...live, READ_DATABASE_URL }).message).toContain(
      'READ_DATABASE_URL: needs sslmode=verify-full',
    )
    const toPrimary = `${READ_DATABASE_URL}?target_session_attrs=read-write`
    expect(startupErrorOf({ DATABASE_URL, READ_DATABASE_URL: toPrimary }).message).toContain(
      'READ_DATABASE_URL: leads to a standby, which accepts no writes',
    )
  })

  test('[K-03] WITHDRAWAL_COINS narrows the coins of withdrawals; all nine without it', () => {
    const coins = (WITHDRAWAL_COINS?: string) =>
      loadConfig({ DATA_DIR: folder, WITHDRAWAL_COINS }).withdrawalWallets
    expect(coins()).toEqual(withdrawalWallets)
    expect(coins('USDT-TRC20, BTC')).toEqual(['Bitcoin (BTC)', 'USDT TRC-20'])
    for (const wrong of ['BTC,bitcoin', ','])
      expect(startupErrorOf({ WITHDRAWAL_COINS: wrong }).message).toContain('WITHDRAWAL_COINS: must name')
  })

  test('[K-02] PAYMENT_TOKENS offers tokens on Ethereum; none without it', () => {
    const tokens = (PAYMENT_TOKENS?: string, more: NodeJS.ProcessEnv = {}) =>
      loadConfig({ DATA_DIR: folder, PAYMENT_TOKENS, ...more }).rails.ethereum.paymentTokens
    expect(tokens()).toEqual([])
    expect(tokens('USDC-ERC20, USDC-ERC20')).toEqual(['usdc-erc20'])
    const local = {
      ETHEREUM_CHAIN_ID: '31337',
      ETHEREUM_USDT_CONTRACT: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    }
    expect(tokens('USDT-ERC20', local)).toEqual(['usdt-erc20'])
    const refused = (PAYMENT_TOKENS: string, more: NodeJS.ProcessEnv = {}) =>
      startupErrorOf({ PAYMENT_TOKENS, ...more }).message
    expect(refused('USDT')).toContain('PAYMENT_TOKENS: must name tokens among USDT-ERC20, USDC-ERC20')
    // Tether has none on Sepolia, the demonstration's network.
    expect(refused('USDT-ERC20')).toContain(
      'PAYMENT_TOKENS: the contract of USDT on chain 11155111 is unknown',
    )
    expect(refused('USDT-ERC20,USDC-ERC20', local)).toContain(
      'the contract of USDC on chain 31337 is unknown',
    )
    expect(refused('USDC-ERC20', { DEMO_CHAIN: 'anvil' })).toContain('PAYMENT_TOKENS: the local chain')
    const live = refused('USDT-ERC20', { MODE: 'live' })
    expect(live).toContain('PAYMENT_TOKENS: needs ETHEREUM_XPUB or PAYMENT_ADDRESS_ETHEREUM')
    expect(live).not.toContain('contract of USDT')
  })

  test('[P-13] a live chat is a provider and an id; its page has an origin of its own', () => {
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
    [{ LIVE_CHAT_PROVIDER: 'crisp' }, 'LIVE_CHAT_ID: is required with LIVE_CHAT_PROVIDER'],
    [{ LIVE_CHAT_ID: 'x' }, 'LIVE_CHAT_PROVIDER: is required with LIVE_CHAT_ID'],
    [{ LIVE_CHAT_PROVIDER: 'mine', LIVE_CHAT_ID: 'x' }, 'LIVE_CHAT_PROVIDER: must be crisp or tawk'],
    [
      { LIVE_CHAT_PROVIDER: 'crisp', LIVE_CHAT_ID: 'https://evil.example' },
      "LIVE_CHAT_ID: must be Crisp's Website ID, like e93e073a-1f69-4cbc-8934-f9e1611e65bb",
    ],
    [
      { LIVE_CHAT_PROVIDER: 'tawk', LIVE_CHAT_ID: '5a1b2c3d4e5f60718293a4b5/../..' },
      "LIVE_CHAT_ID: must be property and widget of tawk.to's Direct Chat Link, like 5a1b2c3d4e5f60718293a4b5/1fuoet6bd",
    ],
  ])('[P-13] rejects an impossible live chat: %j', (environment, message) => {
    const { message: told, exitCode } = startupErrorOf(environment)
    expect(told.split('\n').filter(line => line.includes('LIVE_CHAT'))).toEqual([`  ${message}`])
    expect(exitCode).toBe(78)
  })

  test('.env.example names every variable and no other, and shows the defaults', () => {
    const shown = parseEnv(example)
    expect(Object.keys(shown).sort()).toEqual(Object.keys(environmentSchema.shape).sort())
    const given = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== ''))
    expect(environmentSchema.parse(given)).toEqual(environmentSchema.parse({}))
  })

  test('[V-01] reports all configuration errors at once by variable and exits with 78', () => {
    const error = startupErrorOf({ PORT: 'x', USDT_RATE: '-1', MODE: 'lve', SMTP_URL: 'mail.example.com' })
    expect(error.exitCode).toBe(78)
    expect(error.message).toContain('\n  PORT: must be a whole number from 0 to 65535\n')
    expect(error.message).toContain('\n  USDT_RATE: must be a positive decimal number, like 0.99\n')
    expect(error.message).toContain('\n  MODE: must be demo or live\n')
    expect(error.message).toContain('\n  SMTP_URL: must look like smtps://')
  })

  test('an invalid secret or connection string is never repeated in the message', () => {
    const error = startupErrorOf({ TOKEN_SECRET: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db/x' })
    expect(error.message).toContain('TOKEN_SECRET')
    expect(error.message).not.toContain('hunter2')
  })

  test('an empty variable counts as missing', () => {
    expect(loadConfig({ DATA_DIR: folder, PORT: '', DATABASE_URL: ' ' })).toMatchObject({
      port: 3000,
      database: null,
    })
  })

  test('a connection string may name several hosts', () => {
    const several = 'postgres://app:a,b@one,two:5433,[::1]:5434/probity?target_session_attrs=read-write'
    expect(loadConfig({ DATA_DIR: folder, DATABASE_URL: several }).database?.appUrl).toBe(several)
    const { message } = startupErrorOf({ DATABASE_URL: 'postgres://app:hunter2@one,two:x/probity' })
    expect(message).toContain('host1:5432,host2:5432')
    expect(message).not.toContain('hunter2')
  })

  test('without its own URL the owner is the login of the application', () => {
    const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: live.DATABASE_URL })
    expect(config.database?.appUrl).toBe(live.DATABASE_URL)
    expect(ownerUrlOf({ DATABASE_OWNER_URL: ' ' }, config)).toBe(live.DATABASE_URL)
    expect(ownerUrlOf({ DATABASE_OWNER_URL: 'postgres://o@h/d' }, config)).toBe('postgres://o@h/d')
  })
})

describe('metrics', () => {
  const metrics = (environment: NodeJS.ProcessEnv) => loadConfig({ DATA_DIR: folder, ...environment }).metrics

  test('[V-05] are off without a port, and by default for this machine only', () => {
    expect(metrics({})).toBeNull()
    expect(metrics({ METRICS_PORT: '9464' })).toEqual({ host: '127.0.0.1', port: 9464, token: null })
  })

  test('[V-05] metrics need a token beyond this machine, and a port of their own', () => {
    const open = { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }
    expect(startupErrorOf(open).message).toContain('METRICS_TOKEN: is required')
    expect(metrics({ ...open, METRICS_TOKEN: 'm'.repeat(32) })?.token).toBe('m'.repeat(32))
    expect(startupErrorOf({ METRICS_PORT: '3000' }).message).toContain('METRICS_PORT: must differ from PORT')
  })
})

describe('tracing', () => {
  const tracing = (environment: NodeJS.ProcessEnv) => loadConfig({ DATA_DIR: folder, ...environment }).tracing
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318' }

  test('[V-05] tracing is off without an endpoint, and traces everything with one', () => {
    expect(tracing({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'probity' })).toBeNull()
    const all = { sampler: 'parentbased_always_on', ratio: 1 }
    expect(tracing(collector)).toEqual(all)
    expect(tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.example.com/v1/traces' })).toEqual(all)
    const part = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
    expect(tracing({ ...collector, ...part })).toEqual({ sampler: 'traceidratio', ratio: 0.1 })
  })

  test('[V-05] a live firm sends the key of its collector to another machine only by TLS', () => {
    const key = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret' }
    expect(startupErrorOf({ ...live, ...collector, ...key }).message).toContain(
      'OTEL_EXPORTER_OTLP_HEADERS: are a secret',
    )
    expect(tracing({ ...live, ...collector })).not.toBeNull()
    expect(tracing({ ...live, ...key, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })).not.toBeNull()
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

  test.each(Object.keys(live).filter(name => name !== 'MODE'))(
    '[V-01] without %s it does not start',
    name => {
      const stem = name.startsWith('PAYMENT') ? 'PAYMENT_ADDRESS_BITCOIN, …' : name
      const error = startupErrorOf({ ...live, [name]: '' })
      expect(error.exitCode).toBe(78)
      expect(error.message).toContain(stem)
    },
  )

  test('[V-01] lists all missing variables at once, beside invalid ones', () => {
    const { message } = startupErrorOf({ MODE: 'live', PORT: '99999' })
    const named = Object.keys(live).filter(name => name !== 'MODE' && name !== 'FIRM_UNREGULATED_STATEMENT')
    for (const name of ['PORT', ...named]) expect(message).toContain(`  ${name}`)
    expect(message).toContain('FIRM_UNREGULATED_STATEMENT')
  })

  test.each([
    ['PUBLIC_URL', 'http://invest.example.com', 'must begin with https://'],
    ['PUBLIC_URL', 'https://invest.example.com/app', 'must be an origin alone'],
    ['DATABASE_URL', 'postgres://app:secret@db.example.com', 'names no database'],
    ['DATABASE_URL', 'mysql://app:secret@db.example.com/probity', 'must look like postgres://'],
    ['TOKEN_SECRET', 'x'.repeat(40), 'is easy to guess'],
    ['TOKEN_SECRET', 'short', 'at least 32 characters'],
    ['TOKEN_SECRETS_BEFORE', `${'y'.repeat(32)},short`, 'at least 32 characters'],
    ['SMTP_URL', 'https://mail.example.com', 'must look like smtps://'],
    ['MAIL_FROM', 'Example Capital', 'must be an email address'],
    ['MAIL_FROM', 'Example Capital <noreply@probity.test>', 'reserved for tests'],
    ['TRUSTED_PROXIES', '10.0.0.1, proxy', 'must be IP addresses or CIDR ranges'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'must be IP addresses or CIDR ranges'],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'trusts everyone'],
    ['DATABASE_URL', 'postgres://app:secret@db.example.com/probity', 'needs sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://u:p@127.0.0.1/probity?host=db&sslmode=require', 'needs sslmode=verify-full'],
    ['DATABASE_OWNER_URL', 'postgres://u:p@10.0.0.5/probity?sslmode=no-verify', 'needs sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://u:p@127.0.0.1,db:5433/probity', 'needs sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://u:p@one,,two/probity', 'must look like postgres://'],
    ['DATABASE_URL', 'postgres://u:p@one:5432,two:99999/probity', 'must look like postgres://'],
    ['DATABASE_URL', 'postgres://u:p@one,two/probity?port=5433', 'has its hosts in two places'],
    ['DATABASE_URL', 'postgres:///probity?host=one,two', 'has its hosts in two places'],
    ['DATABASE_URL', 'postgres://u:p@db/probity?target_session_attrs=standby', 'write read-write, or any'],
    ['FIRM_REGISTRATION_NUMBER', 'none', 'must have a digit'],
    ['FIRM_REGULATOR', 'A regulator', 'Enter both the regulator and the licence'],
    ['FIRM_SUPPORT_EMAIL', 'support', 'Enter a valid email address'],
    ['FIRM_SUPPORT_EMAIL', 'support@probity.test', 'reserved for tests'],
    ['FIRM_FOUNDED_YEAR', '2098', 'cannot be later than'],
    ['FIRM_FOUNDED_YEAR', '19', 'must be 1600 or later'],
    ['FIRM_ONLINE_SINCE', '2018', 'cannot have been online before'],
  ])('[V-01] %s=%s is refused: %s', (name, value, message) => {
    const error = startupErrorOf({ ...live, [name]: value })
    expect(error.exitCode).toBe(78)
    expect(error.message.split('\n').filter(line => line.startsWith('  '))).toEqual([
      expect.stringMatching(new RegExp(`^  ${name}( and FIRM_LICENCE, or FIRM_UNREGULATED_STATEMENT)?: `)),
    ])
    expect(error.message).toContain(message)
  })

  test('a text of the firm that is too long for the end of every page is refused', () => {
    const error = startupErrorOf({ ...live, FIRM_RISK_STATEMENT: 'You may lose it. '.repeat(100) })
    expect(error.message).toContain('FIRM_RISK_STATEMENT: Risk statement can have at most 600 characters')
  })

  test('[V-01] a regulated firm names regulator and licence, and nothing else', () => {
    const { FIRM_UNREGULATED_STATEMENT: _, ...rest } = live
    const regulated = { ...rest, FIRM_REGULATOR: 'A regulator', FIRM_LICENCE: 'L 1' }
    expect(loadConfig({ DATA_DIR: folder, ...regulated }).firm).toMatchObject({
      regulator: 'A regulator',
      licence: 'L 1',
      unregulatedStatement: null,
    })
    expect(startupErrorOf({ ...regulated, FIRM_LICENCE: '' }).message).toContain(
      'FIRM_REGULATOR and FIRM_LICENCE, or FIRM_UNREGULATED_STATEMENT: Enter both',
    )
  })

  test.each([
    [
      'xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz',
      'an extended public key',
    ],
    [
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
      'a private key',
    ],
    ['5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ', 'a private key'],
  ])('[V-01] a key in place of an address is named by its kind, never repeated', (key, kind) => {
    const { message } = startupErrorOf({ ...live, PAYMENT_ADDRESS_BITCOIN: key })
    expect(message).toContain(`PAYMENT_ADDRESS_BITCOIN: is ${kind}`)
    expect(message).not.toContain(key)
  })

  test("[V-01] the demonstration's Ethereum address, which looks like any other, is refused", () => {
    const { paymentAddresses } = loadConfig({ DATA_DIR: folder })
    for (const address of [paymentAddresses.ethereum!, paymentAddresses.ethereum!.toLowerCase()])
      expect(startupErrorOf({ ...live, PAYMENT_ADDRESS_ETHEREUM: address }).message).toContain(
        "PAYMENT_ADDRESS_ETHEREUM: is the demonstration's",
      )
  })

  test.each([
    ['RATE_LIMIT', 'off'],
    ['PAYMENT_ADDRESS_BITCOIN', 'bcrt1qs79nvks8m8g4pqqvaplmyeawnxqtpehwmzvx5l'],
    ['PAYMENT_ADDRESS_USDT', '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A'],
    ['PRICE_SOURCES', ','],
  ])('%s=%s, which is for the demonstration, is refused', (name, value) => {
    expect(startupErrorOf({ ...live, [name]: value }).message).toContain(name)
  })
})

describe('price sources', () => {
  const own = ['coinbase', 'kraken', 'bitstamp', 'bitfinex', 'gemini', 'coingecko']

  test('[C-30] live mode asks all that have an address, a demonstration none', () => {
    expect(loadConfig(live).priceSources).toEqual(own)
    expect(loadConfig({ DATA_DIR: folder })).toMatchObject({ priceSources: [], priceSourceUrls: {} })
  })

  test('[C-30] they can be asked elsewhere, and then one without an address can be asked, too', () => {
    const given = 'kraken=https://proxy.example.com/kraken/, coindesk=http://localhost:3000'
    expect(loadConfig({ ...live, PRICE_SOURCE_URLS: given })).toMatchObject({
      priceSources: [...own, 'coindesk'],
      priceSourceUrls: { kraken: 'https://proxy.example.com/kraken', coindesk: 'http://localhost:3000' },
    })
  })

  test('[C-30] one that is named twice is one', () => {
    expect(loadConfig({ ...live, PRICE_SOURCES: 'kraken,gemini,kraken' }).priceSources).toEqual([
      'kraken',
      'gemini',
    ])
  })

  test.each([
    'kraken',
    'kraken=',
    'nobody=https://example.com',
    'kraken=ftp://example.com',
    'kraken=https://user:secret@example.com',
    'kraken=https://example.com?key=1',
    'kraken=https://example.com,kraken=https://example.org',
  ])('[C-30] an address that cannot be used is refused, and not repeated: %s', given => {
    const { message } = startupErrorOf({ ...live, PRICE_SOURCE_URLS: given })
    expect(message).toContain('PRICE_SOURCE_URLS: must be pairs')
    expect(message).not.toContain('secret')
  })

  test('[C-30] in live mode no price comes over a line that others can write on', () => {
    const given = { PRICE_SOURCE_URLS: 'kraken=http://proxy.example.com' }
    expect(startupErrorOf({ ...live, ...given }).message).toContain('that of kraken must begin with https://')
    expect(loadConfig({ DATA_DIR: folder, ...given }).priceSourceUrls.kraken).toBe('http://proxy.example.com')
  })

  test('[C-30] a source without an address needs one', () => {
    const named = { PRICE_SOURCES: 'kraken,coindesk' }
    for (const environment of [{ ...live, ...named }, named])
      expect(startupErrorOf(environment).message).toContain('PRICE_SOURCES: coindesk needs an address')
  })
})

describe('nodes', () => {
  test.each([
    [{}, 10],
    [{ TRONGRID_URL: 'https://nile.trongrid.io' }, 10],
    [{ TRONGRID_URL: 'https://tron.example.com' }, null],
    [{ TRONGRID_URL: 'https://tron.example.com', TRONGRID_REQUESTS_PER_SECOND: '50' }, 50],
    [{ TRONGRID_REQUESTS_PER_SECOND: '0' }, null],
  ])('[D5] TRON is asked as often as %o allows', (env, limit) => {
    const { rails } = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), ...env })
    expect(rails.usdt.requestsPerSecond).toBe(limit)
  })

  test.each([
    'BITCOIN_RPC_URL',
    'BITCOIN_ESPLORA_URL',
    'BITCOIN_SECOND_RPC_URL',
    'BITCOIN_SECOND_ESPLORA_URL',
    'ETHEREUM_RPC_URL',
    'ETHEREUM_SECOND_RPC_URL',
    'TRONGRID_URL',
    'TRON_SECOND_URL',
  ])('in live mode %s is no line that others can write on', name => {
    expect(startupErrorOf({ ...live, [name]: 'http://node.example.com:8545' }).message).toContain(
      `${name}: must begin with https://`,
    )
    for (const url of ['https://node.example.com/key', 'http://user:password@127.0.0.1:8332'])
      expect(() => loadConfig({ ...live, [name]: url })).not.toThrow()
    expect(() => loadConfig({ DATA_DIR: folder, [name]: 'http://node.example.com' })).not.toThrow()
  })

  test.each(['1', '137', '56', '42161', '8453'])('demo mode takes no coins of chain %s', id => {
    expect(startupErrorOf({ ETHEREUM_CHAIN_ID: id }).message).toContain('must be that of a test network')
  })

  test('the local chain of a demonstration leaves no setting without effect', () => {
    const given = { ETHEREUM_PAYOUT_ADDRESS: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }
    expect(startupErrorOf({ DEMO_CHAIN: 'anvil', ...given }).message).toContain(
      'its own ETHEREUM_PAYOUT_ADDRESS',
    )
  })
})

test('ClamAV is named by its socket, or by a host and port', () => {
  for (const [given, expected] of [
    ['/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['[::1]:3310', { host: '::1', port: 3310 }],
    ['scanner.internal:3310', { host: 'scanner.internal', port: 3310 }],
    ['', null],
  ] as const) {
    expect(loadConfig({ DATA_DIR: folder, CLAMD_ADDRESS: given }).clamd).toEqual(expected)
  }
  for (const given of ['127.0.0.1', 'tcp://127.0.0.1:3310', ':3310', 'a b:1', '127.0.0.1:99999']) {
    expect(startupErrorOf({ CLAMD_ADDRESS: given }).message, given).toContain(
      'CLAMD_ADDRESS: must be the path',
    )
  }
})

test('replies by email need a whole mailbox, and an address that has room for a token', () => {
  const smtp = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'noreply@example.com' }
  const both = { REPLY_MAILBOX_URL: 'imaps://a:b@mail.example.com', REPLY_ADDRESS: 'replies@example.com' }
  expect(loadConfig({ DATA_DIR: folder, ...smtp, ...both }).replies).toEqual({
    mailboxUrl: both.REPLY_MAILBOX_URL,
    address: both.REPLY_ADDRESS,
  })
  expect(loadConfig({ DATA_DIR: folder, ...smtp }).replies).toBeNull()
  for (const [given, words] of [
    [{ REPLY_MAILBOX_URL: 'https://a:b@mail.example.com' }, 'REPLY_MAILBOX_URL: must look like imaps://'],
    [{ REPLY_MAILBOX_URL: 'imaps://mail.example.com' }, 'REPLY_MAILBOX_URL: must look like imaps://'],
    [{ REPLY_MAILBOX_URL: 'imaps://a:b@mail.example.com/Replies' }, 'without a folder'],
    [{ REPLY_MAILBOX_URL: '' }, 'REPLY_MAILBOX_URL: is required with REPLY_ADDRESS'],
    [{ REPLY_ADDRESS: '' }, 'REPLY_ADDRESS: is required with REPLY_MAILBOX_URL'],
    [{ REPLY_ADDRESS: 'replies+firm@example.com' }, 'and no +'],
    [{ REPLY_ADDRESS: 'answers-to-messages@example.com' }, 'at most 18 characters'],
    [{ SMTP_URL: '' }, 'REPLY_MAILBOX_URL: needs SMTP_URL'],
    [{ MODE: 'live', REPLY_ADDRESS: 'replies@probity.test' }, 'REPLY_ADDRESS: its domain is reserved'],
  ] as const) {
    expect(startupErrorOf({ ...smtp, ...both, ...given }).message).toContain(words)
  }
})

describe('payment addresses', () => {
  test.each([
    ['PAYMENT_ADDRESS_BITCOIN', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdx'],
    ['PAYMENT_ADDRESS_USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6x'],
    ['PAYMENT_ADDRESS_ETHEREUM', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ])('a mistyped %s is refused in both modes, because payments to it would be lost', (name, value) => {
    expect(startupErrorOf({ ...live, [name]: value }).message).toContain(`${name}: is not a valid`)
    expect(startupErrorOf({ [name]: value }).message).toContain(`${name}: is not a valid`)
  })

  test('[S-04] ETHEREUM_PAYOUT_ADDRESS has its checksum, however it was written', () => {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const upper = `0x${address.slice(2).toUpperCase()}`
    for (const given of [address, address.toLowerCase(), upper]) {
      const { rails } = loadConfig({ DATA_DIR: folder, ETHEREUM_PAYOUT_ADDRESS: given })
      expect(rails.ethereum.payoutAddress).toBe(address)
    }
  })

  test.each([
    ['PAYMENT_ADDRESS_USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'the address of a token contract'],
    [
      'PAYMENT_ADDRESS_ETHEREUM',
      '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      'the address of a token contract',
    ],
    ['PAYMENT_ADDRESS_ETHEREUM', `0x${'0'.repeat(40)}`, 'an address without an owner'],
    ['PAYMENT_ADDRESS_BITCOIN', '1111111111111111111114oLvT2', 'an address without an owner'],
    ['TRON_PAYOUT_ADDRESS', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'the address of a token contract'],
  ])('%s refuses %s, where coins are lost', (name, value, what) => {
    expect(startupErrorOf({ ...live, [name]: value }).message).toContain(
      `${name}: is ${what}: coins sent to it are lost`,
    )
  })
})

describe('demo mode', () => {
  test.each([
    ['PAYMENT_ADDRESS_BITCOIN', live.PAYMENT_ADDRESS_BITCOIN],
    ['PAYMENT_ADDRESS_USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ])('%s on the main network is refused', (name, value) => {
    expect(startupErrorOf({ [name]: value }).message).toContain(`${name}: must be`)
  })

  test('its own addresses belong to no main network', () => {
    const { paymentAddresses } = loadConfig({ DATA_DIR: folder })
    expect(paymentAddresses.bitcoin).toMatch(/^bcrt1/)
    expect(paymentAddresses.usdt).toMatch(/^27/)
  })
})

describe('malformed values', () => {
  /** One for each variable; those of live mode alone follow the console's rules (above). */
  const malformed: Record<string, string> = {
    MODE: 'lve',
    HOST: 'a host',
    PORT: '99999',
    PUBLIC_URL: 'example',
    TRUSTED_PROXIES: 'proxy',
    RATE_LIMIT: 'no',
    LOG_LEVEL: 'loud',
    METRICS_PORT: '-1',
    METRICS_HOST: '256.1.1.1',
    METRICS_TOKEN: `${'t'.repeat(40)} ü`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://collector:4317',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret',
    OTEL_SERVICE_NAME: 'our service',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_TRACES_SAMPLER_ARG: '10%',
    DATA_DIR: '/dev/null/data',
    DATABASE_URL: 'postgres://u:%zz@db/probity',
    DATABASE_OWNER_URL: 'postgres://u@db/probity?sslmode=verify-fulll',
    DIRECT_DATABASE_URL: 'db.example.com:5432',
    READ_DATABASE_URL: 'http://db2.example.com/probity',
    DATABASE_CONNECTIONS: '1',
    DRAIN_SECONDS: '11',
    TOKEN_SECRET: 'short',
    TOKEN_SECRETS_BEFORE: 'short',
    WEBHOOK_PRIVATE_HOSTS: 'http://books.internal',
    CLAMD_ADDRESS: '127.0.0.1',
    VERIFF_URL: 'veriff',
    VERIFF_API_KEY: 'clé',
    VERIFF_SECRET: 'clé',
    SANCTIONS_OFAC_URL: 'http://lists.example.com/SDN.XML',
    SANCTIONS_UN_URL: 'https://user:password@lists.example.com',
    SANCTIONS_EU_URL: '/srv/lists/eu.xml',
    PEP_LIST_URL: 'ftp://lists.example.com/targets.simple.csv',
    PUSH_SERVICES: 'push',
    SMTP_URL: 'smtp://',
    SMTP_CONNECTIONS: '1',
    REPLY_MAILBOX_URL: 'imaps://',
    REPLY_ADDRESS: 'nobody',
    MAIL_FROM: 'nobody',
    PAYMENT_ADDRESS_BITCOIN: 'x',
    PAYMENT_ADDRESS_USDT: 'x',
    PAYMENT_ADDRESS_ETHEREUM: 'x',
    PAYMENT_TOKENS: 'USDT',
    BITCOIN_XPUB: 'x',
    BITCOIN_NETWORK: 'x',
    BITCOIN_RPC_URL: 'http://u:%zz@127.0.0.1:8332',
    BITCOIN_ESPLORA_URL: 'esplora',
    BITCOIN_CONFIRMATIONS: '0',
    ETHEREUM_XPUB: 'x',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:99999',
    ETHEREUM_CHAIN_ID: 'x',
    ETHEREUM_CONFIRMATIONS: '-1',
    ETHEREUM_PAYOUT_ADDRESS: 'x',
    ETHEREUM_USDT_CONTRACT: 'x',
    ETHEREUM_USDC_CONTRACT: 'x',
    TRON_XPUB: 'x',
    TRONGRID_URL: 'x',
    TRONGRID_API_KEY: 'clé',
    TRON_CONFIRMATIONS: '1e3',
    TRON_PAYOUT_ADDRESS: 'x',
    DEMO_CHAIN: 'x',
    USDT_RATE: '9'.repeat(20),
    USDC_RATE: '0',
    PRICE_SOURCES: 'x',
    PRICE_SOURCE_URLS: 'x',
    LARGE_WITHDRAWAL_USD: '9'.repeat(20),
    TRONGRID_REQUESTS_PER_SECOND: '10001',
    LARGE_RETURN_USD: '0',
    CREDIT_REVIEW_FROM: '0',
    CREDIT_REVIEW_DAILY: '0.5',
    CREDIT_SECOND_SOURCE_FROM: 'all',
    BITCOIN_SECOND_RPC_URL: 'core',
    BITCOIN_SECOND_ESPLORA_URL: 'esplora',
    ETHEREUM_SECOND_RPC_URL: 'node',
    TRON_SECOND_URL: 'trongrid',
    TRON_SECOND_API_KEY: 'clé',
    WITHDRAWAL_ADDRESS_WAIT_HOURS: '721',
    WITHDRAWAL_COINS: 'BTC,gold',
    EARNINGS_SECOND_APPROVAL: 'yes',
    PROOF_EPOCH_HOURS: '5',
    PROOF_CLOSED_LEAVES: 'yes',
    PROOF_BUCKET_URL: 'https://s3.example.com',
    PROOF_BUCKET_REGION: 'Frankfurt am Main',
    PROOF_BUCKET_KEY_ID: 'clé',
    PROOF_BUCKET_SECRET: 'clé',
    PROOF_WITNESS_POLICY: '/nowhere/policy',
    PROOF_AUDITOR: 'auditor.example',
    PROOF_COSIGNERS_BEFORE: 'auditor.example',
    PROOF_TSA_URL: 'ftp://tsa.example.com',
    PROOF_TSA_CERTIFICATES: '/nowhere/authority.pem',
    PROOF_TSA_POLICY: 'any',
    LIVE_CHAT_PROVIDER: 'x',
    LIVE_CHAT_ID: 'x',
  }

  test('[V-01] every variable is checked, and all are listed at once', () => {
    const ofTheFirm = Object.keys(environmentSchema.shape).filter(name => name.startsWith('FIRM_'))
    expect([...Object.keys(malformed), ...ofTheFirm].toSorted()).toEqual(
      Object.keys(environmentSchema.shape).toSorted(),
    )
    // An id is checked only against its provider, and DATA_DIR is used only if something is missing.
    const { LIVE_CHAT_ID, DATA_DIR, ...others } = malformed
    const listed = [...startupErrorOf(others).message.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)
    expect([...new Set(listed)].toSorted()).toEqual([...Object.keys(others), 'LIVE_CHAT_ID'].toSorted())
    const { message } = startupErrorOf({ LIVE_CHAT_PROVIDER: 'crisp', LIVE_CHAT_ID, DATA_DIR })
    expect(message).toContain('\n  LIVE_CHAT_ID: must be')
    expect(message).toContain('\n  DATA_DIR /dev/null/data cannot be written (ENOTDIR)')
  })

  test('[V-01] addresses that are logged or published take no password', () => {
    const { message } = startupErrorOf({
      PROOF_TSA_URL: 'https://user:password@tsa.example.com',
      PROOF_BUCKET_URL: 'https://:password@s3.example.com/bucket',
    })
    expect(message).toContain('\n  PROOF_TSA_URL: has no place for a user, a password or a query')
    expect(message).toContain('\n  PROOF_BUCKET_URL: has no place for a user or a password')
  })
})
