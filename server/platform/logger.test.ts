import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'

function lines(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const written: string[] = []
  write(createLogger('info', { write: line => void written.push(line) }))
  return written.map(line => JSON.parse(line) as Record<string, unknown>)
}

test('secrets and personal data never reach a line, at any depth and in bindings', () => {
  const secrets = { password: 'p', otp: '1', token: 't', email: 'e', walletAddress: 'w' }
  const [line] = lines(log =>
    log
      .child({ email: 'e', request: 'r-1' })
      .info(
        { ...secrets, status: 200, body: { ...secrets, amount: 5, more: [{ ...secrets, last: 1 }] } },
        'done',
      ),
  )
  expect(line).toMatchObject({
    msg: 'done',
    request: 'r-1',
    status: 200,
    body: { amount: 5, more: [{ last: 1 }] },
  })
  expect(JSON.stringify(line)).not.toMatch(/"(password|otp|token|email|walletAddress)"/)
})

test('an error is its message, code, constraint, stack and cause, and nothing of a row', () => {
  const cause = Object.assign(new Error('inner'), { detail: 'Key (email)=(a@b.c)' })
  const error = Object.assign(new Error('outer', { cause }), { code: '23505', detail: 'Key (email)=(a@b.c)' })
  const [line] = lines(log => log.error({ err: error }, 'unexpected error'))
  expect(line).toMatchObject({
    err: { message: 'outer', code: '23505', cause: { message: 'inner' } },
  })
  expect(JSON.stringify(line)).not.toContain('a@b.c')
})

test('lines that still wait for each other are written when the process ends', () => {
  const script = `import { createLogger } from '#server/platform/logger.ts'
    const log = createLogger('info')
    log.info('one')
    log.info('two')
    process.exit(0)`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/"one".*\n.*"two"/)
})
