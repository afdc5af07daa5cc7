import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { runQuietly } from '#tools/programs.ts'

/** deploy/compose.yaml and deploy/kubernetes: their own programs accept them, and they keep what the product relies on. */
const read = (name: string) => readFileSync(join(import.meta.dirname, '../deploy', name), 'utf8')

type Probe = { httpGet: { path: string } }
type Container = {
  args: string[]
  envFrom: { secretRef: { name: string } }[]
  securityContext: object
  livenessProbe?: Probe
  readinessProbe?: Probe
}
type Pod = {
  terminationGracePeriodSeconds: number
  securityContext: object
  containers: Container[]
}
type Item = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string }
  spec: { replicas?: number; template?: { spec: Pod } }
}

const { items } = parse(read('kubernetes/probity.yaml'), { merge: true }) as { items: Item[] }
const pods = new Map(
  items.flatMap(({ metadata, spec }) => (spec?.template ? [[metadata.name, spec.template.spec]] : [])),
)

/** @returns the model of Kubernetes' API, which throws what does not fit its schema */
async function modelOf({ apiVersion, kind }: Item): Promise<new (data: object) => { validate(): void }> {
  const path = `kubernetes-models/${apiVersion}/${kind}`
  const models = await import(path)
  return models[kind]
}

describe('Kubernetes', () => {
  test.each(items.map(item => [`${item.kind} ${item.metadata.name}`, item] as const))(
    "%s fits Kubernetes' own schema",
    async (_name, item) => {
      expect(item.metadata.namespace).toBe('probity')
      const Model = await modelOf(item)
      new Model(item).validate()
      expect(() => new Model({ ...item, metadata: { name: 1 } }).validate()).toThrow(/metadata/)
    },
  )

  test('no process has privileges, writes to its image or talks to Kubernetes', () => {
    expect([...pods.keys()]).toEqual(['probity-migrate', 'probity-web', 'probity-worker'])
    for (const { securityContext, containers, ...pod } of pods.values()) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(pod).toMatchObject({ automountServiceAccountToken: false, terminationGracePeriodSeconds: 40 })
      expect(containers[0]!.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  test("only the migration gets the owner's login, and an outage restarts no process", () => {
    const secrets = [...pods].map(([name, { containers }]) => [
      name,
      containers[0]!.envFrom.map(({ secretRef }) => secretRef.name),
    ])
    expect(secrets).toEqual([
      ['probity-migrate', ['probity', 'probity-migrate']],
      ['probity-web', ['probity']],
      ['probity-worker', ['probity']],
    ])
    const [web] = pods.get('probity-web')!.containers
    expect([web!.livenessProbe!.httpGet.path, web!.readinessProbe!.httpGet.path]).toEqual([
      '/api/health',
      '/api/ready',
    ])
  })
})

describe.skipIf(missingNode(testNodes.dockerCompose) !== undefined)('Compose', () => {
  test('accepts the services; none has privileges, and each has time to finish its work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'probity-compose-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['probity.env', 'migrate.env']) writeFileSync(join(folder, name), '')
    const file = join(folder, 'compose.yaml')
    writeFileSync(file, read('compose.yaml').replaceAll('/etc/probity/', `${folder}/`))
    const { code, output } = await runQuietly(testNodes.dockerCompose.find()!, [
      ...['-f', file, '--profile', 'migrate', 'config'],
    ])
    expect([code, output]).toEqual([0, expect.stringContaining('services:')])
    const { services } = parse(output) as { services: Record<string, object> }
    expect(Object.keys(services).toSorted()).toEqual(['migrate', 'web-1', 'web-2', 'worker'])
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        stop_grace_period: '40s',
      })
    }
  })
})
