import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { unmapped } from './network.ts'

/** IPv4 addresses that no other network can reach, or that mean us (IANA's special-purpose registry, RFC 6890). */
const special = new BlockList()
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [network = '', prefix] = range.split('/')
  special.addSubnet(network, Number(prefix), 'ipv4')
}

/** Global unicast (RFC 4291), without what embeds an IPv4 address or is documentation. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
const notGlobal = new BlockList()
notGlobal.addSubnet('2001::', 23, 'ipv6')
notGlobal.addSubnet('2001:db8::', 32, 'ipv6')
notGlobal.addSubnet('2002::', 16, 'ipv6')
notGlobal.addSubnet('3fff::', 20, 'ipv6')

/** False for loopback, private, link-local, multicast and reserved addresses. */
export function isPublicAddress(ip: string): boolean {
  const address = unmapped(ip)
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && global.check(address, 'ipv6') && !notGlobal.check(address, 'ipv6')
}

export class PrivateAddress extends Error {}

/**
 * The addresses of a host, in the resolver's order. All must be public: a name that has a private one, too, is refused
 * whichever comes first.
 * @throws PrivateAddress; Error of the resolver
 */
export async function publicAddressesOf(hostname: string, mayBePrivate: boolean): Promise<LookupAddress[]> {
  const bare = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  const found = family === 0 ? await lookup(bare, { all: true, verbatim: true }) : [{ address: bare, family }]
  if (!mayBePrivate && !found.every(({ address }) => isPublicAddress(address)))
    throw new PrivateAddress(hostname)
  return found
}
