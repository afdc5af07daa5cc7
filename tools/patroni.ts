import { StartupError } from '#server/platform/startup-error.ts'
import { type DebianProgram, findPostgresFolder, findProgram, installPackages } from './debian.ts'

/** Programs that Patroni calls; the embedded PostgreSQL has the first one only. */
const CALLED = ['postgres', 'pg_controldata', 'pg_isready', 'pg_basebackup', 'pg_rewind']
const PACKAGES = ['patroni', 'python3-etcd', 'etcd-server', 'postgresql']
const MISSING = 'Patroni, etcd, or PostgreSQL with all its programs'
const ADVICE = `Install Debian's ${PACKAGES.join(', ')}.`

const patroni: DebianProgram = {
  name: 'patroni',
  variable: 'PATRONI_PATH',
  packages: ['patroni'],
  elsewhere: 'Patroni',
}
const patronictl: DebianProgram = { ...patroni, name: 'patronictl', variable: 'PATRONICTL_PATH' }
const etcd: DebianProgram = {
  name: 'etcd',
  variable: 'ETCD_PATH',
  packages: ['etcd-server'],
  elsewhere: 'etcd',
}

export type PatroniPrograms = { patroni: string; patronictl: string; etcd: string; postgresFolder: string }

/**
 * What `npm run chaos -- --patroni` runs, installed first if it is missing.
 * @throws StartupError that says what to install if only root could, or no Debian is here
 */
export async function providePatroni(): Promise<PatroniPrograms> {
  const here = found()
  if (here !== null) return here
  await installPackages(PACKAGES, { missing: MISSING, advice: ADVICE })
  const installed = found()
  if (installed === null) throw new StartupError(`No ${MISSING} was found. ${ADVICE}`)
  return installed
}

function found(): PatroniPrograms | null {
  const [ownPatroni, ownCtl, ownEtcd] = [patroni, patronictl, etcd].map(findProgram)
  const postgresFolder = findPostgresFolder(CALLED)
  if (!ownPatroni || !ownCtl || !ownEtcd || postgresFolder === null) return null
  return { patroni: ownPatroni, patronictl: ownCtl, etcd: ownEtcd, postgresFolder }
}
