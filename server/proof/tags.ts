import { sha256 } from '#server/ledger/merkle.ts'

/** An entry of an investor's account, in minor units, credits positive, as decimal texts. */
export type Leg = {
  owner: string
  kind: string
  asset: string
  version: string
  amount: string
  balance: string
}

/** The key of an investor's tags in one epoch (docs/proof-format.md). */
export function legKey(secret: Uint8Array, epoch: bigint): HmacKey {
  return new HmacKey(legKeyBytes(secret, epoch))
}

export function legKeyBytes(secret: Uint8Array, epoch: bigint): Buffer {
  return new HmacKey(secret).digest(`probity-leg-key/v1\n${epoch}\n`)
}

/** What ties a line of the public log to its owner, for whom has the key alone: 32 bytes (docs/proof-format.md). */
export function legTag(key: HmacKey, { owner, kind, asset, version, amount, balance }: Leg): Buffer {
  return key.digest(`probity-leg/v1\n${owner}\n${kind}\n${asset}\n${version}\n${amount}\n${balance}\n`)
}

/** The nonce of an investor's parts in an epoch's tree of liabilities (docs/proof-format.md). */
export function partNonce(
  secret: Uint8Array,
  { email, epoch, number }: { email: string; epoch: bigint; number: bigint },
): Buffer {
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(epoch)
  numbers.writeBigUInt64LE(number, 8)
  return sha256(Buffer.concat([new HmacKey(secret).digest(`probity-pol-id/v1\n${email}\n`), numbers]))
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/** HMAC-SHA256 under a key of at most 64 bytes, spelled out: it takes a fifth of createHmac's time, and a busy day has millions. */
export class HmacKey {
  readonly #inner = Buffer.alloc(BLOCK_BYTES, 0x36)
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c)

  constructor(key: Uint8Array) {
    for (let at = 0; at < key.length; at++) {
      this.#inner[at]! ^= key[at]!
      this.#outer[at]! ^= key[at]!
    }
  }

  digest(content: string): Buffer {
    const length = Buffer.byteLength(content)
    const message = Buffer.allocUnsafe(BLOCK_BYTES + length)
    this.#inner.copy(message)
    message.write(content, BLOCK_BYTES)
    this.#outer.set(sha256(message), BLOCK_BYTES)
    return sha256(this.#outer)
  }
}
