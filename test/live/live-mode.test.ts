import type { SpawnOptions } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { sampleLogins } from '#server/demo/logins.ts'
import { descriptions } from '#server/demo/people.ts'
import { addressOf } from '#shared/call-address.ts'
import * as account from '#shared/contract/accounts.ts'
import { allCalls } from '#shared/contract/index.ts'
import { beginSecondFactor, confirmSecondFactor } from '#shared/contract/second-factor.ts'
import { demoMailbox, site } from '#shared/contract/site.ts'
import { isLanguage } from '#shared/i18n/languages.ts'
import { messageIn } from '#shared/i18n/message.ts'
import { riskLine } from '#shared/plans.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { selfSignedCertificate } from '#test/support/certificate.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { request } from '#test/support/cluster.ts'
import { type ExternalPostgres, startExternalPostgres } from '#test/support/external-postgres.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { type MailServer, readable, startMailServer } from '#test/support/mail-server.ts'
import { until, type Watched, watch } from '#test/support/processes.ts'
import { appCode } from '#test/support/totp.ts'
import { freePort } from '#tools/free-port.ts'
import { buildProduct, isBuildStale, MAIN } from '#tools/product-build.ts'

/**
 * Live mode as a firm runs it: processes of the built server, a separate PostgreSQL with passwords and TLS, and a mail
 * server with login and TLS. Nothing of the demonstration may appear.
 */
const ROOT = join(import.meta.dirname, '../..')
const mailLogin = { user: 'probity', pass: 'the mailbox of the firm' }
let folder: string
let postgres: ExternalPostgres
let urls: Awaited<ReturnType<ExternalPostgres['newDatabase']>>
let mailServer: MailServer
let environment: NodeJS.ProcessEnv
let origin: string

function start(args: string[], changes: NodeJS.ProcessEnv = {}, stdio?: SpawnOptions['stdio']): Watched {
  const options = { cwd: ROOT, env: { ...environment, ...changes } }
  const watched = watch(process.execPath, args, stdio === undefined ? options : { ...options, stdio })
  atEnd(async () => {
    watched.child.kill('SIGTERM')
    await watched.ended()
  })
  return watched
}
const main = (role: string) => start([MAIN, role])

beforeAll(async () => {
  if (isBuildStale()) await buildProduct(console.log)
  folder = mkdtempSync(join(tmpdir(), 'probity-live-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'data'))
  postgres = await startExternalPostgres()
  urls = await postgres.newDatabase('firm')
  const { key, certificate } = selfSignedCertificate()
  const certificateFile = join(folder, 'mail.crt')
  writeFileSync(certificateFile, certificate)
  mailServer = await startMailServer({
    secure: true,
    key,
    cert: certificate,
    onAuth: ({ username, password }, _session, done) =>
      username === mailLogin.user && password === mailLogin.pass
        ? done(null, { user: username })
        : done(new Error('no such login')),
  })
  atEnd(() => mailServer.stop())
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  environment = {
    ...liveSettings,
    PATH: process.env.PATH,
    NODE_EXTRA_CA_CERTS: certificateFile,
    DATA_DIR: join(folder, 'data'),
    WITHDRAWAL_COINS: 'BTC',
    PORT: String(port),
    PUBLIC_URL: origin,
    DATABASE_URL: urls.appUrl,
    DATABASE_OWNER_URL: urls.ownerUrl,
    SMTP_URL: `smtps://${mailLogin.user}:${encodeURIComponent(mailLogin.pass)}@localhost:${mailServer.port}`,
    // No test queries a market: the sources' addresses lead nowhere.
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  }
  const migration = main('migrate')
  if ((await migration.ended()) !== 0) throw new Error(migration.output())
  // Like the units of docs/operate.md: web and worker do not know the owner's login.
  delete environment.DATABASE_OWNER_URL
  const web = main('web')
  main('worker')
  await web.said(/Listening on/)
}, 180_000)

/** Waits for an email and returns its text. */
async function mailTo(email: string, subject: RegExp): Promise<string> {
  const found = () =>
    mailServer.received.filter(
      ({ to, content }) => to.includes(email) && subject.test(/^Subject: (.*)\r?$/m.exec(content)?.[1] ?? ''),
    )
  await until(() => found().length > 0, 60_000)
  expect(found()).toHaveLength(1)
  return readable(found()[0]!.content)
}

async function register(name: string) {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
  const password = 'correct horse battery'
  const person = { name, email, password, phone: '+61 400 000 000', country: 'Australia' }
  const { status } = await request(origin, account.signup, { body: person })
  expect(status).toBe(200)
  const mail = await mailTo(email, /is your verification code/)
  const otp = /^(\d{6})\r?$/m.exec(mail)?.[1] ?? 'none'
  expect((await request(origin, account.verifyEmail, { body: { otp, email } })).status).toBe(200)
  const { data } = await request(origin, account.login, { body: { email, password } })
  return { email, password, token: data.token.accessToken, mail }
}

/** Content of the demonstration only: its people, logins and payment addresses. Not even a script may contain it. */
const sampleSecrets = [
  ...sampleLogins.flatMap(({ email, password }) => [email, password]),
  ...descriptions.flatMap(({ name, email }) => [name, email]),
  ...Object.values(loadConfig({ TOKEN_SECRET: 'x'.repeat(32) }).paymentAddresses),
  ...[sampleFirm.legalName, sampleFirm.streetAddress, sampleFirm.supportEmail],
  ...[sampleFirm.unregulatedStatement!, sampleFirm.riskStatement, sampleFirm.jurisdictions],
]
/** Texts of the demonstration's firm only; a drawing's name is no text. */
const sampleCopy = Object.values(sampleFirm.texts).flatMap(stringsIn)

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n\n')
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (name === 'drawing' ? [] : stringsIn(part)))
}

/** Claims that a firm without texts of its own never made. */
const claims =
  /private equity|we invest|invests? in|our (values|services|sectors|story)|personali[sz]ed|guidance|we look for|stay away|to a person|probity/i

/** The text of a page, or of an API answer. */
const sampleWords = [
  demonstrationNotice,
  'noindex',
  'href="/mailbox',
  'fictional',
  'Part of the demonstration',
  '"sample":true',
  '"kind":"sample"',
]
const sampleFigures = [/\b20k\b/, /\b8k\b/, /\b15k\b/, /\b10\+/]

function expectNothingOfTheSample(where: string, text: string, words: readonly string[]): void {
  expect({ where, found: words.filter(word => text.includes(word)) }).toEqual({ where, found: [] })
}

type Fetched = { path: string; status: number; type: string; text: string; headers: Headers }

async function get(path: string, token?: string): Promise<Fetched> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const response = await fetch(origin + path, { headers, redirect: 'manual' })
  const type = response.headers.get('content-type') ?? ''
  return { path, status: response.status, type, text: await response.text(), headers: response.headers }
}

/** Every address of this origin in a page, a style sheet or a list. */
function linksIn({ text }: Fetched): string[] {
  const named = [...text.matchAll(/(?:href|src|action|content)="([^"]+)"|<loc>([^<]+)<|url\(["']?([^"')]+)/g)]
  return named
    .map(([, quoted, loc, style]) => (quoted ?? loc ?? style ?? '').replaceAll('&amp;', '&'))
    .filter(address => address.startsWith('/') || address.startsWith(origin))
    .map(address => new URL(address, origin))
    .filter(url => url.origin === origin)
    .map(({ pathname, search }) => pathname + search)
}

/** Walks over everything reachable from the home page and from pages without links to them. */
async function walk(): Promise<Map<string, Fetched>> {
  const seen = new Map<string, Fetched>()
  const waiting = ['/', '/robots.txt', '/sitemap.xml', '/manifest.webmanifest', '/no/such/page', '/mailbox']
  waiting.push('/dashboard/home', '/dashboard/deposit', '/admin/home', '/verify/ada@example.com')
  waiting.push('/forgot-password', '/reset-password', '/invitation', '/api/docs', '/api/openapi.json')
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    const fetched = await get(path)
    seen.set(path, fetched)
    if (/html|css|xml|manifest/.test(fetched.type)) waiting.push(...linksIn(fetched))
  }
  return seen
}

/** The firm that runs it, and its legal texts. */
const firmWords = [
  liveSettings.FIRM_LEGAL_NAME,
  liveSettings.FIRM_REGISTRATION_NUMBER,
  liveSettings.FIRM_UNREGULATED_STATEMENT,
  liveSettings.FIRM_STREET_ADDRESS,
  liveSettings.FIRM_JURISDICTIONS,
  liveSettings.FIRM_RISK_STATEMENT,
]

const isPage = ({ type }: Fetched) => type.startsWith('text/html')

describe('reachable pages', () => {
  let reached: Map<string, Fetched>
  beforeAll(async () => {
    reached = await walk()
  }, 120_000)

  test('[P-14] all pages are there, and no page or file shows the demonstration', () => {
    const paths = [...reached.keys()]
    for (const path of ['/about', '/services', '/investment-plans', '/contact', '/login', '/register'])
      expect(reached.get(path)?.status, path).toBe(200)
    expect(paths.filter(path => path.startsWith('/assets/')).length).toBeGreaterThan(5)
    for (const { path, text } of reached.values()) expectNothingOfTheSample(path, text, sampleSecrets)
    for (const page of [...reached.values()].filter(isPage)) {
      // Account pages are noindex; public pages are open.
      const words = page.text.includes('"robots"')
        ? sampleWords.filter(word => word !== 'noindex')
        : sampleWords
      expectNothingOfTheSample(page.path, page.text, words)
      for (const figure of sampleFigures) expect(page.text, page.path).not.toMatch(figure)
      expect(page.headers.get('x-robots-tag'), page.path).toBeNull()
    }
  })

  test('[P-03, P-05, P-07, D2] a firm without texts has nothing claimed of it on any page', () => {
    expect(sampleCopy.length).toBeGreaterThan(30)
    for (const { path, text } of reached.values()) expectNothingOfTheSample(path, text, sampleCopy)
    for (const { path, text } of [...reached.values()].filter(isPage))
      expect(claims.exec(text)?.[0], path).toBeUndefined()
    expect(JSON.parse(reached.get('/manifest.webmanifest')!.text).name).toBe(liveSettings.FIRM_PRODUCT_NAME)
    expect(JSON.parse(reached.get('/api/openapi.json')!.text).info.title).toBe(liveSettings.FIRM_PRODUCT_NAME)
    const about = reached.get('/about')!.text
    for (const words of ['Legal name', 'Registration', 'Founded']) expect(about).toContain(words)
  })

  test('[K-02, K-03] with Bitcoin alone configured, no page offers another coin', () => {
    for (const { path, text } of [...reached.values()].filter(isPage))
      expect(/usdt|trc-?20|ethereum/i.exec(text)?.[0], path).toBeUndefined()
  })

  test('[P-14] every page ends with the legal details and the risk', () => {
    const pages = [...reached.values()].filter(isPage)
    expect(pages.length).toBeGreaterThan(10)
    for (const { path, text } of pages) {
      for (const words of firmWords) expect(text.includes(words), `${path}: ${words}`).toBe(true)
      // Pages behind the guard are drawn in the browser; the document carries the firm.
      const [, code] = /^\/([a-z]{2})(?:\/|$)/.exec(path) ?? []
      const risk = messageIn(isLanguage(code) ? code : 'en', riskLine)
      if (!/^\/(dashboard|admin)\//.test(path)) expect(text.includes(risk), path).toBe(true)
    }
  })

  test('[P-14] search engines are let in, to the public pages', () => {
    const robots = reached.get('/robots.txt')!.text
    expect(robots).toContain(`Sitemap: ${origin}/sitemap.xml`)
    expect(robots.split('\n')).not.toContain('Disallow: /')
    const listed = [...reached.get('/sitemap.xml')!.text.matchAll(/<loc>([^<]+)</g)].map(([, url]) => url!)
    expect(listed).toContain(`${origin}/about`)
    for (const url of listed) {
      const page = reached.get(new URL(url).pathname)!
      expect(page.status, url).toBe(200)
      expect(page.text, url).not.toContain('noindex')
    }
    const blocks = [
      ...reached.get('/')!.text.matchAll(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/gs),
    ]
    const said = JSON.stringify(blocks.map(([, json]) => JSON.parse(json!)))
    expect(said).toContain(liveSettings.FIRM_LEGAL_NAME)
  })

  test('[P-04] figures are measured or sourced, and no sample plan, person or posting exists', async () => {
    const { data } = await request(origin, site)
    expect(data.mode).toBe('live')
    expect(data.statistics.every(({ kind }) => kind === 'ledger')).toBe(true)
    const counts = await postgres.administer(
      `SELECT (SELECT count(*) FROM app.plan_versions) AS plans, (SELECT count(*) FROM app.users) AS people,
              (SELECT count(*) FROM app.statistics) AS figures, (SELECT count(*) FROM app.returns) AS returns,
              (SELECT count(*) FROM ledger.transactions) AS postings, (SELECT count(*) FROM app.mailbox) AS emails`,
      'firm',
    )
    expect(counts).toEqual([
      { plans: '0', people: '0', figures: '0', returns: '0', postings: '0', emails: '0' },
    ])
  })

  test('[P-14] the sample logins open nothing, and the mailbox is not there', async () => {
    for (const { email, password } of sampleLogins)
      expect((await request(origin, account.login, { body: { email, password } })).status).toBe(401)
    expect(reached.get('/mailbox')?.status).toBe(404)
    expect((await request(origin, demoMailbox, { query: { to: sampleLogins[2].email } })).status).toBe(404)
  })
})

describe('an investor', () => {
  test('[A-11, V-02] registration works with an emailed code, over TLS with a mail server login', async () => {
    const { mail, token } = await register('Ines Investor')
    expect(mail).toContain(`From: ${liveSettings.MAIL_FROM}`)
    expectNothingOfTheSample('the email', mail, [...sampleSecrets, ...sampleWords])
    expect((await request(origin, account.me, {}, { token })).data).toMatchObject({
      type: 'investor',
      balance: 0,
    })
  })

  test('[P-14] nothing that an admin or a visitor can read is of the demonstration', async () => {
    const { token } = await register('Rea Reader')
    const reads = allCalls.filter(
      ({ method, permission, path }) =>
        method === 'GET' && ['public', 'account'].includes(permission) && !path.includes(':'),
    )
    expect(reads.length).toBeGreaterThan(20)
    for (const call of reads.filter(({ id }) => id !== 'live.stream')) {
      const { text } = await get(addressOf(call, {} as never), token)
      expectNothingOfTheSample(call.id, text, [...sampleSecrets, ...sampleWords])
    }
  })
})

describe('the first admin', () => {
  test('[F-08, V-02] the command creates the first admin once, without rights until 2FA is set up', async () => {
    const email = 'ada.admin@example.com'
    const password = 'another correct horse'
    const command = [join(ROOT, 'tools/run.mjs'), '--as-is', 'tools/admin-create.ts', '--password-stdin']
    const create = async (address: string) => {
      const making = start([...command, '--name', 'Ada Admin', '--email', address], {}, [
        'pipe',
        'pipe',
        'pipe',
      ])
      making.child.stdin?.end(`${password}\n`)
      return { code: await making.ended(), output: making.output() }
    }
    const made = await create(email)
    expect(made.code, made.output).toBe(0)
    expect((await create('second.admin@example.com')).code).not.toBe(0)

    const { data } = await request(origin, account.login, { body: { email, password } })
    const { accessToken: token, refreshToken } = data.token
    const people = (token: string) => request(origin, account.listUsers, {}, { token })
    expect(await people(token)).toMatchObject({ status: 403, code: 'second_factor_setup_required' })
    const begun = await request(origin, beginSecondFactor, {}, { token })
    const body = { code: appCode(begun.data.secret, new Date()) }
    expect((await request(origin, confirmSecondFactor, { body }, { token })).status).toBe(200)
    const { data: renewed } = await request(origin, account.refresh, { body: { refreshToken } })
    const listed = await people(renewed.token.accessToken)
    expect(listed.status).toBe(200)
    expectNothingOfTheSample('the users', JSON.stringify(listed.data), sampleSecrets)
    const asked = await request(origin, account.login, { body: { email, password } })
    expect(asked).toMatchObject({ status: 401, code: 'second_factor_required' })
  }, 60_000)
})

describe('the mail server stops and restarts', () => {
  test('[A-11, V-04] undeliverable emails are kept, tried again, and arrive, each once', async () => {
    const people = [await register('Mia Mail'), await register('Max Mail')]
    await mailServer.stop()
    for (const { email } of people)
      expect((await request(origin, account.forgotPassword, { body: { email } })).status).toBe(200)
    const waiting = () =>
      postgres.administer(
        `SELECT count(*)::int AS tried FROM graphile_worker.jobs
          WHERE task_identifier = 'send_mail' AND attempts > 0 AND locked_at IS NULL AND last_error IS NOT NULL`,
        'firm',
      ) as Promise<[{ tried: number }]>
    await until(async () => (await waiting())[0].tried === people.length, 60_000)
    await mailServer.start()
    for (const { email } of people)
      expect(await mailTo(email, /password/i)).toContain('/reset-password#token=')
    await until(async () => (await waiting())[0].tried === 0)
  }, 180_000)
})

describe('npm start', () => {
  test('[P-14, V-02] in live mode it starts no database of its own, loads nothing and prints no login', async () => {
    const port = await freePort()
    const started = start([join(ROOT, 'tools/run.mjs'), 'tools/start.ts'], {
      PORT: String(port),
    })
    await started.said(/Stop +Ctrl-C/)
    expect((await fetch(`http://127.0.0.1:${port}/api/ready`)).status).toBe(200)
    expectNothingOfTheSample('what it prints', started.output(), [
      ...sampleSecrets,
      'mailbox',
      'demonstration',
    ])
    started.child.kill('SIGINT')
    expect(await started.ended()).toBe(0)
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual(['database-mark.json', 'probity.log'])
    const [{ samples }] = (await postgres.administer(
      "SELECT count(*)::int AS samples FROM app.users WHERE email LIKE '%@probity.test'",
      'firm',
    )) as [{ samples: number }]
    expect(samples).toBe(0)
  }, 120_000)
})
