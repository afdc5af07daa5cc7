// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code that is checked
import { expect, test } from 'vitest'
import { plainRefusals } from './refusal-words.ts'

const lines = (code: string, file = 'server/plans/service.ts') =>
  plainRefusals(file, code).map(({ line }) => line)

test('refuses the plain words of a refusal, wherever they come from', () => {
  for (const code of [
    "throw new AppError('not_found',\n'Plan not found')",
    "throw invalidField('name',\n`There are ${count} plans`)",
    "const message =\n'Plan not found'\nthrow new AppError('not_found', message, { fields: { name: message } })",
    "throw new AppError('not_found', known ? t('Gone') :\n'Plan not found')",
    "throw refused(\n'Plan not found')\nfunction refused(message: string) { return new AppError('not_found', message) }",
    "throw new AppError('not_found', words())\nfunction words() { return 'Plan not found' }",
    "const words = { plan:\n'Plan not found' }\nconst of = (kind: 'plan') => new AppError('not_found', words[kind])",
    "const words =\nmsg('Plan not found')\nconst refused = () => new AppError('not_found', words)",
    "const message = t('Plan not found')\nthrow new AppError('not_found', message, { fields: { name: 'No plan' } })",
    "const { gone } = words[kind]\nconst words = { plan: { gone: 'Plan not found', other: 'x y' } }\nthrow new AppError('not_found', gone)",
    "defineRefusals({ one: () => t('Gone'),\ntwo: ({ name }) => `${name} is gone` })",
  ])
    expect(lines(code), code).toEqual([2])
})

test('refuses plain messages of fields and successes in a contract', () => {
  const contract = (code: string) => lines(code, 'shared/contract/plans.ts')
  for (const code of [
    "z.string().min(1,\n'Choose a plan')",
    "z.string({ error:\n'Choose a plan' })",
    "const wrong =\n'Choose a plan'\nz.string(wrong)",
    'const wrong =\n`Choose at most ${most} plans`\nz.array(z.string()).max(most, wrong)',
    "const wrong =\nmsg('Choose a plan')\nz.string(wrong)",
    "const wrong = { error:\n'Choose a plan' }\nz.string(wrong)",
    "const done =\nmsg('Done')\ndefineCall({ message: done })\nz.string({ error: () => done })",
    'z.enum(plans, { error: () =>\n`Choose one of ${plans}` })',
    "textLine(\n'Name', 120)",
    "defineCall({ message:\n'Plan created' })",
    "defineCall({ message: msg('Done'), messageFor: ({ waits }) => (waits ?\n'Proposed' : undefined) })",
    "defineCall({ message: msg('Done'), messageFor: () =>\nmsg('Proposed') })",
  ])
    expect(contract(code), code).toEqual([2])
  for (const code of [
    "z.string({ error: () => t('Choose a plan') }).describe('The name of the plan')",
    "textLine(msg('Name'), 120)",
    "const wrong = { error: () => t('Choose a plan') }\nz.string(wrong)",
    "const plans = ['Basic Plan', 'Elite Plan']\nz.enum(plans)",
    "defineCall({ id: 'plan.add', message: msg('Plan created'), summary: 'Adds a plan' })",
    "z.literal('Bitcoin (BTC)')",
  ])
    expect(contract(code), code).toEqual([])
})

test('allows texts of the catalogue, names and values in a refusal', () => {
  for (const code of [
    "throw new AppError('not_found', t('Plan not found'), { reason: 'plan_gone' })",
    "const words = msg('Plan not found')\nconst refused = () => new AppError('not_found', translate(words))",
    "const refused = (error: Error) => new AppError('not_found', `${t('Gone')} ${error.message}`)",
    "const other = 'Plan not found'\nthrow new Error(other)",
    "throw new AppError('not_found', words(t('Plan not found')))\nfunction words(text: string) { return text }",
  ])
    expect(lines(code), code).toEqual([])
})

test('allows the refusals of what machines read', () => {
  expect(lines("throw new AppError('not_ready', 'Not yet')", 'server/http/health.ts')).toEqual([])
  expect(lines("throw new AppError('not_ready', 'Not yet')", 'tools/console.ts')).toEqual([])
})
