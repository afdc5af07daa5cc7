// @ts-check
import { Invalid } from './errors.mjs'
import { cosignatures, parseVerifierKey } from './note.mjs'

/** Which witnesses somebody trusts, and how many of them must have cosigned (C2SP tlog-policy). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {{ threshold: number, members: string[] }} Group */
/** @typedef {{ logs: VerifierKey[], witnesses: Map<string, VerifierKey>, groups: Map<string, Group>, quorum: string | null }} Policy */

/**
 * @param {string} text
 * @param {Hashes} hashes
 * @returns {Policy}
 * @throws {Invalid}
 */
export function parsePolicy(text, hashes) {
  /** @type {Policy & { hasQuorum: boolean }} */
  const policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: null, hasQuorum: false }
  for (const [at, line] of text.split('\n').entries()) {
    const words = line.replace(/#.*$/, '').split(/\s+/).filter(Boolean)
    if (words.length > 0) addLine(policy, words, `line ${at + 1} of the policy`, hashes)
  }
  return policy
}

/**
 * @param {Policy & { hasQuorum: boolean }} policy
 * @param {string[]} words
 * @param {string} place
 * @param {Hashes} hashes
 */
function addLine(policy, [keyword, ...words], place, hashes) {
  const [name = '', second = ''] = words
  const isKnown = (/** @type {string} */ member) => policy.witnesses.has(member) || policy.groups.has(member)
  const requireNew = () => {
    if (name === '' || name === 'none' || isKnown(name)) throw new Invalid(`${place} names "${name}" again`)
  }
  if (keyword === 'log') policy.logs.push(parseVerifierKey(name, hashes))
  else if (keyword === 'witness') {
    requireNew()
    policy.witnesses.set(name, parseVerifierKey(second, hashes))
  } else if (keyword === 'group') {
    requireNew()
    const members = words.slice(2)
    const threshold = second === 'any' ? 1 : second === 'all' ? members.length : Number(second)
    if (!members.every(isKnown) || !(threshold >= 1 && threshold <= members.length))
      throw new Invalid(`${place} is not a group of known witnesses`)
    policy.groups.set(name, { threshold, members })
  } else if (keyword === 'quorum') {
    if (policy.hasQuorum || (name !== 'none' && !isKnown(name))) throw new Invalid(`${place} is not a quorum`)
    policy.hasQuorum = true
    policy.quorum = name === 'none' ? null : name
  } else throw new Invalid(`${place} has the unknown keyword "${keyword}"`)
}

/**
 * @param {Policy} policy
 * @param {Checkpoint} checkpoint
 * @param {Hashes} hashes
 * @returns {import('./note.mjs').Cosignature[]}
 * @throws {Invalid} if the policy does not accept the checkpoint
 */
export function requireWitnesses(policy, checkpoint, hashes) {
  const found = cosignatures(checkpoint, [...policy.witnesses.values()], hashes)
  const signed = new Set(found.map(({ name, keyId }) => `${name} ${keyId}`))
  const holds = (/** @type {string} */ member) => {
    const witness = policy.witnesses.get(member)
    if (witness !== undefined) return signed.has(`${witness.name} ${witness.keyId}`)
    const group = policy.groups.get(member)
    return group !== undefined && group.members.filter(holds).length >= group.threshold
  }
  if (policy.quorum !== null && !holds(policy.quorum))
    throw new Invalid(
      `the checkpoint has not the cosignatures that the policy asks for (quorum ${policy.quorum}); it has ${found.map(({ name }) => name).join(', ') || 'none'}`,
    )
  return found
}
