import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { runQuietly } from '#tools/programs.ts'

/** deploy/prometheus and deploy/grafana: Prometheus accepts them, and they name what there is. */
const DEPLOY = join(import.meta.dirname, '../deploy')
const GUIDE = readFileSync(join(import.meta.dirname, '../docs/operate.md'), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }
type Panel = { title: string; targets?: { expr: string }[] }

const rules = (
  parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8')) as { groups: [{ rules: Rule[] }] }
).groups[0].rules
const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/probity.json'), 'utf8')) as {
  panels: Panel[]
}
const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** The metrics that docs/operate.md lists, which are those that there are (server/metrics/metrics.test.ts). */
const metrics = new Set(
  [...GUIDE.matchAll(/^\| (`(?:probity|http)_\w+`(?:, `probity_\w+`)*) +\|/gm)].flatMap(([, cell]) =>
    cell!.replaceAll('`', '').split(', '),
  ),
)

test('[V-05] alarms and dashboard ask for metrics that there are', () => {
  const names = [...rules.map(({ expr }) => expr), ...asked].flatMap(
    expr => expr.match(/\b(?:probity|http_server)_\w+/g) ?? [],
  )
  expect(names.length).toBeGreaterThan(30)
  expect(names.map(name => name.replace(/_(bucket|count)$/, '')).filter(name => !metrics.has(name))).toEqual(
    [],
  )
})

test('[V-05] alarms about backups ask for the metric that a delivered script writes', () => {
  const names = rules.flatMap(({ expr }) => expr.match(/database_backup_\w+/g) ?? [])
  const script = readFileSync(join(DEPLOY, 'pgbackrest/probity-backup-succeeded'), 'utf8')
  const [, written] = /# TYPE (\w+) gauge/.exec(script)!
  expect(new Set(names)).toEqual(new Set([written]))
})

test('[V-05] docs/operate.md says what each alarm means, in the same order', () => {
  const rows = [...GUIDE.matchAll(/^\| `([A-Z]\w+)` +\| ([^|]+?) +\| \S/gm)].map(row => row.slice(1, 3))
  expect(rows).toEqual(rules.map(({ alert, annotations }) => [alert, annotations.summary]))
  expect(new Set(rules.map(({ labels }) => labels.severity))).toEqual(new Set(['page', 'ticket']))
})

describe.skipIf(missingNode(testNodes.promtool) !== undefined)('Prometheus', () => {
  const promtool = (...args: string[]) => runQuietly(testNodes.promtool.find()!, args)

  test('[V-05] accepts the alarms, and they go off at their limits', async () => {
    expect(await promtool('check', 'rules', join(DEPLOY, 'prometheus/alerts.yml'))).toMatchObject({ code: 0 })
    const cases = ['alerts.test.yml', 'alerts-of-days.test.yml'].map(name => join(DEPLOY, 'prometheus', name))
    const tested = await promtool('test', 'rules', ...cases)
    expect(tested).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') })
  })

  test('[V-05] accepts what the dashboard asks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'probity-dashboard-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'dashboard.yml')
    const recorded = asked.map((expr, at) => ({ record: `dashboard:${at}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    const { code, output } = await promtool('check', 'rules', file)
    expect([code, output]).toEqual([0, expect.stringContaining(`${asked.length} rules found`)])
  })
})
