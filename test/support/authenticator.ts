import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  Assertion,
  CreationOptions,
  Registration,
  RequestOptions,
} from '#shared/contract/second-factor.ts'

/** Defects of an authenticator. */
export type Defects = { origin?: string; rpId?: string; verified?: boolean; counter?: number }

const origin = 'http://localhost:3000'

/**
 * An authenticator with one passkey (WebAuthn 3, ES256) in code, for what no browser would do.
 * @param counts whether it counts its signatures
 */
export function newAuthenticator({ counts = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  let userHandle: string | undefined

  const authData = (rpId: string, defects: Defects, attested = Buffer.alloc(0)) => {
    const flags = 0x01 | (defects.verified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0)
    if (counts) counter++
    const count = Buffer.alloc(4)
    count.writeUInt32BE(defects.counter ?? counter)
    return Buffer.concat([sha256(defects.rpId ?? rpId), Buffer.from([flags]), count, attested])
  }

  return {
    create({ challenge, rp, user }: CreationOptions, defects: Defects = {}): Registration {
      userHandle = user.id
      const length = Buffer.from([0, id.length])
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        Buffer.from([0xa0]),
        cborText('authData'),
        cborBytes(authData(rp.id, defects, attested)),
      ])
      return {
        ...credential(id),
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, defects).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get({ challenge, rpId }: RequestOptions, defects: Defects = {}): Assertion {
      const client = clientData('webauthn.get', challenge, defects)
      const data = authData(rpId, defects)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...credential(id),
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle,
        },
      }
    },
  }
}

function credential(id: Buffer) {
  const text = id.toString('base64url')
  return { id: text, rawId: text, type: 'public-key', clientExtensionResults: {} } as const
}

function clientData(type: string, challenge: string, defects: Defects): Buffer {
  return Buffer.from(
    JSON.stringify({ type, challenge, origin: defects.origin ?? origin, crossOrigin: false }),
  )
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest()
}

/** CBOR (RFC 8949) of short texts, and of bytes up to 64 kB. */
function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])
}
function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** A COSE key (RFC 9052, 7): type EC2, algorithm ES256, curve P-256, x and y. */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  const coordinate = (text = '') => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    coordinate(x),
    Buffer.from([0x22]),
    coordinate(y),
  ])
}
