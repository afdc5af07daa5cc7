import { beforeEach, describe, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { ownAccents, paletteOf } from '#shared/brand.ts'
import type { BrandValues, Picture } from '#shared/contract/brand.ts'
import * as call from '#shared/contract/brand.ts'
import { approveProposal, listProposals, rejectProposal } from '#shared/contract/proposals.ts'
import { listAudit, site } from '#shared/contract/site.ts'
import { linkStyle } from '#shared/email-look.ts'
import { logoLimits } from '#shared/limits.ts'
import { png } from '#test/support/png.ts'
import { uploadLogo } from '#test/support/upload-logo.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { dressed } from './email.ts'
import { rewritten } from './png.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
})

const green = { light: '#17653a', dark: '#82cda0' }
const look: BrandValues = { accent: green, logo: null }
const own: BrandValues = { accent: null, logo: null }
const propose = (values: Partial<BrandValues> = look, by = world.admin) =>
  world.call(call.proposeBrand, by, { body: { ...own, ...values, reason: 'Our own colours' } })
const approve = (id: string, by: Person = world.secondAdmin) =>
  world.call(approveProposal, by, { params: { id } })
const publish = async (values: Partial<BrandValues> = look) => approve((await propose(values)).data.proposal)
const inForce = async () => (await world.call(call.getBrand, world.admin)).data
const sheetPath = async () => (await world.call(site, null)).data.brand?.stylesheet
const fetchSheet = (path: string) => world.app.inject({ url: path })

test('[W-09] a look that one admin proposes and another approves is on every page', async () => {
  expect(await inForce()).toMatchObject({ values: own, changedAt: null })
  expect(await sheetPath()).toBeUndefined()
  const { data } = await propose()
  expect(await sheetPath()).toBeUndefined()
  expect(await approve(data.proposal, world.admin)).toMatchObject({ status: 409, code: 'same_approver' })
  expect(await approve(data.proposal)).toMatchObject({ status: 200 })
  expect((await inForce()).values).toEqual(look)
  const sheet = await fetchSheet((await sheetPath())!)
  expect(sheet.headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  expect(sheet.body).toContain(`:root{--accent:${green.light};`)
  expect(sheet.body).toContain(`--on-accent:${paletteOf(green.dark, 'dark').onAccent}`)
  const log = await world.call(listAudit, world.admin, { query: { limit: 1 } })
  expect(log.data).toMatchObject([
    {
      action: 'brand.changed',
      reason: 'Our own colours',
      details: { before: own, after: look },
    },
  ])
})

test('[W-09] a rejected look changes nothing', async () => {
  const { data } = await propose()
  const body = { reason: 'Too green' }
  await world.call(rejectProposal, world.secondAdmin, { params: { id: data.proposal }, body })
  expect(await approve(data.proposal)).toMatchObject({ reason: 'proposal_closed' })
  expect((await inForce()).values).toEqual(own)
})

test('[W-09] two admins bring back the product’s own look', async () => {
  await publish()
  const former = (await sheetPath())!
  await publish({ accent: null })
  expect(await sheetPath()).toBeUndefined()
  expect((await fetchSheet(former)).statusCode).toBe(404)
})

test('[W-09] the address of a former look has today’s, and no cache keeps it', async () => {
  await publish()
  const former = (await sheetPath())!
  await publish({ accent: { ...green, light: '#7a1f5c' } })
  const now = (await sheetPath())!
  expect(now).not.toBe(former)
  const sheet = await fetchSheet(former)
  expect(sheet.body).toBe((await fetchSheet(now)).body)
  expect(sheet.headers['cache-control']).toBe('no-cache')
})

describe('refused', () => {
  test.each([
    ['a light colour that cannot be read', { light: '#f59e0b', dark: green.dark }, 'accent.light'],
    ['a dark colour that cannot be read', { light: green.light, dark: '#17653a' }, 'accent.dark'],
    ['no colour', { light: 'green', dark: green.dark }, 'accent.light'],
    ['a colour with more than a colour', { light: '#17653a;}', dark: green.dark }, 'accent.light'],
  ])('[W-09] %s', async (_what, accent, field) => {
    const before = await world.state()
    const refused = await propose({ accent })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(Object.keys(refused.fields!)).toEqual([field])
    expect(await world.state()).toEqual(before)
  })

  test('[W-09] the message says the ratio, what is needed and the nearest colour', async () => {
    const { fields } = await propose({ accent: { light: '#f59e0b', dark: green.dark } })
    expect(fields?.['accent.light']).toMatch(/contrast is 1\.\d:1 .* 4\.5:1 is needed.* #[0-9a-f]{6}\./)
  })

  test('[W-09] the look in force, and a second proposal', async () => {
    expect(await propose({ accent: null })).toMatchObject({ reason: 'brand_unchanged' })
    await propose()
    expect(await propose({ accent: { ...green, light: '#7a1f5c' } }, world.secondAdmin)).toMatchObject({
      reason: 'already_proposed',
    })
    const { data } = await world.call(listProposals, world.admin, { query: { kind: 'brand' } })
    expect(data).toHaveLength(1)
  })

  test('[W-09] without a fresh password', async () => {
    const admin = await world.signIn(world.admin)
    const { sessionId } = admin.caller
    await world.owner(`UPDATE app.sessions SET reauthenticated_at = '2026-01-01' WHERE id = '${sessionId}'`)
    expect(await propose(look, admin)).toMatchObject({ status: 403, code: 'proof_required' })
  })
})

describe('a logo', () => {
  const upload = (content: Buffer = png(), type = 'image/png') => uploadLogo(world, content, type)
  const logoOf = (light: Picture, changes: object = {}) => ({
    logo: { light, dark: null, withName: false, ...changes },
  })
  const fetchLogo = (file: string) => world.app.inject({ url: `/brand/${file}.png` })
  const uploaded = async (content?: Buffer) => (await upload(content)).json().data as Picture

  test('[W-09] is public only once two admins have approved it', async () => {
    const light = await uploaded()
    expect(light).toMatchObject({ width: 120, height: 30 })
    const { data } = await propose(logoOf(light))
    expect((await fetchLogo(light.file)).statusCode).toBe(404)
    const seen = await world.call(call.getLogo, world.secondAdmin, { params: { file: light.file } })
    expect(Buffer.from(seen.data.base64, 'base64')).toEqual(rewritten(png()).content)
    await approve(data.proposal)
    const served = await fetchLogo(light.file)
    expect(served.rawPayload).toEqual(rewritten(png()).content)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const sheet = (await fetchSheet((await sheetPath())!)).body
    expect(sheet).toContain(`--logo:url("/brand/${light.file}.png");--logo-content:"";--logo-ratio:120/30`)
    expect(sheet).toContain('--logo-plate:#ffffff')
    await publish(own)
    expect((await fetchLogo(light.file)).statusCode).toBe(200)
  })

  test('[W-09] about square is the icon of the browser’s tabs', async () => {
    const icon = async () => (await world.call(site, null)).data.brand?.icon
    await publish(logoOf(await uploaded()))
    expect(await icon()).toBeNull()
    const square = await uploaded(png({ width: 64, height: 64 }))
    await publish(logoOf(square))
    expect(await icon()).toBe(`/brand/${square.file}.png`)
  })

  test('[W-09] for the dark theme needs no light ground', async () => {
    const dark = await uploaded(png({ width: 60, height: 30 }))
    const light = await uploaded()
    await publish(logoOf(light, { dark, withName: true }))
    const sheet = (await fetchSheet((await sheetPath())!)).body
    const [forLight, ...forDark] = sheet.trim().split('\n')
    expect(forLight).toContain(light.file)
    expect(forLight).not.toContain(dark.file)
    for (const rules of forDark) expect(rules).toContain(dark.file)
    expect(forDark.join()).not.toContain(light.file)
    expect(sheet).not.toContain('#ffffff')
    expect(sheet).toContain('--wordmark-size:0')
  })

  test('[W-09] that is no PNG, is too large or is not there is refused', async () => {
    expect((await upload(Buffer.from('<svg/>'), 'image/svg+xml')).statusCode).toBe(415)
    expect((await upload(Buffer.from('<svg/>'))).json().message).toBe('This is not a complete PNG file')
    const large = await upload(Buffer.alloc(logoLimits.bytes + 1))
    expect(large.json().message).toBe('A file can have at most 100 kB')
    const light = await uploaded()
    for (const wrong of [{ file: '0'.repeat(64) }, { width: 121 }]) {
      expect((await propose(logoOf({ ...light, ...wrong }))).fields).toHaveProperty('logo')
    }
    expect((await propose(logoOf({ ...light, file: '../../etc' }))).status).toBe(400)
    expect((await fetchLogo('..%2f..%2fetc')).statusCode).toBe(404)
  })

  test('[W-09] that nobody proposed is removed after a day, a proposed one stays', async () => {
    const kept = await uploaded()
    const unused = await uploaded(png({ width: 64, height: 64 }))
    await propose(logoOf(kept))
    world.clock.pass({ days: 2 })
    await cleanUp(world.services)
    const seen = (file: string) => world.call(call.getLogo, world.admin, { params: { file } })
    expect((await seen(kept.file)).status).toBe(200)
    expect((await seen(unused.file)).status).toBe(404)
  })

  test('[W-09] cannot be exchanged with the application’s login', async () => {
    const { file } = await uploaded()
    await propose(logoOf({ file, width: 120, height: 30 }))
    const sha256 = Buffer.from(file, 'hex')
    const run = (statement: string) => world.database.app.query(statement, [sha256])
    await expect(run('DELETE FROM app.brand_logos WHERE sha256 = $1')).rejects.toMatchObject({
      code: 'PB920',
    })
    await expect(run(`UPDATE app.brand_logos SET content = '' WHERE sha256 = $1`)).rejects.toMatchObject({
      code: '42501',
    })
    await expect(
      run(
        `INSERT INTO app.brand_logos SELECT sha256($1), '\\x00', 1, 1, uploaded_by, now() FROM app.brand_logos`,
      ),
    ).rejects.toMatchObject({ code: '23514' })
  })
})

describe('emails', () => {
  const mail = composeEmail({
    to: 'ada@example.com',
    subject: 'A letter',
    greeting: 'Hello <!--name-->Ada<!--/name-->,',
    paragraphs: [`${linkStyle(ownAccents)} is not a link.`],
    action: { label: 'Open it', url: 'https://example.com' },
    from: 'Example & Co',
  })

  test('[W-09] have the firm’s colours in both themes, and nothing of their text changes', async () => {
    expect((await dressed(world.services, mail)).html).toBe(mail.html)
    await publish()
    const { html, text } = await dressed(world.services, mail)
    expect(html).toContain(`background:${green.light};color:#ffffff`)
    expect(html).toContain(`.button{background:${green.dark}!important`)
    expect(html).not.toContain(`:${ownAccents.light}"`)
    expect(html).toContain(`color:${ownAccents.light}&#34; is not a link.`)
    expect(text).toBe(mail.text)
  })

  test('[W-09] carry the logo beside the name, or instead of it', async () => {
    const light = (await uploadLogo(world, png(), 'image/png')).json().data as Picture
    await publish({ logo: { light, dark: null, withName: false } })
    const beside = await dressed(world.services, mail)
    expect(beside.html).toMatch(
      /<img class="logo" src="cid:logo" alt="" width="128" height="32"[^>]*>&#160;&#160;Example &#38; Co</,
    )
    expect(beside.html).toContain('Hello &#60;!--name--&#62;Ada')
    expect(beside.logo?.content).toEqual(rewritten(png()).content)
    await publish({ logo: { light, dark: null, withName: true } })
    expect((await dressed(world.services, mail)).html).toContain('alt="Example &#38; Co"')
  })
})

describe('the application’s login in a thief’s hands', () => {
  const insert = (id: string, values: object) =>
    world.database.app.query(
      'INSERT INTO app.brand_versions (look, proposal_id, created_at) VALUES ($1, $2, now())',
      [values, id],
    )

  test('[W-09] cannot change the look without an approval', async () => {
    const { data } = await propose()
    await expect(insert(data.proposal, look)).rejects.toMatchObject({ code: 'PB920' })
    await expect(insert(crypto.randomUUID(), look)).rejects.toMatchObject({ code: 'PB920' })
  })

  test('[W-09] cannot change the look to another one than was approved, nor twice', async () => {
    const { data } = await propose()
    await world.database.app.query(
      `UPDATE app.proposals SET status = 'approved', decided_by = $2, decided_at = now() WHERE id = $1`,
      [data.proposal, world.secondAdmin.id],
    )
    await expect(
      insert(data.proposal, { ...look, accent: { ...green, light: '#ffffff' } }),
    ).rejects.toMatchObject({
      code: 'PB920',
    })
    await insert(data.proposal, look)
    await expect(insert(data.proposal, look)).rejects.toMatchObject({ code: '23505' })
  })

  test.each(["UPDATE app.brand_versions SET look = '{}'", 'DELETE FROM app.brand_versions'])(
    '[W-09] cannot run %s',
    async statement => {
      await publish()
      await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
    },
  )
})
