import { beforeAll, describe, expect, test } from 'vitest'
import { firmVariable } from '#server/config/firm.ts'
import { loadConfig } from '#server/config.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import type { CallData } from '#shared/contract/define.ts'
import { quoteDeposit } from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/firm.ts'
import { beginSecondFactor } from '#shared/contract/second-factor.ts'
import { site } from '#shared/contract/site.ts'
import { firmIn, wholeVersions } from '#shared/firm-in-language.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { firmInForce, initialiseFirm } from './queries.ts'

type Version = ReturnType<typeof wholeVersions<CallData<typeof call.listFirmVersions>[number]>>[number]

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const shown = async () => (await world.call(site, null)).data.firm
const listed = async () => (await world.call(call.listFirmVersions, world.admin)).data
const versions = async () => wholeVersions(await listed())
/** Edits the version in force unless another one is given. */
const update = async (changes: object = {}, by = world.admin) => {
  const [{ version, profile }] = (await versions()) as [Version]
  return world.call(call.updateFirm, by, {
    body: { ...profile, version, reason: 'We have moved', ...changes },
  })
}

describe('a profile change', () => {
  test('[N-14, P-12] stores a new version, in force at once, and keeps the old one', async () => {
    const streetAddress = '2 Other Street, Melbourne VIC 3000, Australia'
    expect(await update({ streetAddress, phones: [] })).toMatchObject({
      status: 200,
      message: 'Profile updated',
    })
    expect(await shown()).toEqual({ ...firmIn(sampleFirm, 'en'), streetAddress, phones: [] })
    const [latest, first] = await versions()
    expect(latest).toMatchObject({ version: 2, changedBy: 'Ada Admin', reason: 'We have moved' })
    expect(Date.parse(latest!.changedAt)).toBeLessThanOrEqual(world.clock.now().getTime())
    expect(first).toMatchObject({ version: 1, changedBy: null, reason: null, profile: sampleFirm })
  })

  test('[N-12] is audited with before and after', async () => {
    await update({ onlineSince: 2005 })
    const { rows } = await world.owner(
      "SELECT * FROM app.audit_log WHERE action = 'firm.updated' ORDER BY id DESC LIMIT 1",
    )
    expect(rows).toMatchObject([
      {
        actor_id: world.admin.id,
        reason: 'We have moved',
        details: { version: 3, before: { onlineSince: 2004 }, after: { onlineSince: 2005 } },
      },
    ])
  })

  test.each([
    ['an incomplete regulation', { regulator: 'ASIC' }, 'licence'],
    ['neither regulation nor a statement', { unregulatedStatement: null }, 'regulator'],
    [
      'a regulator together with an unregulated-status notice',
      { regulator: 'ASIC', licence: 'AFSL 1' },
      'unregulatedStatement',
    ],
    ['an online year before the founding', { onlineSince: 1990 }, 'onlineSince'],
    ['a founding year in the future', { foundedYear: 2199, onlineSince: 2200 }, 'foundedYear'],
    ['an invalid phone number', { phones: ['call us'] }, 'phones'],
    ['no legal name', { legalName: ' ' }, 'legalName'],
    ['no reason', { reason: '' }, 'reason'],
    [
      'a value without a text',
      { texts: { ...sampleFirm.texts, values: [{ title: 'Integrity', text: ' ' }] } },
      'texts.values.0.text',
    ],
    [
      'a list of nine values',
      { texts: { ...sampleFirm.texts, values: Array(9).fill({ title: 'T', text: 'T' }) } },
      'texts.values',
    ],
    ['a story that is too long', { texts: { ...sampleFirm.texts, story: 's'.repeat(4001) } }, 'texts.story'],
  ])('[N-14, D2] refuses %s, naming the field', async (_what, changes, field) => {
    const before = await versions()
    const answer = await update(changes)
    expect(answer).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(Object.keys(answer.fields!)).toContain(field)
    expect(await versions()).toEqual(before)
  })

  test('[N-14, A-17] needs a recent reauthentication', async () => {
    const admin = await world.signIn(world.admin)
    const { sessionId } = admin.caller
    await world.owner(`UPDATE app.sessions SET reauthenticated_at = '2026-01-01' WHERE id = '${sessionId}'`)
    const before = await versions()
    const change = { legalName: 'Example Capital Pty Ltd' }
    expect(await update(change, admin)).toMatchObject({ status: 403, code: 'proof_required' })
    expect(await versions()).toEqual(before)
  })

  test('[N-14] refuses an empty change', async () => {
    const before = await versions()
    expect(await update()).toMatchObject({ status: 400, message: 'Nothing has been changed' })
    expect(await versions()).toEqual(before)
  })

  test('[N-14] of parallel edits of one version one succeeds and the others are refused', async () => {
    const before = await versions()
    const years = Array.from({ length: 6 }, (_, n) => 2010 + n)
    const { version } = before[0]!
    const answers = await Promise.all(
      years.map((onlineSince, n) =>
        update({ onlineSince, version }, n % 2 ? world.admin : world.secondAdmin),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'wrong_state')).toHaveLength(5)
    expect(await versions()).toHaveLength(before.length + 1)
  })

  test('[N-14] the application cannot change or remove a version', async () => {
    for (const statement of [
      'UPDATE app.firm_profiles SET reason = NULL',
      'DELETE FROM app.firm_profiles',
      'TRUNCATE app.firm_profiles',
    ]) {
      await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('[N-01, D2] names the product in payment URIs, authenticator apps and API documentation', async () => {
    const name = 'Northern Light'
    await update({ productName: name })
    const query = { method: 'bitcoin', amount: '250' } as const
    const quote = await world.call(quoteDeposit, world.admin, { query })
    expect(quote.data.uri).toContain('label=Northern%20Light')
    const { data } = await world.call(beginSecondFactor, world.admin, {})
    expect(data.uri).toContain('issuer=Northern%20Light')
    expect((await world.app.inject({ url: '/api/openapi.json' })).json().info.title).toBe(name)
    expect((await world.app.inject({ url: '/api/docs' })).body).toContain(`API documentation · ${name}`)
    await update({ productName: sampleFirm.productName })
  })
})

test('[N-14] the list of versions says what each replaced, not all that it says', async () => {
  const { foundedYear, texts } = sampleFirm
  const translate = (heading: string | null) => async () => {
    const body = {
      language: 'de',
      texts: { heading },
      version: (await listed())[0]!.version,
      reason: 'x',
    } as const
    await world.call(call.translateFirm, world.admin, { body })
  }
  const steps = [
    () => update({ foundedYear: foundedYear - 2, texts: { ...texts, heading: null } }),
    () => update({ foundedYear, texts }),
    translate('Prüfbare Bücher'),
    () => update({ texts: { ...texts, heading: 'Open books', story: null } }),
    translate(null),
  ]
  const profiles = [await firmInForce(world.services.db, world.services.config)]
  for (const step of steps) {
    await step()
    profiles.unshift(await firmInForce(world.services.db, world.services.config))
  }
  const rows = (await listed()).slice(0, profiles.length)
  expect(wholeVersions(rows).map(({ profile }) => profile)).toEqual(profiles)
  expect(rows[0]).toMatchObject({
    replaced: { texts: {}, translations: { de: { texts: { heading: 'Prüfbare Bücher' } } } },
  })
  expect(rows.slice(1).map(({ profile }) => profile)).toEqual(steps.map(() => null))
  for (const { replaced } of rows) expect(JSON.stringify(replaced).length).toBeLessThan(10_000)
  await update({ texts })
})

test('[P-12] reads a version with all its translations once, until the next one', async () => {
  const { db, config } = world.services
  const first = await firmInForce(db, config)
  expect(await firmInForce(db, config)).toBe(first)
  await update({ foundedYear: first.foundedYear - 1 })
  expect((await firmInForce(db, config)).foundedYear).toBe(first.foundedYear - 1)
  await update({ foundedYear: first.foundedYear })
})

test('lists versions in pages without gaps', async () => {
  for (const onlineSince of [2006, 2007, 2008]) await update({ onlineSince })
  const whole = await listed()
  const page = (query: object) => world.call(call.listFirmVersions, world.admin, { query })
  const first = await page({ limit: 3 })
  const rest = await page({ limit: 200, cursor: first.page!.nextCursor! })
  expect([...first.data, ...rest.data]).toEqual(whole)
  expect([first.page?.total, rest.page?.nextCursor]).toEqual([whole.length, null])
})

describe('in live mode', () => {
  const configured = {
    ...sampleFirm,
    translations: {},
    legalName: 'Real Firm Ltd',
    registrationNumber: 'ACN 1',
    supportEmail: 'support@realfirm.com',
  }

  const environment = {
    ...liveSettings,
    PUBLIC_URL: 'https://invest.realfirm.com',
    DATABASE_URL: 'postgres://app:secret@db.realfirm.com/probity?sslmode=verify-full',
  }

  let live: World
  beforeAll(async () => {
    live = await openWorld({ mode: 'live', firm: configured })
  })

  test('[P-14, D2] the configuration is the first version only; console changes stay', async () => {
    const { db } = live.services
    const begin = () => initialiseFirm(db, configured, live.clock.now())
    expect(await begin()).toBe(false)
    const renamed = { ...configured, legalName: 'Renamed Firm Ltd' }
    await live.call(call.updateFirm, live.admin, { body: { ...renamed, version: 1, reason: 'Renamed' } })
    expect(await begin()).toBe(true)
    expect(await firmInForce(db, { mode: 'live' })).toEqual(renamed)
    expect((await live.call(call.listFirmVersions, live.admin)).data).toHaveLength(2)
  })

  test("[P-14, D2] never shows a demonstration's profile from the same database", async () => {
    await live.owner(
      `INSERT INTO app.firm_profiles (mode, version, profile) SELECT 'demo', 9, profile || '{"legalName": "Sample"}' FROM app.firm_profiles WHERE version = 1`,
    )
    expect((await live.call(site, null)).data.firm.legalName).toMatch(/^Re/)
    const { data } = await live.call(call.listFirmVersions, live.admin)
    expect(data.map(({ version }) => version)).not.toContain(9)
  })

  const changeTo = async (changes: object) => {
    const [latest] = (await live.call(call.listFirmVersions, live.admin)).data
    const body = { ...configured, ...changes, version: latest!.version, reason: 'Not needed' }
    return live.call(call.updateFirm, live.admin, { body })
  }

  test('[P-14, D2] the registration number cannot be removed', async () => {
    expect((await changeTo({ registrationNumber: null })).fields).toHaveProperty('registrationNumber')
  })

  test.each([
    ['registrationNumber', 'none'],
    ['supportEmail', 'support@firm.test'],
    ['supportEmail', `${'s'.repeat(250)}@example.com`],
    ['legalName', 'L'.repeat(121)],
    ['legalName', 'Real\u0007 Firm Ltd'],
    ['licence', 'AFSL 1'],
    ['riskStatement', 'You may lose it. '.repeat(40)],
    ['jurisdictions', 'J'.repeat(301)],
    ['phones', 'call us'],
    ['phones', Array(6).fill('+61 2 0000 0001').join(', ')],
    ['foundedYear', '1599'],
    ['onlineSince', '2199'],
    ['productName', 'P'.repeat(41)],
  ])(
    '[P-14, D2] a live installation refuses to start with %s: %j, as the console does',
    async (field, value) => {
      const typed = field === 'phones' ? value.split(', ') : /Year|Since/.test(field) ? Number(value) : value
      const { fields } = await changeTo({ [field]: typed })
      const message = fields?.[field] ?? fields?.regulator
      expect(message).toEqual(expect.any(String))
      expect(() => loadConfig({ ...environment, [firmVariable(field)]: value })).toThrow(message)
    },
  )

  test.each([
    ['FIRM_VALUES', 'integrity', 'FIRM_VALUES: must be JSON'],
    ['FIRM_VALUES', '[{"title":"Integrity"}]', 'FIRM_VALUES, entry 1, text: Text is required'],
    ['FIRM_SECTORS', JSON.stringify(Array(7).fill({})), 'FIRM_SECTORS: Sectors can have at most 6 entries'],
    ['FIRM_HEADING', 'H'.repeat(81), 'FIRM_HEADING: Home page heading can have at most 80 characters'],
    ['FIRM_PRODUCT_NAME', '', 'FIRM_PRODUCT_NAME: Product name is required'],
  ])('[D2] a live installation refuses to start with %s=%s', (name, value, message) => {
    expect(() => loadConfig({ ...environment, [name]: value })).toThrow(message)
  })

  test('[D2] a live installation without texts shows none about the firm', () => {
    const { texts } = loadConfig(environment).firm!
    expect(Object.values(texts).flat().filter(Boolean)).toEqual([])
  })

  test('[P-14, D2] a live installation starts with what the console accepts', () => {
    const { texts, phones, translations: _, ...identity } = configured
    const variables = [
      ...Object.entries({ ...identity, phones: phones.join(', ') }),
      ...Object.entries(texts).map(([field, text]) => [
        field,
        Array.isArray(text) ? JSON.stringify(text) : text?.replaceAll('\n', '\\n'),
      ]),
    ].map(([field, value]) => [firmVariable(String(field)), String(value ?? '')])
    expect(loadConfig({ ...environment, ...Object.fromEntries(variables) }).firm).toEqual(configured)
  })
})
