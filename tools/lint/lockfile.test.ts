import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Entry = {
  integrity?: string
  resolved?: string
  optional?: true
  os?: string[]
  cpu?: string[]
  libc?: string[]
}
const lockfile = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
const { packages } = JSON.parse(lockfile) as { packages: Record<string, Entry> }
const { '': _project, ...entries } = packages

/**
 * Programs of developers for other systems, which the registry that made the lockfile did not have. npm needs their
 * entries, and installs none of them on Linux with glibc on x64. Fill a hash in with: npm view <name>@<version>
 * dist.integrity
 */
const withoutHash = [
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl', 'linux-x64-musl'].map(
    system => `@biomejs/cli-${system}`,
  ),
  ...['win32-arm64', 'win32-x64'].map(system => `@biomejs/cli-${system}`),
  ...['darwin-amd64', 'darwin-arm64', 'linux-arm64', 'win32-amd64'].map(
    system => `@foundry-rs/anvil-${system}`,
  ),
  ...['android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf', 'wasm32-wasi'].map(
    system => `@tailwindcss/oxide-${system}`,
  ),
  ...['win32-arm64-msvc', 'win32-x64-msvc'].map(system => `@tailwindcss/oxide-${system}`),
].map(name => `node_modules/${name}`)

test('every package that can be installed on a server has its hash in the lockfile', () => {
  const unverified = Object.entries(entries).filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))
  expect(unverified.map(([path]) => path).toSorted()).toEqual(withoutHash.toSorted())
  for (const [path, { optional, os, cpu, libc }] of unverified) {
    const isForServers =
      (os ?? ['linux']).includes('linux') &&
      (cpu ?? ['x64']).includes('x64') &&
      (libc ?? ['glibc']).includes('glibc')
    expect([optional, isForServers], path).toEqual([true, false])
  }
})

test('the lockfile names no registry, so that each installation uses its own', () => {
  expect(lockfile).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/)
})
