import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { apiKey } from '#test/support/api-keys.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { watch } from '#test/support/processes.ts'
import { bitcoinAddress } from '#test/support/withdrawals.ts'
import { openWorld } from '#test/support/world.ts'

const ROOT = join(import.meta.dirname, '../..')
const TOOLS = join(ROOT, 'node_modules/.bin')
/** A project outside the repository, which has nothing of it but the package. */
let project: string

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-client-'))
  atEnd(() => rmSync(folder, { recursive: true }))
  const sources = join(folder, 'package')
  cpSync(join(ROOT, 'clients/typescript'), sources, {
    recursive: true,
    filter: path => !path.startsWith(join(ROOT, 'clients/typescript/build')),
  })
  await npm(sources, 'pack', '--pack-destination', folder)
  const packed = readdirSync(folder).find(name => name.endsWith('.tgz'))!
  project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await npm(project, 'install', '--offline', join(folder, packed))
})

test('[I-03] the package has its code and types, and needs no other', () => {
  const installed = readdirSync(join(project, 'node_modules')).filter(name => !name.startsWith('.'))
  expect(installed).toEqual(['@probity'])
  const files = readdirSync(join(project, 'node_modules/@probity/client'), { recursive: true })
  expect(files.map(String).toSorted()).toEqual(
    [
      'README.md',
      'build',
      ...['calls', 'client', 'contract', 'errors', 'index', 'money'].flatMap(name => [
        `build/${name}.d.ts`,
        `build/${name}.js`,
      ]),
      'package.json',
    ].toSorted(),
  )
})

test('[I-03] the documented program compiles, and prints what the server has', async () => {
  const world = await openWorld()
  const person = await world.person('Ines Investor')
  await world.fund(person, 100_000n)
  for (const amount of [100.1, 200.2]) {
    const body = { amount, wallet: 'Bitcoin (BTC)', address: bitcoinAddress } as const
    expect((await world.call(newWithdrawal, person, { body })).status).toBe(200)
  }
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  writeProgram(/```ts\n(.+?)```/s.exec(readFileSync(join(ROOT, 'docs/integrations.md'), 'utf8'))![1]!)
  expect(await run(join(TOOLS, 'tsc'), project)).toEqual({ ended: 0, output: '' })

  const read = (key: string) =>
    run(process.execPath, project, ['program.js'], {
      PROBITY_ADDRESS: `http://127.0.0.1:${port}`,
      PROBITY_KEY: key,
    })
  const { key } = await apiKey(world, { rights: ['console'] })
  expect(await read(key)).toEqual({
    ended: 0,
    output: 'Withdrawals that wait for a decision: 30030 cents\n',
  })
  const { key: other } = await apiKey(world, { rights: ['log'] })
  expect(await read(other)).toEqual({ ended: 1, output: expect.stringMatching(/^forbidden /) })
})

test('[I-03] a call that no API key makes does not compile', async () => {
  writeProgram(`import { createClient } from '@probity/client'
const probity = createClient({ address: 'https://example.com', key: 'probity_' })
await probity.get('/auth/users')
await probity.get('/auth/me')
`)
  const { ended, output } = await run(join(TOOLS, 'tsc'), project)
  expect(ended).not.toBe(0)
  expect(output).toMatch(/^program\.ts\(4,\d+\): error TS/)
})

/** Puts the program into the project. Node's types come from the repository, as they would from a registry. */
function writeProgram(program: string): void {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['node'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  writeFileSync(join(project, 'program.ts'), program)
}

async function npm(cwd: string, ...args: string[]): Promise<void> {
  const { ended, output } = await run('npm', cwd, args)
  if (ended !== 0) throw new Error(output)
}

async function run(command: string, cwd: string, args: string[] = [], env: Record<string, string> = {}) {
  const PATH = [TOOLS, process.env.PATH].join(delimiter)
  const program = watch(command, args, { cwd, env: { ...process.env, ...env, PATH } })
  return { ended: await program.ended(), output: program.output() }
}
