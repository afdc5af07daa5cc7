import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentSchema } from '#server/config/environment.ts'
import { keyPurposes } from './encrypted.ts'

const root = join(import.meta.dirname, '../..')
const inventory = readFileSync(join(root, 'docs/keys.md'), 'utf8')

test('[V-07] the inventory has every key that is derived from TOKEN_SECRET', () => {
  const rows = inventory.split('\n').filter(line => line.startsWith('| `'))
  for (const purpose of keyPurposes) {
    expect(
      rows.filter(row => row.startsWith(`| \`${purpose}\` `)),
      purpose,
    ).toHaveLength(1)
  }
})

test('[V-07] no code uses a secret but the one that derives keys from it', () => {
  const files = globSync('server/**/*.ts', { cwd: root }).filter(file => !file.endsWith('.test.ts'))
  const using = files.filter(file => /\btokenSecret\b/.test(readFileSync(join(root, file), 'utf8')))
  expect(using.toSorted()).toEqual(['server/config.ts', 'server/platform/encrypted.ts'])
})

test('[V-07] the inventory has every variable that can contain a secret', () => {
  const secret = /SECRET|TOKEN|KEY|XPUB|PASSWORD|_URLS?$/
  const names = Object.keys(environmentSchema.shape).filter(
    name => secret.test(name) && name !== 'PUBLIC_URL' && name !== 'PAYMENT_TOKENS',
  )
  expect(names).toContain('SMTP_URL')
  expect(names.filter(name => !inventory.includes(`\`${name}\``))).toEqual([])
})
