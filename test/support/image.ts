import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The image of the Dockerfile, and its files in a folder. */
export type Image = {
  readonly config: {
    User: string
    Env: string[]
    Entrypoint: string[]
    Cmd: string[]
    WorkingDir: string
    Healthcheck?: { Test: string[] }
  }
  /** The root of its file system, as a container would have it. */
  readonly root: string
  /**
   * The program and arguments that run the image with these arguments: as its user, without privileges, on files that nobody
   * can change but those of DATA_DIR.
   * @param secrets a folder, which it finds at /run/secrets
   */
  readonly command: (args: string[], env: NodeJS.ProcessEnv, secrets: string) => [string, string[]]
  readonly remove: () => void
}

const BASE = 'docker.io/library/node:24-bookworm-slim'
const SOURCE = join(import.meta.dirname, '../..')
/** Certificates of this machine, which a proxy for its packages may need. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Builds the image of the committed files with Debian's buildah, as root, in storage of its own. If no registry has the
 * Dockerfile's base, that is built first: from Debian's packages and this Node.
 */
export function buildImage(): Image {
  const folder = mkdtempSync(join(tmpdir(), 'probity-image-'))
  const buildah = (...args: string[]) =>
    execFileSync('buildah', ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 2 ** 20,
    }).trim()
  try {
    provideBase(buildah, folder)
    const source = join(folder, 'source')
    execFileSync('git', ['clone', '--quiet', SOURCE, source])
    buildah('build', '--pull=never', '--network=host', '--format=docker', '--tag=probity', source)
    const container = buildah('from', '--pull-never', 'probity')
    const root = buildah('mount', container)
    const { config } = JSON.parse(buildah('inspect', '--type=image', 'probity')).Docker as Pick<
      Image,
      'config'
    >
    return {
      config,
      root,
      command: (args, env, secrets) => inContainer(config, root, { args, env, secrets }),
      remove: () => {
        buildah('umount', container)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const { stderr } = error as { stderr?: string }
    throw stderr === undefined ? error : new Error(stderr.split('\n').slice(-20).join('\n'), { cause: error })
  }
}

function provideBase(buildah: (...args: string[]) => string, folder: string): void {
  try {
    buildah('pull', '--quiet', BASE)
    return
  } catch {
    // No registry is within reach.
  }
  const debian = join(folder, 'debian.tar')
  execFileSync(
    'mmdebstrap',
    ['--quiet', '--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', debian],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const npmCli = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim()
  const npm = dirname(dirname(npmCli))
  const container = buildah('from', 'scratch')
  buildah('add', '--quiet', container, debian, '/')
  buildah('copy', '--quiet', container, process.execPath, '/usr/local/bin/node')
  buildah('copy', '--quiet', container, npm, '/usr/local/lib/node_modules/npm')
  buildah('copy', '--quiet', container, CERTIFICATES, CERTIFICATES)
  const script = `ln -s /usr/local/lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
    mkdir -p /usr/local/etc && echo cafile=${CERTIFICATES} > /usr/local/etc/npmrc
    groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node`
  buildah('run', container, '--', 'sh', '-ec', script)
  buildah('commit', '--quiet', '--rm', container, BASE)
}

/** What a container engine does, with util-linux: engines want a control group of their own, which a test may not have. */
const RUN_READ_ONLY = `
  root=$1 secrets=$2 directory=$3 user=$4; shift 4
  touch "$root/etc/hosts"
  mount --bind "$root" "$root"
  mount --bind /etc/hosts "$root/etc/hosts"
  mount --bind /proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  mkdir "$root/run/secrets"
  mount --bind "$secrets" "$root/run/secrets"
  mount -t tmpfs -o "uid=$(chroot "$root" id -u "$user"),mode=0700" tmpfs "$root/var/lib/probity"
  mount -o remount,bind,ro "$root"
  exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups --bounding-set=-all --no-new-privs \
    sh -c 'cd "$0" && exec "$@"' "$directory" "$@"`

function inContainer(
  { User, Env, Entrypoint, WorkingDir }: Image['config'],
  root: string,
  { args, env, secrets }: { args: string[]; env: NodeJS.ProcessEnv; secrets: string },
): [string, string[]] {
  const variables = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  return [
    'unshare',
    [
      ...['--mount', '--', 'sh', '-ec', RUN_READ_ONLY, 'sh', root, secrets, WorkingDir, User],
      ...['env', '--ignore-environment', ...variables, ...Entrypoint, ...args],
    ],
  ]
}
