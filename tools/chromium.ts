import { existsSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { StartupError } from '#server/platform/startup-error.ts'
import { isProgram, runQuietly } from './programs.ts'

/** Chromium without a window: journeys take a sixth less time in it. */
const SHELL = 'chromium-headless-shell'
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Debian's packages, best first: older releases have no shell. */
const PACKAGES = [SHELL, 'chromium']

/** How long apt waits for a server that does not answer. */
const APT_SECONDS = 15
const ADVICE = 'Install Chromium or Chrome, or set CHROMIUM_PATH to one.'

/**
 * Chromium renders its address bar's suggestions as two pages of their own, for every page that is opened: most of what
 * opening one costs, and nobody sees them. The last such flag counts, so that Playwright's features are repeated first.
 */
const disabledFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]

/** Flags for a browser that only does what a test asks: nothing in the background, TCP only; no sandbox only as root. */
export const chromiumFlags = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  `--disable-features=${disabledFeatures.join(',')}`,
]

/** Path of the machine's headless shell, Chromium or Chrome (CHROMIUM_PATH first), or null. */
export function findChromium(): string | null {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new StartupError(`CHROMIUM_PATH: there is no file ${given}`)
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/snap/bin']
  return folders.flatMap(folder => NAMES.map(name => join(folder, name))).find(isProgram) ?? null
}

/**
 * The browser of the journeys: CHROMIUM_PATH, or the headless shell, installed if it is missing. Where it cannot be
 * installed, what the machine has.
 * @throws StartupError with what to do if there is no browser at all
 */
export async function provideChromium(found = findChromium()): Promise<string> {
  if (found !== null && (found === process.env.CHROMIUM_PATH || basename(found) === SHELL)) return found
  return await installChromium(found === null ? PACKAGES : [SHELL]).catch((error: unknown) => {
    if (found === null) throw error
    return found
  })
}

/**
 * Installs Debian's headless shell, or else Chromium, which only root may do.
 * @throws StartupError with what to do otherwise
 */
export async function installChromium(packages = PACKAGES): Promise<string> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new StartupError(`No browser was found. ${ADVICE}`)
  await aptGet('update')
  let failure: unknown
  for (const name of packages) {
    try {
      await aptGet('install', '-y', '--no-install-recommends', name)
    } catch (error) {
      failure = error
      continue
    }
    const found = findChromium()
    if (found === null) throw new StartupError(`apt-get installed no browser that can be found. ${ADVICE}`)
    return found
  }
  throw failure
}

async function aptGet(...args: [string, ...string[]]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const limits = ['-o', `Acquire::http::Timeout=${APT_SECONDS}`, '-o', 'Acquire::Retries=0']
  const { code, output } = await runQuietly('apt-get', [...args, ...limits], { env })
  if (code === 0) return
  throw new StartupError(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}. ${ADVICE}`)
}
