import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TimeAuthority } from '#test/support/time-authority.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { Invalid } from '#verifier/errors.mjs'
import { reportJson } from '#verifier/report.mjs'
import { datedLate } from '#verifier/stamps.mjs'
import { certificatesIn, checkTimeStamp, stampRequest } from '#verifier/time-stamp.mjs'
import { type Files, firmsDays, newKey, publish, write } from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { visitOnce } from './run-audit.ts'

/** Time stamps over the checkpoints of a made-up firm, by OpenSSL's authority, and lies about them. */

const authorities: TimeAuthority[] = []
afterAll(() => {
  for (const authority of authorities) authority.close()
})
function newAuthority(made = {}): TimeAuthority {
  const authority = new TimeAuthority(made)
  authorities.push(authority)
  return authority
}

const hashOf = (content: Buffer | string) => createHash('sha256').update(content).digest()

describe.skipIf(missingNode(testNodes.openssl))('time stamps', () => {
  let authority: TimeAuthority
  let stranger: TimeAuthority
  let expired: TimeAuthority
  let stamped: Files
  beforeAll(() => {
    authority = newAuthority()
    stranger = newAuthority({ name: 'Another authority' })
    expired = newAuthority({ to: '20240101' })
    stamped = stampedBy(authority)
  })
  const trusting = (...of: TimeAuthority[]) => of.flatMap(({ root }) => certificatesIn(root))
  const stampOf = (content: Buffer | string, by = authority) => by.stamp(stampRequest(hashOf(content)))
  // Long ago, so that the stamps are younger on any day.
  const days = firmsDays(3).map((day, at) => ({ ...day, date: `2020-01-0${at + 1}` }))
  const files = publish(write(days), newKey())
  const stampedBy = (by: TimeAuthority, epochs = [1, 2, 3]): Files => {
    const stamped = new Map(files)
    for (const epoch of epochs) {
      const stamp = stampOf(files.get(`epochs/${epoch}/checkpoint`)!, by)
      stamped.set(`epochs/${epoch}/stamps/tsa.example.tsr`, stamp)
    }
    stamped.set('stamps', Buffer.from(epochs.map(epoch => `${epoch} tsa.example\n`).join('')))
    return stamped
  }

  test('date each epoch, by authorities that the visitor trusts', async () => {
    const { failures, exitCode, audit, report } = await visitOnce(stamped, {
      authorities: trusting(stranger, authority),
    })
    expect(failures).toEqual([])
    expect(exitCode).toBe(0)
    expect(audit.stamps).toMatchObject([1, 2, 3].map(epoch => ({ epoch, isTrusted: true })))
    expect(report).toMatch(
      /✓ 3 time stamps of the authorities that you trust. Test time authority confirms that epoch 3/,
    )
  })

  test('name their checkpoint also to those who trust no authority', async () => {
    const { exitCode, report } = await visitOnce(stamped)
    expect(exitCode).toBe(0)
    expect(report).toMatch(/The newest, of epoch 3, says .* whose they are was not checked \(--tsa\)/)
  })

  test('stay valid when a witness adds its line to the checkpoint', async () => {
    const cosigned = new Map(stamped)
    const note = stamped.get('epochs/2/checkpoint')!
    cosigned.set(
      'epochs/2/checkpoint',
      Buffer.concat([note, Buffer.from(`— witness.example ${'A'.repeat(100)}\n`)]),
    )
    expect((await visitOnce(cosigned, { authorities: trusting(authority) })).failures).toEqual([])
  })

  const path = 'epochs/2/stamps/tsa.example.tsr'
  const lies: [name: string, says: RegExp, (files: Files) => void][] = [
    [
      'a stamp of another checkpoint',
      /^epoch 2, stamp of tsa.example: it is over another content/,
      files => files.set(path, files.get('epochs/1/stamps/tsa.example.tsr')!),
    ],
    [
      'a changed time',
      /its signature is over another content/,
      files =>
        files.set(
          path,
          Buffer.from(files.get(path)!.toString('latin1').replace('\x0f20', '\x0f21'), 'latin1'),
        ),
    ],
    [
      'a changed signature',
      /its signature is forged/,
      files => {
        const stamp = Buffer.from(files.get(path)!)
        stamp[stamp.length - 1]! ^= 1
        files.set(path, stamp)
      },
    ],
    [
      'a stamp cut off',
      /it is cut off, or not DER/,
      files => files.set(path, files.get(path)!.subarray(0, -1)),
    ],
    [
      'bytes after a stamp',
      /it is not one element of DER/,
      files => files.set(path, Buffer.concat([files.get(path)!, Buffer.of(5, 0)])),
    ],
    [
      'a refusal in place of a stamp',
      /the authority has refused it, with status 2/,
      files => files.set(path, Buffer.from('30053003020102', 'hex')),
    ],
    [
      'a stamp of a wrong authority',
      /its authority, Another authority, is none that you trust/,
      files => files.set(path, stampOf(files.get('epochs/2/checkpoint')!, stranger)),
    ],
    [
      'a stamp by an expired certificate',
      /the certificate of Test time authority was not valid then/,
      files => files.set(path, stampOf(files.get('epochs/2/checkpoint')!, expired)),
    ],
    [
      'a stamp of an epoch that is not there',
      /there is a stamp of epoch 9, which is not in the log/,
      files => files.set('stamps', Buffer.from('9 tsa.example\n')),
    ],
    [
      'a list with a name that is none',
      /"2 ..\/x" does not name a stamp/,
      files => files.set('stamps', Buffer.from('2 ../x\n')),
    ],
    [
      'a list with a stamp twice',
      /does not name a stamp/,
      files => files.set('stamps', Buffer.from('2 tsa.example\n2 tsa.example\n')),
    ],
  ]
  test.each(lies)('named: %s', async (kind, says, change) => {
    expectListed(kind)
    const changed = new Map(stamped)
    change(changed)
    const { failures, exitCode } = await visitOnce(changed, { authorities: trusting(authority, expired) })
    expect(failures).toEqual([{ check: 'stamps', message: expect.stringMatching(says) }])
    expect(exitCode).toBe(1)
  })

  test('named: a stamp older than the day that its epoch ends', async () => {
    const future = days.map((day, at) => ({ ...day, date: `2098-01-0${at + 1}` }))
    const ahead = publish(write(future), newKey())
    ahead.set(path, stampOf(ahead.get('epochs/2/checkpoint')!))
    ahead.set('stamps', Buffer.from('2 tsa.example\n'))
    const { failures } = await visitOnce(ahead, { now: new Date('2098-01-04T12:00:00Z') })
    const message = expect.stringMatching(
      /^epoch 2, stamp of tsa.example: it says .* which is before 2098-01-02/,
    )
    expect(failures).toEqual([{ check: 'stamps', message }])
  })

  test('that came days after the days of their epochs are named, with the epochs', async () => {
    const on = new Date().toISOString().slice(0, 10)
    const { report, audit, exitCode } = await visitOnce(stampedBy(authority, [1, 3]))
    expect([exitCode, audit.stamps.length]).toEqual([0, 2])
    expect(report).toContain(`Epochs 1–3 were dated only on ${on}, more than 2 days after the day stated`)
    expect(reportJson(audit).remarks).toContainEqual(expect.stringMatching(/^Epochs 1–3 were dated only/))
  })

  test('of the days that their epochs state raise no doubt', () => {
    const epochs = [1, 2, 3, 4].map(epoch => ({ epoch, date: `2026-10-0${epoch}` }))
    const at = (epoch: number, day: string) => {
      return { epoch, time: `2026-10-${day}T00:10:00.000Z`, authority: 'x', isTrusted: true }
    }
    expect(datedLate(epochs, [at(2, '04'), at(4, '05')])).toEqual([
      'Epoch 1 was dated only on 2026-10-04, more than 2 days after the day stated: no time stamp shows an earlier one.',
    ])
    expect(datedLate(epochs, [at(1, '02'), at(3, '04'), at(1, '09')])).toEqual([])
  })

  test('that are missing are named: listed ones, epochs without, and all of them', async () => {
    const missing = new Map(stamped)
    missing.delete(path)
    const { audit, exitCode } = await visitOnce(missing)
    expect(audit.findings.missing).toEqual([
      { check: 'stamps', message: expect.stringContaining(`${path} is missing`) },
    ])
    expect(exitCode).toBe(2)
    const gap = await visitOnce(stampedBy(authority, [1, 3]))
    expect(gap.report).toContain('Without a time stamp, since epoch 1 has one: 2.')
    const none = await visitOnce(files, { authorities: trusting(authority) })
    expect(none.audit.findings.missing).toEqual([{ check: 'stamps', message: 'no epoch has a time stamp' }])
  })

  test.each(['ec', 'rsa'] as const)('no changed byte of a stamp changes what it says (%s)', key => {
    const by = newAuthority({ key })
    const stamp = stampOf('content', by)
    const check = (bytes: Buffer) => checkTimeStamp(bytes, hashOf('content'), trusting(by))
    const { time, signer } = check(stamp)
    let refused = 0
    for (let at = 0; at < stamp.length; at += 1) {
      const changed = Buffer.from(stamp)
      changed[at]! ^= 1
      try {
        expect(check(changed)).toMatchObject({ time, signer })
      } catch (error) {
        expect(error).toBeInstanceOf(Invalid)
        refused += 1
      }
    }
    // The rest is not signed: versions, and the list of hash functions.
    expect(refused).toBeGreaterThan(stamp.length - 30)
  })

  test('are no stamps, with a certificate for something else', () => {
    const by = newAuthority()
    stampOf('content', by)
    const root = ['-config', 'configuration', '-cert', 'root', '-keyfile', 'root-key', '-days', '9']
    by.run('req', '-new', '-key', 'key', '-subj', '/CN=Mail', '-out', 'request')
    by.run('ca', '-batch', '-notext', ...root, '-extensions', 'mail', '-in', 'request', '-out', 'mail')
    by.run('ts', '-reply', '-in', 'reply', '-token_out', '-out', 'token')
    by.run('cms', '-verify', '-noverify', '-inform', 'DER', '-in', 'token', '-out', 'info')
    const type = ['-binary', '-nodetach', '-cades', '-econtent_type', '1.2.840.113549.1.9.16.1.4']
    by.run(
      ...['cms', '-sign', ...type, '-in', 'info', '-signer', 'mail', '-inkey', 'key'],
      ...['-outform', 'DER', '-out', 'token'],
    )
    const token = readFileSync(by.file('token'))
    const response = Buffer.concat([Buffer.from('308200003003020100', 'hex'), token])
    response.writeUInt16BE(response.length - 4, 2)
    const check = () => checkTimeStamp(response, hashOf('content'), trusting(by))
    expect(check).toThrow("its authority's certificate is not one for time stamps alone")
  })
})
