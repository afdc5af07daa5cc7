import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClamdAddress, scan } from '#server/platform/clamd.ts'
import { findClamd } from '#tools/clamd.ts'
import { freePort } from '#tools/free-port.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { atEnd } from './clean-up.ts'
import { until } from './processes.ts'

/** Why tests that need ClamAV cannot run; undefined if they can. */
export const withoutClamd = missingNode(testNodes.clamd)

/** The harmless file that every scanner reports (eicar.org), in two parts, so that none reports this file. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

/**
 * Starts ClamAV's daemon with one signature, that of the EICAR file, because the real ones are hundreds of megabytes.
 * It ends after the test file.
 * @returns its two addresses, and what stops it
 */
export async function startClamd(): Promise<{ addresses: ClamdAddress[]; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), `probity-clamd-${process.pid}-`))
  const signatures = join(folder, 'signatures')
  mkdirSync(signatures)
  writeFileSync(
    join(signatures, 'probity.ndb'),
    `Eicar-Test-Signature:0:*:${Buffer.from(eicar).toString('hex')}\n`,
  )
  const path = join(folder, 'clamd.ctl')
  const port = await freePort()
  const settings = [
    'Foreground yes',
    `DatabaseDirectory ${signatures}`,
    `TemporaryDirectory ${folder}`,
    `LocalSocket ${path}`,
    `TCPSocket ${port}`,
    'TCPAddr 127.0.0.1',
    'StreamMaxLength 6M',
  ]
  const file = join(folder, 'clamd.conf')
  writeFileSync(file, `${settings.join('\n')}\n`)
  const child = spawn(findClamd()!, [`--config-file=${file}`], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  atEnd(stop)
  const addresses = [{ path }, { host: '127.0.0.1', port }]
  await until(() =>
    scan(addresses[1]!, Buffer.from('clean')).then(
      () => true,
      () => false,
    ),
  )
  return { addresses, stop }
}
