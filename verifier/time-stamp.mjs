// @ts-check
import { createHash, verify, X509Certificate } from 'node:crypto'
import { equal, hex } from './bytes.mjs'
import { context, elements, integerOf, oidOf, onlyElement, Parts, TAG } from './der.mjs'
import { Invalid, Unavailable } from './errors.mjs'

/** Time stamps of RFC 3161: what they are over, when they were made, and whose they are. */

/**
 * @typedef {object} TimeStamp
 * @property {Date} time
 * @property {string} policy the authority's, an object identifier
 * @property {string} signer the name in its certificate
 * @property {boolean} isTrusted true if its certificate leads to one that the caller trusts
 */
/** @typedef {{ certificate: X509Certificate, issuer: Uint8Array, serial: Uint8Array, extensions: Uint8Array | null }} Known */

const OID = /** @type {const} */ ({
  signedData: '1.2.840.113549.1.7.2',
  timeStampInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
})
/** @type {Map<string, string>} */
const DIGESTS = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])
/** Signatures by the digest that they are over; null: over that of the signer's line. */
const SIGNATURES = new Map([
  ['1.2.840.113549.1.1.1', null],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
])
const GRANTED = [0, 1]
const MOST_CERTIFICATES_IN_CHAIN = 8

/**
 * The request for a stamp over a SHA-256 (RFC 3161, 2.4.1), which asks for the authority's certificate.
 * @param {Uint8Array} sha256
 */
export function stampRequest(sha256) {
  const head = '30390201013031300d060960864801650304020105000420'
  return Buffer.concat([Buffer.from(head, 'hex'), sha256, Buffer.from('0101ff', 'hex')])
}

/**
 * The certificates of a PEM file.
 * @param {string} pem
 * @throws {Unavailable} if there is none
 */
export function certificatesIn(pem) {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Unavailable('there is no certificate in the file of authorities')
  return blocks.map(block => certificate(() => new X509Certificate(block)))
}

/**
 * Checks a stamp's signature, and that it is over this SHA-256.
 * @param {Uint8Array} response of the authority (RFC 3161, 2.4.2)
 * @param {Uint8Array} sha256
 * @param {X509Certificate[] | null} trusted whose stamps are accepted; null: the authority is not checked
 * @returns {TimeStamp}
 * @throws {Invalid}
 */
export function checkTimeStamp(response, sha256, trusted) {
  const { info, digestName, signed, signatureName, signature, signer, certificates } = openResponse(response)
  const { time, imprint, policy } = readInfo(info)
  if (imprint !== hex(sha256)) throw new Invalid(`it is over another content: ${imprint}`)
  const known = [...certificates, ...(trusted ?? [])].map(readCertificate)
  const own = known.find(({ issuer, serial }) => equal(issuer, signer.issuer) && equal(serial, signer.serial))
  if (own === undefined) throw new Invalid("its authority's certificate is missing")
  requireTimeStamping(own)
  requireAttributes(new Parts(signed, context(0)), { info, digestName, own })
  // The attributes are signed as the set that they are, not by their place in the message (RFC 5652, 5.4).
  const message = Buffer.concat([Buffer.of(TAG.set), signed.whole.subarray(1)])
  if (!isSigned(signatureName ?? digestName, message, own.certificate, signature))
    throw new Invalid('its signature is forged')
  if (trusted !== null) requireChain(own.certificate, certificates, trusted, time)
  return { time, policy, signer: nameOf(own.certificate), isTrusted: trusted !== null }
}

/** @param {Uint8Array} response */
function openResponse(response) {
  const answer = new Parts(onlyElement(response))
  const status = integerOf(answer.sequence().next(TAG.integer))
  if (!GRANTED.includes(status)) throw new Invalid(`the authority has refused it, with status ${status}`)
  const token = answer.sequence()
  requireOid(token.oid(), OID.signedData)
  const data = new Parts(new Parts(token.next(context(0)), context(0)).next(TAG.sequence))
  data.next(TAG.integer)
  data.next(TAG.set)
  const content = data.sequence()
  requireOid(content.oid(), OID.timeStampInfo)
  const info = new Parts(content.next(context(0)), context(0)).next(TAG.octets).content
  const certificates = elements(data.optional(context(0))?.content ?? new Uint8Array()).map(({ whole }) =>
    certificate(() => new X509Certificate(whole)),
  )
  data.optional(context(1))
  const signers = new Parts(data.next(TAG.set), TAG.set)
  const signer = signers.sequence()
  if (signers.rest().length > 0) throw new Invalid('it has more than one signature')
  return { info, certificates, ...readSigner(signer) }
}

/** @param {Parts} signer */
function readSigner(signer) {
  signer.next(TAG.integer)
  const name = signer.sequence()
  const issuer = name.next(TAG.sequence).whole
  const serial = name.next(TAG.integer).content
  const digestName = digestNamed(signer.sequence().oid())
  const signed = signer.next(context(0))
  const algorithm = signer.sequence().oid()
  const signatureName = SIGNATURES.get(algorithm)
  if (signatureName === undefined) throw new Invalid(`its signature is of an unknown kind (${algorithm})`)
  const signature = signer.next(TAG.octets).content
  return { signer: { issuer, serial }, digestName, signed, signatureName, signature }
}

/**
 * RFC 3161, 2.4.2: TSTInfo.
 * @param {Uint8Array} bytes
 */
function readInfo(bytes) {
  const info = new Parts(onlyElement(bytes))
  info.next(TAG.integer)
  const policy = info.oid()
  const imprint = info.sequence()
  if (digestNamed(imprint.sequence().oid()) !== 'sha256') throw new Invalid('it is not over a SHA-256')
  const digest = imprint.next(TAG.octets).content
  info.next(TAG.integer)
  return { policy, imprint: hex(digest), time: timeOf(info.next(TAG.time).content) }
}

/** @param {Uint8Array} bytes GeneralizedTime in UTC */
function timeOf(bytes) {
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(Buffer.from(bytes).toString('latin1')) ?? []
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`)
  if (year === undefined || Number.isNaN(time.getTime())) throw new Invalid('its time is not one')
  return time
}

/** @param {string} oid */
function digestNamed(oid) {
  const name = DIGESTS.get(oid)
  if (name === undefined) throw new Invalid(`it uses an unknown hash function (${oid})`)
  return name
}

/**
 * @param {string} found
 * @param {string} expected
 */
function requireOid(found, expected) {
  if (found !== expected) throw new Invalid(`it is no time stamp: ${found} in place of ${expected}`)
}

/**
 * The signed attributes name the content, its digest and the certificate that signs (RFC 3161, 2.4.2; RFC 5816).
 * @param {Parts} attributes
 * @param {{ info: Uint8Array, digestName: string, own: Known }} of
 */
function requireAttributes(attributes, { info, digestName, own }) {
  /** @type {Map<string, import('./der.mjs').Element>} */
  const values = new Map()
  for (const attribute of attributes.rest()) {
    const parts = new Parts(attribute)
    const name = parts.oid()
    const [value, ...others] = elements(parts.next(TAG.set).content)
    if (values.has(name) || value === undefined || others.length > 0)
      throw new Invalid('an attribute of it has not one value')
    values.set(name, value)
  }
  const digest = values.get(OID.messageDigest)?.content ?? new Uint8Array()
  if (!equal(digest, createHash(digestName).update(info).digest()))
    throw new Invalid('its signature is over another content')
  const type = values.get(OID.contentType)
  if (type?.tag !== TAG.oid || oidOf(type) !== OID.timeStampInfo)
    throw new Invalid('its signature is not over a time stamp')
  const isOwn =
    certificateHashIn(values.get(OID.signingCertificateV2), 'sha256', own) ??
    certificateHashIn(values.get(OID.signingCertificate), 'sha1', own)
  if (isOwn !== true) throw new Invalid('its signature does not name the certificate of its authority')
}

/**
 * Whether the attribute names this certificate first; null without the attribute.
 * @param {import('./der.mjs').Element | undefined} attribute
 * @param {string} standard its hash function, if it names none
 * @param {Known} own
 */
function certificateHashIn(attribute, standard, { certificate: { raw } }) {
  if (attribute === undefined) return null
  const named = new Parts(attribute).sequence().sequence()
  const algorithm = named.optional(TAG.sequence)
  const hashName = algorithm === null ? standard : digestNamed(new Parts(algorithm).oid())
  return equal(named.next(TAG.octets).content, createHash(hashName).update(raw).digest())
}

/**
 * RFC 5280, 4.1: TBSCertificate, for what Node does not tell.
 * @param {X509Certificate} certificate
 * @returns {Known}
 */
function readCertificate(certificate) {
  const parts = new Parts(onlyElement(certificate.raw)).sequence()
  parts.optional(context(0))
  const serial = parts.next(TAG.integer).content
  parts.next(TAG.sequence)
  const issuer = parts.next(TAG.sequence).whole
  const extensions = parts.rest().find(({ tag }) => tag === context(3))
  return { certificate, issuer, serial, extensions: extensions?.content ?? null }
}

/**
 * RFC 3161, 2.3: the certificate is for time stamps alone.
 * @param {Known} own
 */
function requireTimeStamping({ extensions }) {
  const listed = extensions === null ? [] : new Parts(onlyElement(extensions)).rest()
  const isForStamps = listed.some(extension => {
    const parts = new Parts(extension)
    if (parts.oid() !== OID.extendedKeyUsage) return false
    const isCritical = parts.optional(TAG.boolean)?.content[0] === 0xff
    const uses = new Parts(onlyElement(parts.next(TAG.octets).content))
    return isCritical && uses.oid() === OID.timeStamping && uses.rest().length === 0
  })
  if (!isForStamps) throw new Invalid("its authority's certificate is not one for time stamps alone")
}

/**
 * @param {string} digest
 * @param {Uint8Array} message
 * @param {X509Certificate} certificate
 * @param {Uint8Array} signature
 */
function isSigned(digest, message, { publicKey }, signature) {
  try {
    return verify(digest, message, publicKey, signature)
  } catch {
    return false
  }
}

/**
 * Follows the issuers up to a trusted certificate; each was valid when the stamp was made.
 * @param {X509Certificate} signer
 * @param {X509Certificate[]} others
 * @param {X509Certificate[]} trusted
 * @param {Date} time
 */
function requireChain(signer, others, trusted, time) {
  let current = signer
  for (let length = 0; length < MOST_CERTIFICATES_IN_CHAIN; length += 1) {
    if (time < new Date(current.validFrom) || time > new Date(current.validTo))
      throw new Invalid(
        `the certificate of ${nameOf(current)} was not valid then: it is valid from ${current.validFrom} to ${current.validTo}`,
      )
    if (trusted.some(({ raw }) => equal(raw, current.raw))) return
    const issuer = [...trusted, ...others].find(
      candidate => candidate.ca && current.checkIssued(candidate) && current.verify(candidate.publicKey),
    )
    if (issuer === undefined || equal(issuer.raw, current.raw)) break
    current = issuer
  }
  throw new Invalid(`its authority, ${nameOf(signer)}, is none that you trust`)
}

/** @param {X509Certificate} certificate */
function nameOf({ subject }) {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}

/** @param {() => X509Certificate} read */
function certificate(read) {
  try {
    return read()
  } catch {
    throw new Invalid('a certificate in it cannot be read')
  }
}
