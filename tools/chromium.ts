import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupFault } from '#server/platform/startup-fault.ts'
import { isProgram, runQuietly } from './programs.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

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

/** Path of the machine's Chromium or Chrome (CHROMIUM_PATH first), or null. */
export function findChromium(): string | null {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new StartupFault(`CHROMIUM_PATH: there is no file ${given}`)
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/snap/bin']
  return folders.flatMap(folder => NAMES.map(name => join(folder, name))).find(isProgram) ?? null
}

/**
 * Installs Debian's Chromium, which only root may do.
 * @throws StartupFault with what to do otherwise
 */
export async function installChromium(): Promise<string> {
  const advice = 'Install Chromium or Chrome, or set CHROMIUM_PATH to one.'
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new StartupFault(`No browser was found. ${advice}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const { code, output } = await runQuietly('apt-get', args, { env })
    if (code !== 0)
      throw new StartupFault(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}. ${advice}`)
  }
  const found = findChromium()
  if (found === null) throw new StartupFault(`apt-get installed no browser that can be found. ${advice}`)
  return found
}
