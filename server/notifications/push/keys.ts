import { createECDH } from 'node:crypto'
import { keyRing, type Secrets } from '#server/platform/encrypted.ts'

/** The order of P-256's group (SEC 2, 2.4.2): a private key is less, and not zero. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

type VapidKey = { publicKey: string; privateKey: string }

/** The keys by which push services know us (RFC 8292), in base64url: the current one, then those of earlier secrets. */
export function vapidKeys(secrets: Secrets): [VapidKey, ...VapidKey[]] {
  return keyRing(secrets, 'push sender').map(vapidKey) as [VapidKey, ...VapidKey[]]
}

function vapidKey(seed: Buffer): VapidKey {
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (ORDER - 1n)) + 1n
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex'))
  const privateKey = Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex')
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
