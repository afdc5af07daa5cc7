import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import * as call from '#shared/contract/firm.ts'
import { site } from '#shared/contract/site.ts'
import { openWorld, type World } from '#test/support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ mode: 'live', firm: { ...sampleFirm, registrationNumber: 'ACN 1' } })
})

beforeEach(() => world.owner('DELETE FROM app.statistics'))

const figure = {
  label: 'Businesses consulted',
  value: '212',
  source: 'Annual report 2025',
  evidence: 'https://example.com/annual-report-2025.pdf',
  asOf: '2026-06-30',
}
const add = (changes: object = {}) =>
  world.call(call.newStatistic, world.admin, { body: { ...figure, reason: 'Asked for', ...changes } })
const edit = (id: string, changes: object = {}) =>
  world.call(call.updateStatistic, world.admin, {
    params: { id },
    body: { ...figure, version: 1, reason: 'A newer report', ...changes },
  })
const decide = (what: typeof call.retireStatistic | typeof call.restoreStatistic, id: string) =>
  world.call(what, world.admin, { params: { id }, body: { reason: 'For a good reason' } })
const shown = async () =>
  (await world.call(site, null)).data.statistics.filter(({ kind }) => kind !== 'ledger')
const written = async () => (await world.call(call.listStatistics, world.admin)).data.written

describe('an entered figure', () => {
  test('[N-14, P-04] is on the site with its source, its date and a link to its evidence', async () => {
    expect(await add()).toMatchObject({ status: 200, message: 'Figure added' })
    await add({ label: 'Offices', value: '3', evidence: 'Lease register 7/2026' })
    expect(await shown()).toEqual([
      {
        label: 'Businesses consulted',
        value: '212',
        kind: 'claim',
        source: 'Annual report 2025',
        link: figure.evidence,
        asOf: '2026-06-30T00:00:00.000Z',
      },
      expect.objectContaining({ label: 'Offices', link: null }),
    ])
  })

  test('[N-14, N-12] stores each change as a version and audits it with before and after', async () => {
    const { data } = await add()
    world.clock.pass({ minutes: 1 })
    expect((await edit(data._id, { value: '230' })).data).toMatchObject({ version: 2, value: '230' })
    const { data: versions } = await world.call(call.listStatisticVersions, world.admin, {
      params: { id: data._id },
    })
    expect(versions).toMatchObject([
      { version: 2, change: 'changed', value: '230', changedBy: 'Ada Admin', reason: 'A newer report' },
      { version: 1, change: 'created', value: '212', changedBy: 'Ada Admin', reason: 'Asked for' },
    ])
    const { rows } = await world.owner(
      "SELECT subject_id, reason, details FROM app.audit_log WHERE action = 'statistic.updated'",
    )
    expect(rows.filter(({ subject_id }) => subject_id === data._id)).toMatchObject([
      { details: { before: { value: '212' }, after: { value: '230' } } },
    ])
  })

  test('[N-14] is hidden from the site and shown again unchanged', async () => {
    const { data } = await add()
    expect((await decide(call.retireStatistic, data._id)).status).toBe(200)
    expect(await shown()).toEqual([])
    expect(await written()).toMatchObject([{ _id: data._id, shown: false, version: 2 }])
    expect(await decide(call.retireStatistic, data._id)).toMatchObject({
      status: 409,
      reason: 'already_hidden',
    })
    expect(await edit(data._id, { version: 2 })).toMatchObject({ reason: 'figure_hidden' })
    expect((await decide(call.restoreStatistic, data._id)).status).toBe(200)
    expect(await shown()).toMatchObject([{ label: figure.label, value: '212' }])
    expect(await decide(call.restoreStatistic, data._id)).toMatchObject({
      status: 409,
      reason: 'already_shown',
    })
  })

  test('[N-14] is shown in the order that was set', async () => {
    const { data: first } = await add()
    const { data: second } = await add({ label: 'Offices' })
    const order = (ids: string[]) => world.call(call.orderStatistics, world.admin, { body: { ids } })
    expect((await order([second._id, first._id])).status).toBe(200)
    expect((await shown()).map(({ label }) => label)).toEqual(['Offices', figure.label])
    expect(await order([second._id])).toMatchObject({ reason: 'order_outdated' })
    expect(await order([second._id, second._id])).toMatchObject({ reason: 'order_outdated' })
  })

  test.each([
    ['without a source', { source: '' }, 'source'],
    ['without evidence', { evidence: ' ' }, 'evidence'],
    ['with an unusable link', { evidence: 'javascript://x' }, 'evidence'],
    ['with a future date', { asOf: '2199-01-01' }, 'asOf'],
    ['that the ledger measures', { label: 'earnings PAID' }, 'label'],
    ['with the label of another', { label: 'businesses consulted' }, 'label'],
  ])('[P-04, D1] refuses one %s, naming the field', async (_what, changes, field) => {
    await add()
    const before = await written()
    const answer = await add({ label: 'Another', ...changes })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(answer.fields).toHaveProperty(field)
    expect(await written()).toEqual(before)
  })

  test('[N-14] refuses an edit based on an outdated version', async () => {
    const { data } = await add()
    await edit(data._id, { value: '230' })
    expect(await edit(data._id, { value: '199' })).toMatchObject({ status: 409, code: 'wrong_state' })
    expect((await shown())[0]?.value).toBe('230')
  })
})

test('[P-04, D1] the database refuses claims without evidence and samples in live mode', async () => {
  const insert = (source: string, evidence: string, kind: string) =>
    world.owner(`INSERT INTO app.statistics (id, statistic_id, mode, position, label, value, kind, source, evidence, as_of)
      VALUES (uuidv7(), uuidv7(), 'live', 1, 'X', '1', '${kind}', '${source}', '${evidence}', now())`)
  await expect(insert('', 'https://example.com', 'claim')).rejects.toMatchObject({ code: '23514' })
  await expect(insert('A report', '', 'claim')).rejects.toMatchObject({ code: '23514' })
  await expect(insert('A report', 'https://example.com', 'sample')).rejects.toMatchObject({ code: '23514' })
})

test('[N-14] the application cannot change or remove a version', async () => {
  await add()
  for (const statement of [
    "UPDATE app.statistics SET value = '1'",
    'DELETE FROM app.statistics',
    'TRUNCATE app.statistics',
  ]) {
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
  }
})

test("[P-04, D1] lists the ledger's figures with their queries", async () => {
  const { data } = await world.call(call.listStatistics, world.admin)
  expect(data.measured.map(({ label, kind, source }) => [label, kind, source])).toEqual([
    ['Invested in active plans', 'ledger', 'Ledger: all accounts "invested"'],
    ['Realised returns recorded', 'ledger', 'Ledger: account "returns received"'],
    ['Earnings paid', 'ledger', 'Ledger: account "recorded returns"'],
    ['Withdrawals paid', 'ledger', 'Ledger: account "payouts"'],
  ])
})

test('[P-04, D2] in a demonstration a sample can be hidden but not made a claim', async () => {
  world = await openWorld()
  await world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
  const [sample] = await written()
  expect(await edit(sample!._id)).toMatchObject({ status: 409, reason: 'sample_not_editable' })
  expect((await decide(call.retireStatistic, sample!._id)).status).toBe(200)
  expect((await shown()).every(({ kind }) => kind === 'sample')).toBe(true)
  expect(await shown()).toHaveLength(3)
})
