import { base58, base58xrp } from '@scure/base'
import { addressKey, cashAddr, cashAddrText, checkedPayload, checkedText } from '#shared/addresses.ts'

/**
 * The ways to write the same wallet. Bitcoin Cash has CashAddr with or without its prefix, token-aware or not, and what Bitcoin
 * writes; scripts of Litecoin begin with 3 or M. An X-address of Ripple (XLS-5d) contains a classic one, which has too many
 * X-addresses to list: one for each tag.
 * @returns their comparison keys (`addressKey`), the address's own first
 */
export function spellingsOf(address: string): string[] {
  const others = [...cashSpellings(address), ...scriptSpellings(address), ...classicOf(address)]
  return [...new Set([address, ...others].map(addressKey))]
}

/** Bits of a CashAddr's first byte: token-aware, and a script's hash. */
const TOKEN_AWARE = 2 << 3
const SCRIPT = 1 << 3
/** Version bytes of the addresses that Bitcoin writes, by network; and M and 3 of Litecoin's scripts. */
const networks = [
  { prefix: 'bitcoincash', key: 0x00, script: 0x05 },
  { prefix: 'bchtest', key: 0x6f, script: 0xc4 },
] as const
const scripts: Record<number, number> = { 5: 0x32, 50: 0x05, 196: 0x3a, 58: 0xc4 }

function cashSpellings(address: string): string[] {
  const parts = cashAddr(address) ?? cashOfBase58(address)
  if (parts === undefined) return []
  const { prefix, content } = parts
  const hash = content.subarray(1)
  const plain = content[0]! & ~TOKEN_AWARE
  const texts = [plain, plain | TOKEN_AWARE].map(first => cashAddrText(prefix, Uint8Array.of(first, ...hash)))
  const network = networks.find(one => one.prefix === prefix)
  const version = plain & SCRIPT ? network?.script : network?.key
  const base58Text =
    version === undefined || hash.length !== 20 ? [] : [checkedText(base58, Uint8Array.of(version, ...hash))]
  return [...texts, ...texts.map(text => text.slice(prefix.length + 1)), ...base58Text]
}

function cashOfBase58(address: string): { prefix: string; content: Uint8Array } | undefined {
  const payload = checkedPayload(base58, address)
  if (payload?.length !== 21) return undefined
  const [version, ...hash] = payload
  const network = networks.find(({ key, script }) => version === key || version === script)
  if (network === undefined) return undefined
  return {
    prefix: network.prefix,
    content: Uint8Array.of(version === network.script ? SCRIPT : 0, ...hash),
  }
}

function scriptSpellings(address: string): string[] {
  const payload = checkedPayload(base58, address)
  const other = payload?.length === 21 ? scripts[payload[0]!] : undefined
  return other === undefined ? [] : [checkedText(base58, Uint8Array.of(other, ...payload!.subarray(1)))]
}

/** The classic address in an X-address: two bytes for the network, then the account. */
function classicOf(address: string): string[] {
  const payload = checkedPayload(base58xrp, address)
  return payload?.length === 31 ? [checkedText(base58xrp, Uint8Array.of(0, ...payload.subarray(2, 22)))] : []
}
