import { beforeAll, expect, test } from 'vitest'
import type { SignedInContext } from '#server/context.ts'
import { sampleFirm } from '#server/demo/firm.ts'
import { addressOf } from '#shared/call-address.ts'
import { downloadArchive } from '#shared/contract/archive.ts'
import { addUserNote, freezeUser } from '#shared/contract/console.ts'
import { newDeposit } from '#shared/contract/deposits.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listAudit, replyToMessage } from '#shared/contract/site.ts'
import { archivesPerDay } from '#shared/limits.ts'
import { unzipped } from '#test/support/archive.ts'
import { parseCsv } from '#test/support/csv.ts'
import { manyInvestments } from '#test/support/many-investments.ts'
import { readPdf } from '#test/support/pdf.ts'
import { investorWithEverything, type Owner } from '#test/support/whole-api.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { archiveOf, archiveTables } from './archive.ts'
import { leftOut } from './left-out.ts'

type Archive = Map<string, Buffer>

let world: World
let owner: Owner
let archive: Archive

beforeAll(async () => {
  world = await openWorld()
  owner = await investorWithEverything(world, 'Olivia Owner')
  await investorWithEverything(world, 'Sam Stranger')
  const params = { id: owner.conversation }
  await world.call(replyToMessage, world.admin, { params, body: { text: 'As follows.' } })
  archive = await unzipped((await download(owner)).rawPayload)
})

function download(who: Person, language = 'en') {
  return world.app.inject({
    method: 'GET',
    url: addressOf(downloadArchive, { query: { zone: 'UTC' } }),
    headers: { authorization: `Bearer ${world.tokenOf(who)}`, 'accept-language': language },
  })
}

const rowsIn = (of: Archive, table: string): Record<string, unknown>[] =>
  JSON.parse(String(of.get(`data/${table}.json`)))
const wholeText = (of: Archive) => [...of.values()].join('\n')

test('opens elsewhere, with everything and the meaning of each file', () => {
  const tables = archiveTables.flatMap(({ name }) => [`data/${name}.csv`, `data/${name}.json`])
  expect([...archive.keys()]).toEqual(expect.arrayContaining(['README.txt', ...tables]))
  const readme = String(archive.get('README.txt'))
  expect(readme).toContain(`All data that ${sampleFirm.legalName} holds about Olivia Owner (${owner.email})`)
  for (const { name, about } of archiveTables) expect(readme).toContain(`${name}\r\n${about()}`)
})

test('explains itself in the language of its reader', async () => {
  const german = await unzipped((await download(owner, 'de')).rawPayload)
  const readme = String(german.get('README.txt'))
  expect(readme).toContain(`Alle Daten, die ${sampleFirm.legalName} über Olivia Owner (${owner.email})`)
  expect(readme).toContain('deposits\r\nEinzahlungen')
  expect(readme).toMatch(/availableCents +Ihr verfügbares Guthaben, in US-Cent/)
  for (const { about } of archiveTables) expect(readme).not.toContain(about())
  expect([...german.keys()]).toEqual([...archive.keys()])
})

test('has the records of every table that the sample fills, in JSON and CSV alike', () => {
  const filled = archiveTables.filter(({ name }) => rowsIn(archive, name).length > 0).map(({ name }) => name)
  expect(filled).toEqual(
    expect.arrayContaining([
      'account',
      'sessions',
      'passkeys',
      'withdrawal-addresses',
      'notifications',
      'activity',
      'plans',
      'deposits',
      'credits',
      'investments',
      'earnings',
      'earning-sources',
      'withdrawals',
      'postings',
      'messages',
    ]),
  )
  for (const { name } of archiveTables) {
    const rows = rowsIn(archive, name)
    const [header, ...lines] = parseCsv(String(archive.get(`data/${name}.csv`)).replace('\ufeff', ''))
    expect(lines, name).toHaveLength(rows.length)
    if (rows[0]) expect(header, name).toEqual(Object.keys(rows[0]))
  }
})

test('writes cents as text, a decimal beside them, and moments as ISO 8601', async () => {
  const [account] = rowsIn(archive, 'account')
  const { available } = await world.balances(owner)
  const cents = `${available}`
  const decimal = `${cents.slice(0, -2)}.${cents.slice(-2)}`
  expect(account).toMatchObject({ id: owner.id, availableCents: cents, available: decimal })
  expect(account!.registeredAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('has postings that add up to the balances', () => {
  const [account] = rowsIn(archive, 'account')
  for (const kind of ['available', 'held', 'invested']) {
    const ofKind = rowsIn(archive, 'postings').filter(posting => posting.account === kind)
    const sum = ofKind.reduce((total, { amountCents }) => total + BigInt(amountCents as string), 0n)
    expect(`${sum}`, kind).toBe(account![`${kind}Cents`])
  }
})

test('has both sides of conversations with their files, statements and letters', () => {
  const messages = rowsIn(archive, 'messages')
  expect(messages.map(({ from, text }) => [from, text])).toEqual([
    ['you', 'How so?'],
    ['us', 'As follows.'],
  ])
  const file = `${owner.file}-receipt.pdf`
  expect(messages[0]!.files).toEqual([file])
  expect(String(archive.get(`files/${file}`))).toBe('not read')
  const year = world.services.clock.now().getUTCFullYear()
  expect(String(archive.get(`yearly-statements/yearly-statement-${year}.csv`))).toContain('Opening balance')
  const letters = [...archive.keys()].filter(name => name.startsWith('letters/'))
  expect(letters).toHaveLength(1)
  expect(readPdf(archive.get(letters[0]!)!).pages.flat().join(' ')).toContain('Olivia Owner')
})

test('has nothing of other people, no secrets and no notes of staff', async () => {
  const investor = await world.person('Nell Noted')
  const params = { id: investor.id }
  await world.call(addUserNote, world.admin, { params, body: { note: 'Sounds suspicious' } })
  await world.call(freezeUser, world.admin, { params, body: { reason: 'Suspected of fraud' } })
  const theirs = wholeText(await unzipped((await download(investor)).rawPayload))
  expect(theirs).not.toMatch(/suspicious|fraud|Ada Admin/)
  expect(theirs).toContain('account.frozen')
  const { rows } = await world.owner(`SELECT password_hash AS secret FROM app.users WHERE id = '${owner.id}'
    UNION ALL SELECT encode(refresh_hash, 'hex') FROM app.sessions WHERE user_id = '${owner.id}'`)
  const text = wholeText(archive)
  for (const { secret } of rows) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/Sam Stranger|sam\.stranger|Ada Admin|Grace Admin/)
})

test('forgets no table that names people or their records', async () => {
  const { rows } = await world.owner(`
    SELECT DISTINCT c.table_schema || '.' || c.table_name AS name
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ('app', 'ledger')
       AND (c.udt_name IN ('uuid', '_uuid') OR c.column_name IN ('email', 'name', 'ip', 'phone', 'recipient'))`)
  const told = [...archiveTables.flatMap(({ shows }) => shows), ...leftOut.flatMap(({ tables }) => tables)]
  const forgotten = rows.map(({ name }) => name as string).filter(name => !told.includes(name))
  expect(forgotten, 'show them in the archive, or say in left-out.ts why not').toEqual([])
  const { rows: all } = await world.owner(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables`,
  )
  expect(all.map(({ name }) => name as string)).toEqual(expect.arrayContaining(told))
  const shown = new Set(archiveTables.flatMap(({ shows }) => shows))
  expect(leftOut.flatMap(({ tables }) => tables).filter(name => shown.has(name))).toEqual([])
})

test('needs a recent password, tells the owner, and leaves an audit line', async () => {
  const person = await world.person('Rhea Reauthenticated')
  await world.owner(`UPDATE app.sessions SET reauthenticated_at = 'epoch' WHERE user_id = '${person.id}'`)
  const before = await world.state()
  const refused = await download(person)
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'proof_required'])
  expect(await world.state()).toEqual(before)
  const again = await world.signIn(person)
  expect((await download(again)).headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': expect.stringMatching(/filename="all-my-data-\d{4}-\d\d-\d\d\.zip"/),
  })
  const { data: notices } = await world.call(listNotifications, again)
  expect(notices.map(({ kind }) => kind)).toEqual(['account.data_downloaded'])
  const { data: lines } = await world.call(listAudit, world.admin, {
    query: { status: 'account.data_downloaded', q: person.name },
  })
  expect(lines).toHaveLength(1)
})

test('is limited by the day', async () => {
  const person = await world.person('Lena Limited')
  for (let n = 0; n < archivesPerDay; n++) expect((await download(person)).statusCode).toBe(200)
  const refused = await download(person)
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited'])
})

test('a large account is read in small parts, all as of its beginning', async () => {
  const person = await world.person('Lara Large')
  await manyInvestments(world, person, { count: 1_000, amountCents: 50_000n, plan: 'Basic', days: 1 })
  const ctx = { services: world.services, caller: person.caller, ip: '::1', requestId: 'x', reason: null }
  const { content } = await archiveOf(ctx as unknown as SignedInContext, 'UTC')
  const parts: Buffer[] = []
  for await (const part of content as AsyncIterable<Uint8Array>) {
    if (parts.length === 0) {
      const { status } = await world.call(newDeposit, person, { body: { method: 'usdt', amount: 150 } })
      expect(status).toBe(200)
    }
    parts.push(Buffer.from(part))
  }
  const whole = Buffer.concat(parts)
  expect(Math.max(...parts.map(part => part.length))).toBeLessThan(whole.length / 5)
  const large = await unzipped(whole)
  expect(rowsIn(large, 'investments')).toHaveLength(1_000)
  expect(rowsIn(large, 'postings').length).toBeGreaterThan(3_000)
  expect(rowsIn(large, 'deposits')).toHaveLength(1)
})

test('a download that breaks off gives its connection back', async () => {
  const person = await world.person('Bree Broken')
  const ctx = { services: world.services, caller: person.caller, ip: '::1', requestId: 'x', reason: null }
  const { content } = await archiveOf(ctx as unknown as SignedInContext, 'UTC')
  for await (const _ of content as AsyncIterable<Uint8Array>) break
  await expect.poll(() => world.services.pool.totalCount - world.services.pool.idleCount).toBe(0)
})
