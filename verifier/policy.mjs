// @ts-check
import { Invalid } from './errors.mjs'
import { COSIGNER_KEY, cosignatures, LOG_KEY, parseVerifierKey } from './note.mjs'

/** Which witnesses somebody trusts, and how many of them must have cosigned (C2SP tlog-policy). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./note.mjs').VerifierKey} VerifierKey */
/** @typedef {import('./note.mjs').Checkpoint} Checkpoint */
/** @typedef {import('./note.mjs').Cosignature} Cosignature */
/** @typedef {VerifierKey & { url: string | null }} Witness */
/** @typedef {{ threshold: number, members: string[] }} Group */
/** @typedef {{ logs: VerifierKey[], witnesses: Map<string, Witness>, groups: Map<string, Group>, quorum: string | null }} Policy */

const MOST_LINES = 1000
// biome-ignore lint/suspicious/noControlCharactersInRegex: tlog-policy forbids them
const CONTROL_CHARACTER = /[\x00-\x08\x0b-\x1f\x7f]/

/**
 * @param {string} text
 * @param {Hashes} hashes
 * @returns {Policy}
 * @throws {Invalid} with everything that is wrong
 */
export function parsePolicy(text, hashes) {
  const { policy, errors } = readPolicy(text, hashes)
  if (errors.length > 0) throw new Invalid(errors.join('; '))
  return policy
}

/**
 * @param {string} text
 * @param {Hashes} hashes
 * @returns {{ policy: Policy, errors: string[] }}
 */
export function readPolicy(text, hashes) {
  const reader = new Reader(hashes)
  const lines = text.split('\n')
  if (lines.length > MOST_LINES)
    return { policy: reader.policy, errors: [`the policy has more than ${MOST_LINES} lines`] }
  for (const [at, line] of lines.entries()) {
    try {
      if (CONTROL_CHARACTER.test(line)) throw new Invalid('has a control character')
      const words = line.split(/[ \t]+/).filter(Boolean)
      if (words.length > 0 && !words[0]?.startsWith('#')) reader.add(words)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      reader.errors.push(`line ${at + 1} of the policy ${error.message}`)
    }
  }
  if (!reader.hasQuorum && reader.errors.length === 0) reader.errors.push('the policy has no quorum line')
  return { policy: reader.policy, errors: reader.errors }
}

class Reader {
  /** @type {Policy} */
  policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: null }
  /** @type {string[]} */
  errors = []
  hasQuorum = false
  #hashes
  /** @type {Set<string>} members of a group, each of one only */
  #grouped = new Set()

  /** @param {Hashes} hashes */
  constructor(hashes) {
    this.#hashes = hashes
  }

  /** @param {string[]} words */
  add([keyword, ...words]) {
    if (keyword === 'log') this.#log(words)
    else if (keyword === 'witness') this.#witness(words)
    else if (keyword === 'group') this.#group(words)
    else if (keyword === 'quorum') this.#quorum(words)
    else throw new Invalid(`has the unknown keyword "${keyword}"`)
  }

  /** @param {string[]} words */
  #log([vkey = '', _url, ...rest]) {
    const { logs } = this.policy
    logs.push(this.#key(vkey, LOG_KEY, logs))
    if (rest.length > 0) throw new Invalid('has more words than a log')
  }

  /** @param {string[]} words */
  #witness([name = '', vkey = '', ...rest]) {
    this.#requireNew(name)
    const { witnesses } = this.policy
    witnesses.set(name, { ...this.#key(vkey, COSIGNER_KEY, [...witnesses.values()]), url: rest[0] ?? null })
    if (rest.length > 1) throw new Invalid('has more words than a witness')
  }

  /** @param {string[]} words */
  #group([name = '', count = '', ...members]) {
    this.#requireNew(name)
    const threshold = count === 'any' ? 1 : count === 'all' ? members.length : Number(count)
    const isNumber = /^[1-9]\d*$/.test(count) || count === 'any' || count === 'all'
    if (!members.every(this.#isKnown) || !isNumber || !(threshold >= 1 && threshold <= members.length))
      throw new Invalid('is not a group of known witnesses')
    for (const member of members) {
      if (this.#grouped.has(member)) throw new Invalid(`has "${member}", which is in a group already`)
      this.#grouped.add(member)
    }
    this.policy.groups.set(name, { threshold, members })
  }

  /** @param {string[]} words */
  #quorum([name = '', ...rest]) {
    if (this.hasQuorum || rest.length > 0 || (name !== 'none' && !this.#isKnown(name)))
      throw new Invalid('is not a quorum')
    this.hasQuorum = true
    this.policy.quorum = name === 'none' ? null : name
  }

  /**
   * @param {string} vkey
   * @param {number} type
   * @param {VerifierKey[]} others which must not have the same public key
   */
  #key(vkey, type, others) {
    const key = parseKey(vkey, this.#hashes)
    if (key.type !== type)
      throw new Invalid(
        `has a key of ${key.name} that is not one of a ${type === LOG_KEY ? 'log' : 'witness'}`,
      )
    if (others.some(({ publicKey }) => publicKey.join() === key.publicKey.join()))
      throw new Invalid(`has the key of ${key.name} again`)
    return key
  }

  /** @param {string} name */
  #requireNew(name) {
    if (name === '' || name === 'none') throw new Invalid('has no name')
    if (this.#isKnown(name)) throw new Invalid(`names "${name}" again`)
  }

  #isKnown = (/** @type {string} */ name) => this.policy.witnesses.has(name) || this.policy.groups.has(name)
}

/**
 * @param {string} vkey
 * @param {Hashes} hashes
 */
function parseKey(vkey, hashes) {
  try {
    return parseVerifierKey(vkey, hashes)
  } catch (error) {
    if (error instanceof Invalid) throw new Invalid(`has no key: ${error.message}`)
    throw error
  }
}

/**
 * Who of a policy has cosigned a checkpoint and who has not, and whether that is enough.
 * @param {Policy} policy
 * @param {Pick<Checkpoint, 'text' | 'signatures'>} checkpoint
 * @param {Hashes} hashes
 * @param {Date} now
 * @returns {{ found: Cosignature[], absent: Witness[], isQuorum: boolean }}
 * @throws {Invalid} if a cosignature is forged or dated in the future
 */
export function judge(policy, checkpoint, hashes, now) {
  const witnesses = [...policy.witnesses.values()]
  const found = cosignatures(checkpoint, witnesses, hashes, now)
  const signed = new Set(found.map(({ name, keyId }) => `${name} ${keyId}`))
  const hasSigned = (/** @type {Witness} */ { name, keyId }) => signed.has(`${name} ${keyId}`)
  const holds = (/** @type {string} */ member) => {
    const witness = policy.witnesses.get(member)
    if (witness !== undefined) return hasSigned(witness)
    const group = policy.groups.get(member)
    return group !== undefined && group.members.filter(holds).length >= group.threshold
  }
  return {
    found,
    absent: witnesses.filter(witness => !hasSigned(witness)),
    isQuorum: policy.quorum === null || holds(policy.quorum),
  }
}
