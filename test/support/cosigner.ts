import { generateKeyPairSync, hash, sign } from 'node:crypto'

/** What the raw key follows in its SubjectPublicKeyInfo (RFC 8410). */
const PREFIX_BYTES = 12

/** Somebody with a key that cosigns checkpoints (C2SP tlog-cosignature), as a witness and the auditor have one. */
export class Cosigner {
  readonly vkey: string
  readonly #name: string
  readonly #keyId: Buffer
  readonly #keys = generateKeyPairSync('ed25519')

  constructor(name: string) {
    const spki = this.#keys.publicKey.export({ format: 'der', type: 'spki' })
    const typed = Buffer.concat([Buffer.of(4), spki.subarray(PREFIX_BYTES)])
    this.#name = name
    this.#keyId = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').subarray(0, 4)
    this.vkey = `${name}+${this.#keyId.toString('hex')}+${typed.toString('base64')}`
  }

  /** The line of a note, without its line end. @param note the checkpoint, with or without lines */
  line(note: string, at: Date): string {
    const seconds = Math.floor(at.getTime() / 1000)
    const text = note.slice(0, note.indexOf('\n\n') + 1)
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(BigInt(seconds))
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), this.#keys.privateKey)
    return `— ${this.#name} ${Buffer.concat([this.#keyId, time, signed]).toString('base64')}`
  }
}
