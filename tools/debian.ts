import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupError } from '#server/platform/startup-error.ts'
import { isProgram, runQuietly } from './programs.ts'

/** Where Debian installs each major version of PostgreSQL. */
const SERVERS = '/usr/lib/postgresql'

/** A program of Debian's packages, which tests run. */
export type DebianProgram = {
  /** Its file. */
  name: string
  /** Names its path, instead of the PATH. */
  variable: string
  /** The packages, and what to install elsewhere. */
  packages: readonly string[]
  elsewhere: string
}

/** Its path (the variable first), or null. */
export function findProgram({ name, variable }: DebianProgram): string | null {
  const given = process.env[variable]
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new StartupError(`${variable}: there is no file ${given}`)
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin']
  return folders.map(folder => join(folder, name)).find(isProgram) ?? null
}

/**
 * Installs a program's Debian packages, which only root may do.
 * @throws StartupError with what to do otherwise
 */
export async function installProgram(program: DebianProgram): Promise<string> {
  const { name, variable, elsewhere, packages } = program
  const advice = `Install ${elsewhere}, or set ${variable} to it.`
  await installPackages(packages, { missing: name, advice })
  const found = findProgram(program)
  if (found === null) throw new StartupError(`apt-get installed no ${name} that can be found. ${advice}`)
  return found
}

/**
 * Installs Debian's packages, which only root may do.
 * @throws StartupError that says what is missing, with the advice
 */
export async function installPackages(
  packages: readonly string[],
  { missing, advice }: { missing: string; advice: string },
): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new StartupError(`No ${missing} was found. ${advice}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { code, output } = await runQuietly('apt-get', args, { env })
    if (code !== 0)
      throw new StartupError(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}. ${advice}`)
  }
}

/** The folder of Debian's newest PostgreSQL that has all of these programs, or null. */
export function findPostgresFolder(programs: readonly string[]): string | null {
  if (!existsSync(SERVERS)) return null
  const folders = readdirSync(SERVERS)
    .toSorted((one, other) => Number(other) - Number(one))
    .map(version => join(SERVERS, version, 'bin'))
  return folders.find(folder => programs.every(name => existsSync(join(folder, name)))) ?? null
}
