import { isIPv4, isIPv6 } from 'node:net'

/** One subscriber: an IPv4 address, or the IPv6 /64 network that a subscriber usually has whole (RFC 6177). */
export function subscriberOf(ip: string): string {
  return isIPv6(unmapped(ip)) ? prefixOf(ip, 64) : unmapped(ip)
}

/** The neighbourhood of an address, within which a home or an office moves: an IPv4 /24, an IPv6 /56. */
export function networkOf(ip: string): string {
  const address = unmapped(ip)
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return isIPv6(address) ? prefixOf(address, 56) : address
}

/** An IPv4 address that a dual-stack socket shows as an IPv6 one (RFC 4291 2.5.5.2). */
export function unmapped(ip: string): string {
  const inner = ip.replace(/^::ffff:/i, '')
  return isIPv4(inner) ? inner : ip
}

/** @param bits a multiple of 8, at most 64 */
function prefixOf(ip: string, bits: 56 | 64): string {
  const [head = '', tail] = ip.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  const start = [...groups, ...gap, ...rest].slice(0, 4).map(group => Number.parseInt(group, 16))
  if (bits === 56) start[3]! &= 0xff00
  return `${start.map(group => group.toString(16)).join(':')}::/${bits}`
}
