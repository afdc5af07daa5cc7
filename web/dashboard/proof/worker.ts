import { ed25519 } from '@noble/curves/ed25519.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Hashes } from '#verifier/bytes.mjs'
import { checkProof, type Question } from './check.ts'

/** The hashes of a browser: WebCrypto has no Ed25519 in every one of them. */
const hashes: Hashes = {
  sha256,
  hmacSha256: (key, bytes) => hmac(sha256, key, bytes),
  ed25519Verify: (signature, message, publicKey) => ed25519.verify(signature, message, publicKey),
}

addEventListener('message', ({ data }: MessageEvent<Question>) => postMessage(checkProof(data, hashes)))
