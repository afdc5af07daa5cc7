import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parsePolicy, readPolicy } from '#verifier/policy.mjs'
import { vkeyOf } from './made-up-firm.ts'

/** The text of a policy (C2SP tlog-policy). */

const keyOf = (name: string, type = 4) => vkeyOf(name, type, generateKeyPairSync('ed25519').publicKey).vkey
const [log, ann, ben, cid] = [keyOf('firm/proof', 1), keyOf('ann'), keyOf('ben'), keyOf('cid')]
const witnesses = `witness a ${ann} https://ann.example/#w\nwitness b ${ben}\nwitness c ${cid}\n`

test('reads logs, witnesses with addresses, groups of groups and the quorum', () => {
  const text = `# ours\nlog ${log} https://firm/proof\n\t\n${witnesses}group two 2 a b\n  group all all two c\nquorum all`
  const policy = parsePolicy(text, nodeHashes)
  expect(policy.logs.map(({ vkey }) => vkey)).toEqual([log])
  expect([...policy.witnesses].map(([name, { vkey, url }]) => [name, vkey, url])).toEqual([
    ['a', ann, 'https://ann.example/#w'],
    ['b', ben, null],
    ['c', cid, null],
  ])
  expect([...policy.groups]).toEqual([
    ['two', { threshold: 2, members: ['a', 'b'] }],
    ['all', { threshold: 2, members: ['two', 'c'] }],
  ])
  expect(policy.quorum).toBe('all')
  expect(parsePolicy('quorum none\n', nodeHashes).quorum).toBeNull()
})

test.each([
  ['no quorum', witnesses, 'the policy has no quorum line'],
  ['two quorums', 'quorum none\nquorum none', 'line 2 of the policy is not a quorum'],
  ['an unknown quorum', 'quorum d', 'line 1 of the policy is not a quorum'],
  [
    'a group of unknown members',
    `${witnesses}group g any a d\nquorum g`,
    'line 4 of the policy is not a group',
  ],
  ['a group of none', `${witnesses}group g all\nquorum none`, 'line 4 of the policy is not a group'],
  ['a number too large', `${witnesses}group g 3 a b\nquorum g`, 'line 4 of the policy is not a group'],
  ['a number that is none', `${witnesses}group g 1e0 a b\nquorum g`, 'line 4 of the policy is not a group'],
  [
    'a member of two groups',
    `${witnesses}group g any a b\ngroup h any b c\nquorum g`,
    'line 5 of the policy has "b", which is in a group already',
  ],
  [
    'a witness twice',
    `${witnesses}witness d ${ann}\nquorum a`,
    'line 4 of the policy has the key of ann again',
  ],
  ['a name twice', `${witnesses}witness a ${log}\nquorum a`, 'line 4 of the policy names "a" again'],
  ['the name none', `witness none ${ann}\nquorum none`, 'line 1 of the policy has no name'],
  ["a log's key for a witness", `witness a ${log}\nquorum a`, 'is not one of a witness'],
  ["a witness's key for a log", `log ${ann}\nquorum none`, 'is not one of a log'],
  [
    'a key id that is not its own',
    `witness a ${ann.replace('+', '+0')}\nquorum a`,
    'line 1 of the policy has no key',
  ],
  ['another keyword', 'witnesses 3\nquorum none', 'line 1 of the policy has the unknown keyword "witnesses"'],
  ['a line end of Windows', 'quorum none\r\n', 'line 1 of the policy has a control character'],
])('refuses %s', (_kind, text, says) => {
  expect(() => parsePolicy(text, nodeHashes)).toThrow(says)
})

test('names everything that is wrong at once', () => {
  const { errors } = readPolicy('witness a\nx\nquorum b', nodeHashes)
  expect(errors).toHaveLength(3)
})
