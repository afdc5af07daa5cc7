import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '#server/config.ts'
import { liveSettings } from './support/live-product.ts'

/** The files of deploy/, as far as security depends on them. */

const read = (name: string) => readFileSync(join(import.meta.dirname, '../deploy', name), 'utf8')

test("nginx's TLS is 1.2 or 1.3, with forward secrecy and authenticated encryption", () => {
  const nginx = read('nginx.conf')
  expect(nginx).toMatch(/^ {2}ssl_protocols TLSv1\.2 TLSv1\.3;$/m)
  const list = /^ {2}ssl_ciphers (\S+);$/m.exec(nginx)![1]!
  const suites = execFileSync('openssl', ['ciphers', '-v', '-tls1_2', '-s', list], { encoding: 'utf8' })
  const offered = suites.trim().split('\n')
  expect(offered).toHaveLength(list.split(':').length)
  for (const suite of offered) expect(suite).toMatch(/Kx=ECDH .*Mac=AEAD/)
})

test('over plain HTTP, calls are refused and pages lead to https', () => {
  const [plain = '', encrypted = ''] = read('nginx.conf').split('listen 443')
  expect(plain).toMatch(/location \/api\/ \{\s+return 403;/)
  expect(plain).toMatch(/location \/ \{\s+return 301 https:/)
  expect(encrypted).toMatch(
    /add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;/,
  )
  expect(read('Caddyfile')).toMatch(
    /@people not path \/api\/\*\s+redir @people https:\/\/\{host\}\{uri\} permanent\s+respond 403/,
  )
})

test('the proxies set what the product believes about a visitor, and log no address', () => {
  const nginx = read('nginx.conf')
  for (const header of [
    'X-Forwarded-For $remote_addr',
    'X-Forwarded-Proto $scheme',
    'X-Forwarded-Host $host',
  ])
    expect(nginx).toContain(`proxy_set_header ${header};`)
  expect(nginx.match(/access_log off;/g)).toHaveLength(2)
})

test.each(['probity-web@.service', 'probity-worker@.service'])(
  '%s is restarted for ever, except for what an operator must correct',
  name => {
    const unit = read(`systemd/${name}`).split('\n')
    expect(unit).toEqual(
      expect.arrayContaining(['Restart=always', 'RestartPreventExitStatus=78', 'StartLimitIntervalSec=0']),
    )
  },
)

test('Caddy notices a stopping process in time, and systemd waits for its end', () => {
  const [, interval] = /health_uri \/api\/ready\s+health_interval (\d+)s/.exec(read('Caddyfile'))!
  const { drainSeconds } = loadConfig({
    ...liveSettings,
    DRAIN_SECONDS: '',
    PUBLIC_URL: 'https://invest.example.com',
    DATABASE_URL: 'postgres://probity_web@localhost/probity',
  })
  expect(2 * Number(interval)).toBeLessThan(drainSeconds)
  for (const name of ['probity-web@.service', 'probity-worker@.service'])
    expect(read(`systemd/${name}`)).toMatch(/^TimeoutStopSec=40$/m)
})

test.each(['probity-web@.service', 'probity-worker@.service', 'probity-migrate.service'])(
  '%s runs without privileges and cannot see the history of the code',
  name => {
    const unit = read(`systemd/${name}`).split('\n')
    expect(unit).toEqual(
      expect.arrayContaining([
        'User=probity',
        'NoNewPrivileges=yes',
        'CapabilityBoundingSet=',
        'ProtectSystem=strict',
        'InaccessiblePaths=-/opt/probity/.git',
      ]),
    )
  },
)

test('Patroni replicates synchronously, and a watchdog ends a primary that is frozen', () => {
  const { bootstrap, watchdog } = parse(read('patroni/patroni.yml'))
  const { ttl, loop_wait, retry_timeout, postgresql, ...dcs } = bootstrap.dcs
  expect(dcs).toMatchObject({
    synchronous_mode: true,
    synchronous_mode_strict: true,
    synchronous_node_count: 2,
  })
  expect(postgresql.parameters.synchronous_commit).toBe('on')
  expect(watchdog).toMatchObject({ mode: 'required', device: '/dev/watchdog' })
  // Patroni's own rules: it must be able to try twice, and to feed the watchdog, within the time of its lock.
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl)
  expect(loop_wait).toBeLessThan(ttl - watchdog.safety_margin)
  expect(read('patroni/probity.conf').split('\n')).toEqual(
    expect.arrayContaining([
      'Restart=always',
      'StartLimitIntervalSec=0',
      'ExecStartPre=+/sbin/modprobe softdog',
    ]),
  )
})
