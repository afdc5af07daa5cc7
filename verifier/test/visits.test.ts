import { generateKeyPairSync, sign } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dollars } from '#verifier/site-figures.mjs'
import {
  checkpointOf,
  deeds,
  type Files,
  firmsDays,
  newKey,
  publish,
  sha256,
  vkeyOf,
  write,
} from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { Visitor, visitOnce } from './run-audit.ts'

/** What a verifier sees when it comes again, and who else has seen the log. */

const key = newKey()
const days = firmsDays(8)
const afterDays = (count: number) => publish(write(days.slice(0, count)), key)
const grown = afterDays(8)
const earlier = afterDays(5)

let visitor: Visitor
beforeEach(() => {
  visitor = new Visitor()
})
afterEach(async () => await visitor.forget())

const evidence = () => readdirSync(join(visitor.folder, 'evidence'))
const seen = () => readFileSync(join(visitor.folder, 'checkpoint'), 'utf8')

test('a log that has grown continues what was seen', async () => {
  await visitor.visit(earlier)
  const { exitCode, report } = await visitor.visit(grown)
  expect(exitCode).toBe(0)
  expect(report).toContain('The log continues the checkpoint of 130 leaves that you saw last')
  expect(seen()).toBe(grown.get('checkpoint')!.toString())
})

test('an old checkpoint is an equivocation: both are shown and kept', async () => {
  await visitor.visit(grown)
  const { exitCode, report, failures } = await visitor.visit(earlier)
  expect(exitCode).toBe(1)
  expect(failures).toEqual([
    { check: 'history', message: expect.stringContaining('the log has become smaller than it was') },
  ])
  expect(report).toContain(grown.get('checkpoint')!.toString())
  expect(report).toContain(earlier.get('checkpoint')!.toString())
  expect(evidence()).toHaveLength(2)
  expect(seen()).toBe(grown.get('checkpoint')!.toString())
})

test.each([
  ['as long', 8],
  ['longer, as a restored database makes it', 9],
])('another history is an equivocation (%s)', async (_, count) => {
  await visitor.visit(grown)
  const other = firmsDays(9).slice(0, count)
  other[6]!.deeds.push(deeds.recorded(1n))
  const { exitCode, failures } = await visitor.visit(publish(write(other), key))
  expect(exitCode).toBe(1)
  expect(failures).toEqual([{ check: 'history', message: expect.stringContaining('two histories') }])
  expect(evidence()).toHaveLength(2)
  expect(seen()).toBe(grown.get('checkpoint')!.toString())
})

test('a damaged log accuses nobody of two histories, and is not remembered', async () => {
  await visitor.visit(earlier)
  for (const place of [50, 5000]) {
    const bytes = Buffer.from(grown.get('tile/entries/000.p/208')!)
    bytes[bytes.length - place]! ^= 1
    const { audit, exitCode } = await visitor.visit(new Map(grown).set('tile/entries/000.p/208', bytes))
    expect(exitCode).toBe(1)
    expect(audit.findings.state('history')).toBe('unknown')
    expect(audit.evidence).toEqual([])
    expect(seen()).toBe(earlier.get('checkpoint')!.toString())
  }
  const early = Buffer.from(grown.get('tile/entries/000.p/208')!)
  early[40]! ^= 1
  const { audit } = await visitor.visit(new Map(grown).set('tile/entries/000.p/208', early))
  expect(audit.evidence).toEqual([])
})

test('the key of the first visit is the one that counts', async () => {
  await visitor.visit(earlier)
  const { failures } = await visitor.visit(publish(write(days), newKey()))
  expect(failures.map(({ check }) => check)).toEqual(['key', 'signature'])
})

test('a missing file is not known to be wrong: exit code 2, and its name', async () => {
  for (const path of [
    'tile/0/000.p/208',
    'tile/entries/000.p/208',
    'epochs/3/leaves.bin',
    'epochs/3/checkpoint',
    'checkpoint',
  ]) {
    const files = new Map(grown)
    expect(files.delete(path)).toBe(true)
    const { exitCode, report } = await visitOnce(files)
    expect({ path, exitCode }).toEqual({ path, exitCode: 2 })
    expect(report).toContain(path === 'checkpoint' ? 'checkpoint: it is missing' : `${path} is missing`)
  }
})

test('a full tile stands for a partial one that is gone', async () => {
  const files = publish(write(firmsDays(11)), key)
  const older = afterDays(8)
  for (const name of ['tile/0/000', 'tile/entries/000']) {
    older.delete(`${name}.p/208`)
    older.set(name, files.get(name)!)
  }
  expect(await visitOnce(older)).toMatchObject({ exitCode: 0, failures: [] })
})

test('a folder says how long nothing has been sealed', async () => {
  const { report, exitCode } = await visitOnce(grown, { now: new Date('2026-10-13T01:00:00Z') })
  expect(exitCode).toBe(0)
  expect(report).toContain('The newest epoch ended on 2026-10-08. Nothing of the 4 days since is sealed yet.')
})

test('a website that has stopped for three days fails, and the missing days are named', async () => {
  expectListed('a website that has published nothing for three days')
  const on = (day: string) =>
    visitOnce(grown, { place: 'https://firm.example/proof', now: new Date(`${day}T00:30:00Z`) })
  expect(await on('2026-10-11')).toMatchObject({ exitCode: 0, failures: [] })
  const { exitCode, failures, audit } = await on('2026-10-12')
  expect(exitCode).toBe(1)
  const message =
    'the firm has published nothing since 2026-10-08; the missing days are 2026-10-09, 2026-10-10, 2026-10-11'
  expect(failures).toEqual([{ check: 'epochs', message }])
  expect(audit.log!.missingDays).toEqual(['2026-10-09', '2026-10-10', '2026-10-11'])
})

function newWitness(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { vkey, keyId } = vkeyOf(name, 4, publicKey)
  return {
    vkey,
    cosigned(
      files: Files,
      time = 1_790_000_000,
      text = files.get('checkpoint')!.toString().split('\n\n')[0],
    ): Files {
      const stamp = Buffer.alloc(8)
      stamp.writeBigUInt64BE(BigInt(time))
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}\n`), privateKey)
      const line = `— ${name} ${Buffer.concat([keyId, stamp, signature]).toString('base64')}\n`
      return new Map(files).set('checkpoint', Buffer.concat([files.get('checkpoint')!, Buffer.from(line)]))
    },
  }
}

const [ann, ben] = [newWitness('ann.example/witness'), newWitness('ben.example/witness')]
const policy = (threshold: string) =>
  `# whom I trust\nlog ${key.vkey}\nwitness ann ${ann.vkey} https://ann.example/\nwitness ben ${ben.vkey}\ngroup both ${threshold} ann ben\nquorum both\n`

test('without a witness it says that nobody else has cosigned', async () => {
  const { report } = await visitOnce(grown)
  expect(report).toContain('Nobody else has cosigned this checkpoint.')
})

test('names the witnesses of the policy and when they cosigned', async () => {
  const { exitCode, report } = await visitOnce(ben.cosigned(ann.cosigned(grown)), { policy: policy('all') })
  expect(exitCode).toBe(0)
  expect(report).toContain('Witnessed: ann.example/witness cosigned on 2026-09-21 14:13 UTC.')
  expect(report).toContain('Witnessed: ben.example/witness')
})

test('names the witnesses of the policy that have not cosigned', async () => {
  const { exitCode, report } = await visitOnce(ben.cosigned(grown), { policy: policy('any') })
  expect(exitCode).toBe(0)
  expect(report).toContain('Witnessed: ben.example/witness')
  expect(report).toContain('Not witnessed: ann.example/witness has not cosigned this checkpoint.')
})

test('cosignatures of strangers are named as not checked', async () => {
  const { report } = await visitOnce(ann.cosigned(grown))
  expect(report).toContain(
    'Not checked, because no policy names their keys (--policy): cosignatures of ann.example/witness.',
  )
})

const naming = (files: Files, threshold: string): Files =>
  new Map(files).set('policy', Buffer.from(policy(threshold)))

test('without a policy of its own, it checks by the one that the firm publishes', async () => {
  const asked: string[] = []
  const { exitCode, report, audit } = await visitOnce(naming(ann.cosigned(grown), 'all'), {
    askWitness: async ({ name }) => {
      asked.push(name)
      throw new Error('not to be asked')
    },
  })
  expect(exitCode).toBe(0)
  expect(audit.policy).toBe('published')
  expect(report).toContain('The witnesses that the firm names have cosigned (--policy names yours).')
  expect(report).toContain('Witnessed: ann.example/witness cosigned on 2026-09-21 14:13 UTC.')
  expect(report).toContain('Not witnessed: ben.example/witness has not cosigned this checkpoint.')
  expect(asked).toEqual([])
})

test("the firm's own policy without a cosignature says that nobody has cosigned", async () => {
  const { exitCode, report } = await visitOnce(naming(grown, 'all'))
  expect(exitCode).toBe(0)
  expect(report).toContain('Nobody else has cosigned this checkpoint.')
  expect(report).not.toContain('The witnesses that the firm names have cosigned')
})

test.each([
  ['a forged cosignature', ann.cosigned(grown, 1_790_000_000, 'another\n'), 'any', /is forged/],
  ['a policy that it cannot read', grown, '3', /line 5 of the policy is not a group/],
])("by the firm's own policy it refuses %s", async (_, files, threshold, says) => {
  const { failures, exitCode } = await visitOnce(naming(files, threshold))
  expect(exitCode).toBe(1)
  expect(failures).toEqual([{ check: 'witnesses', message: expect.stringMatching(says) }])
})

test.each([
  [
    'a missing cosignature',
    () => ann.cosigned(grown),
    'all',
    /lacks the cosignatures that the policy asks for/,
  ],
  [
    'a cosignature of another checkpoint',
    () => ann.cosigned(grown, 1_790_000_000, 'another\n'),
    'any',
    /the cosignature of ann.example\/witness is forged/,
  ],
  [
    'a cosignature that is dated in the future',
    () => ann.cosigned(grown, Date.parse('2026-10-21T13:00:00Z') / 1000),
    'any',
    /the cosignature of ann.example\/witness is dated in the future/,
  ],
  [
    'a policy for another log',
    () => ann.cosigned(publish(write(days), newKey('x'))),
    'any',
    /does not name the key of x/,
  ],
  ['a policy that it cannot read', () => grown, '3', /line 5 of the policy is not a group/],
])('refuses %s', async (_, files, threshold, says) => {
  const { failures, exitCode } = await visitOnce(files(), { policy: policy(threshold) })
  expect(failures).toContainEqual({ check: 'witnesses', message: expect.stringMatching(says) })
  expect(exitCode).toBe(1)
})

test.each([
  [
    'a policy that its witnesses do not satisfy: the books stand, and the policy is named',
    () => ann.cosigned(grown),
    policy('all'),
    /^The books that firm.example\/proof publishes agree with themselves, but your policy's witnesses have not cosigned them\.$/m,
  ],
  [
    'a policy for another log: the books stand, and the policy is named',
    () => grown,
    policy('any').replace(key.vkey, newKey('other.example').vkey),
    /^The books that .* agree with themselves, but your policy is for another log, or cannot be read\.$/m,
  ],
  [
    'a policy and something that could not be read: neither accuses the books',
    () => without(grown, 'receipts-vkey'),
    policy('all'),
    /^Some of what firm.example\/proof publishes could not be read or checked, and your policy's witnesses have not/,
  ],
  [
    'a forged cosignature: something is wrong with what is published',
    () => ann.cosigned(grown, 1_790_000_000, 'another\n'),
    policy('all'),
    /^NOT ALL HOLDS: something is wrong with what firm.example\/proof publishes\.$/m,
  ],
])('%s', async (_, files, asked, says) => {
  const { report, exitCode } = await visitOnce(files(), { policy: asked })
  expect(report).toMatch(says)
  expect(report).toMatch(/^ {2}✗ Witnesses$/m)
  expect(exitCode).toBe(1)
})

function without(files: Files, path: string): Files {
  const left = new Map(files)
  left.delete(path)
  return left
}

type Figure = { label: string; value: string; kind?: string; asOf?: string }
const beforeTheEnd = '2026-10-08T23:00:00Z'
const afterTheEnd = '2026-10-09T01:00:00Z'
const answerOf = (...figures: Figure[]) => ({
  data: {
    statistics: figures.map(figure => ({ kind: 'ledger', asOf: beforeTheEnd, source: '', ...figure })),
  },
})
const pageOf = (...figures: Figure[]) =>
  figures
    .map(({ label, value, kind = 'ledger', asOf = beforeTheEnd }) => {
      const marks = `data-statistic="${kind}" data-as-of="${asOf}"`
      return `<div ${marks} class="x"><dt class="x">${label}</dt><dd>${value}</dd><dd>As of <b>1</b></dd></div>`
    })
    .join('')

/** The figures as they are in the log. */
async function sealedFigures(): Promise<Figure[]> {
  const figures = (await visitOnce(grown)).audit.log!.figures()
  return [
    ['Invested in active plans', figures.invested],
    ['Realised returns recorded', figures.returnsRecorded],
    ['Earnings paid', figures.earningsPaid],
    ['Withdrawals paid', figures.withdrawn],
  ].map(([label, cents]) => ({ label: label as string, value: dollars(cents as bigint) }))
}

test('figures of the API and the home page that are those of the log', async () => {
  const figures = await sealedFigures()
  const { exitCode, report, audit } = await visitOnce(grown, {
    site: answerOf(...figures, { label: 'Offices', value: '3', kind: 'claim' }),
    page: `<h1>Firm</h1><dl>${pageOf(...figures)}</dl>`,
  })
  expect(exitCode).toBe(0)
  expect(report).toContain('The figures of the site are those of the log: 4 in its API, 4 on its home page.')
  expect(report).toContain('not from its books: "Offices" as 3.')
  expect(audit.findings.remarks.join()).not.toContain('does not show')
})

test('figures that are later or that the site does not show are named, not counted', async () => {
  const [invested, returns, ...others] = (await sealedFigures()) as [Figure, Figure, ...Figure[]]
  const { exitCode, report } = await visitOnce(grown, {
    site: answerOf({ ...invested, value: '$9,999,999.00', asOf: afterTheEnd }, returns),
    page: pageOf(...others),
  })
  expect(exitCode).toBe(0)
  expect(report).toContain('those of the log: 1 in its API, 2 on its home page.')
  expect(report).toContain(
    `Not compared: the site's API shows "Invested in active plans" as $9,999,999.00 on ${afterTheEnd}`,
  )
  expect(report).toContain('The site\'s API does not show "Earnings paid", "Withdrawals paid".')
  expect(report).toContain(
    'The site\'s home page does not show "Invested in active plans", "Realised returns recorded".',
  )
})

const much = '$9,999,999.00'
const shows = (label: string, value = much) => `shows "${label}" as ${value}`
test.each<[string, Figure, number, string]>([
  ['a wrong figure of the site', { label: 'Earnings paid', value: much }, 1, 'the log of 2026-10-08 has'],
  [
    'a figure that has fallen and never can',
    { label: 'Earnings paid', value: '$0.01', asOf: afterTheEnd },
    1,
    'the log of 2026-10-08 has',
  ],
  [
    'a figure of the future',
    { label: 'Invested in active plans', value: much, asOf: '2099-01-01T00:00:00Z' },
    1,
    'as of 2099-01-01T00:00:00Z, which is no time in the past',
  ],
  [
    'a figure of no time',
    { label: 'Invested in active plans', value: much, asOf: 'lately' },
    1,
    'as of lately, which is no time in the past',
  ],
  [
    'a figure of the books as if it were from elsewhere',
    { label: 'Earnings paid', value: much, kind: 'claim' },
    1,
    'the log of 2026-10-08 has',
  ],
  [
    'a figure of the books under a label that only looks the same',
    { label: 'earnings\u00a0pa\u200bid', value: much, kind: 'claim' },
    1,
    'the log of 2026-10-08 has',
  ],
  [
    'a figure of the ledger that the log does not have',
    { label: 'Earnings paid to investors', value: much },
    2,
    'no such figure follows from the log',
  ],
])('in the API and on the home page it names %s', async (kind, figure, code, says) => {
  expectListed(kind)
  const given = await Promise.all([
    visitOnce(grown, { site: answerOf(figure) }),
    visitOnce(grown, { site: answerOf(), page: pageOf(figure) }),
  ])
  for (const { exitCode, audit } of given) {
    expect(exitCode).toBe(code)
    const found = code === 1 ? audit.findings.failures : audit.findings.missing
    expect(found).toEqual([{ check: 'figures', message: expect.stringContaining(says) }])
    expect(found[0]!.message).toContain(shows(figure.label, figure.value))
    expect(audit.findings.state('figures')).toBe(code === 1 ? 'fails' : 'unknown')
  }
})

test('a checkpoint of a log without its leaves is not believed', async () => {
  const files = new Map(grown).set('checkpoint', checkpointOf(key, 208, sha256('nothing')))
  const { failures } = await visitOnce(files)
  expect(failures).toContainEqual({
    check: 'log',
    message: expect.stringContaining('the leaves give the root'),
  })
})
