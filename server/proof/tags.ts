import { createHash, createHmac } from 'node:crypto'

/** An entry of an investor's account, in minor units, credits positive. */
export type Leg = {
  owner: string
  kind: string
  asset: string
  version: bigint
  amount: bigint
  balance: bigint
}

/** The key of an investor's tags in one epoch (docs/proof-format.md). */
export function legKey(secret: Uint8Array, epoch: bigint): Buffer {
  return hmac(secret, `probity-leg-key/v1\n${epoch}\n`)
}

/** What ties a line of the public log to its owner, for whom has the key alone: 32 bytes (docs/proof-format.md). */
export function legTag(key: Uint8Array, { owner, kind, asset, version, amount, balance }: Leg): Buffer {
  return hmac(key, `probity-leg/v1\n${owner}\n${kind}\n${asset}\n${version}\n${amount}\n${balance}\n`)
}

/** The nonce of an investor's parts in an epoch's tree of liabilities (docs/proof-format.md). */
export function partNonce(
  secret: Uint8Array,
  { email, epoch, number }: { email: string; epoch: bigint; number: bigint },
): Buffer {
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(epoch)
  numbers.writeBigUInt64LE(number, 8)
  return createHash('sha256')
    .update(hmac(secret, `probity-pol-id/v1\n${email}\n`))
    .update(numbers)
    .digest()
}

function hmac(key: Uint8Array, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest()
}
