import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findAnvil, installAnvil } from './anvil.ts'
import { areNodesRequired, missingNode, provideNode, type TestNode, testNodes } from './nodes.ts'

beforeEach(() => {
  vi.stubEnv('CI', '')
  vi.stubEnv('REQUIRE_NODES', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the nodes that rails are tested with', () => {
  /** The same nodes on a machine that has neither and cannot install them. */
  const absent = Object.values(testNodes).map(
    (node): TestNode => ({
      ...node,
      find: () => null,
      install: () => Promise.reject(new Error(`No ${node.name} can be had.`)),
    }),
  )
  const required = [
    ['CI', 'true'],
    ['CI', '1'],
    ['REQUIRE_NODES', '1'],
  ] as const

  test('are nodes, a wallet, a scanner, a pooler, mail, judges of proof and deploy/', () => {
    expect(Object.keys(testNodes)).toEqual([
      'litecoind',
      'anvil',
      'electrum',
      'clamd',
      'pgbouncer',
      'pgbackrest',
      'dovecot',
      'hledger',
      'ledger',
      'beancount',
      'openssl',
      'promtool',
      'dockerCompose',
      'go',
    ])
  })

  describe.each(absent)('$name', node => {
    test('without it, tests that need it are skipped by name', async () => {
      expect(missingNode(node)).toBe(`${node.name} is not installed`)
      expect(await provideNode(node)).toEqual({
        totals: { passed: 0, failed: 0, skipped: 1 },
        output: `No ${node.name} can be had.`,
      })
    })

    test.each(required)('with %s=%s a missing one fails', async (name, value) => {
      vi.stubEnv(name, value)
      expect(() => missingNode(node)).toThrow(`${node.name} is not installed, and must be here`)
      expect(await provideNode(node)).toEqual({
        totals: { passed: 0, failed: 1, skipped: 0 },
        output: `No ${node.name} can be had.`,
      })
    })

    test('a missing node is installed, an existing one left unchanged', async () => {
      const install = vi.fn(async () => '/usr/bin/node-of-tests')
      expect(await provideNode({ ...node, install })).toMatchObject({ totals: { passed: 1, failed: 0 } })
      expect(install).toHaveBeenCalledOnce()
      const there = { ...node, find: () => '/usr/bin/node-of-tests', install }
      expect(await provideNode(there)).toMatchObject({ totals: { passed: 1, failed: 0 } })
      expect(install).toHaveBeenCalledOnce()
      expect(missingNode(there)).toBeUndefined()
    })
  })

  test.each(['', '0', 'false'])('CI=%j asks for nothing', value => {
    expect(areNodesRequired({ CI: value })).toBe(false)
    expect(areNodesRequired({ CI: value, REQUIRE_NODES: '1' })).toBe(true)
  })
})

describe('anvil', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'probity-anvil-tools-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  /** A stand-in for npm that records its calls. */
  function npm(ending: string) {
    const path = join(folder, 'npm-cli.cjs')
    const asked = join(folder, 'asked')
    writeFileSync(path, `require('fs').writeFileSync('${asked}', process.argv.slice(2).join(' ')); ${ending}`)
    vi.stubEnv('npm_execpath', path)
    return () => readFileSync(asked, 'utf8')
  }
  test.runIf(findAnvil() !== null)(
    "npm gets this platform's package, in the version of the others",
    async () => {
      const asked = npm('')
      expect(await installAnvil()).toBe(findAnvil())
      expect(asked()).toMatch(/^install --no-save .*@foundry-rs\/anvil-[a-z0-9]+-[a-z0-9]+@\d+\.\d+\.\d+$/)
    },
  )

  test('if npm cannot get it, the message says what to do', async () => {
    npm("console.error('npm error network'); process.exit(1)")
    await expect(installAnvil({ platform: 'linux', arch: 'x64' })).rejects.toThrow(
      'npm could not install @foundry-rs/anvil-linux-amd64: npm error network. Try: npm ci --include=optional',
    )
  })

  test('names a platform without a package', async () => {
    await expect(installAnvil({ platform: 'aix', arch: 'ppc64' })).rejects.toThrow(
      'There is no anvil for aix-ppc64.',
    )
  })
})
