import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** One element of DER (X.690): tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const oid = {
  ecdsaWithSha256: hex('06 08 2a 86 48 ce 3d 04 03 02'),
  commonName: hex('06 03 55 04 03'),
  subjectAltName: hex('06 03 55 1d 11'),
  basicConstraints: hex('06 03 55 1d 13'),
}
const YES = hex('01 01 ff')
const HOUR_MS = 3_600_000

/** `261121120000Z` */
function utcTime(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
}

/**
 * A self-signed certificate (RFC 5280) for `localhost` and 127.0.0.1, valid for a day, with its key, as PEM: local
 * servers present it, and their clients trust it.
 * @param commonName what a client is called that presents it
 */
export function selfSignedCertificate(commonName = 'localhost'): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid.ecdsaWithSha256)
  const name = sequence(der(0x31, sequence(oid.commonName, der(0x0c, Buffer.from(commonName)))))
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const extensions = sequence(
    sequence(oid.subjectAltName, der(0x04, names)),
    sequence(oid.basicConstraints, YES, der(0x04, sequence(YES))),
  )
  const signed = sequence(
    der(0xa0, hex('02 01 02')),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(Date.now() - HOUR_MS), utcTime(Date.now() + 24 * HOUR_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = sequence(signed, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g)!
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: ['-----BEGIN CERTIFICATE-----', ...base64, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
