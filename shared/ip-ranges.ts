import { z } from 'zod'
import { widestIpv4Prefix, widestIpv6Prefix } from './limits.ts'

const address = z.union([z.ipv4(), z.ipv6()])
const range = z.union([z.cidrv4(), z.cidrv6()])

/** True for an IPv4 or IPv6 address, or a CIDR range (RFC 4632) that is no wider than permitted. */
export function isAddressOrRange(text: string): boolean {
  if (address.safeParse(text).success) return true
  if (!range.safeParse(text).success) return false
  const widest = text.includes(':') ? widestIpv6Prefix : widestIpv4Prefix
  return Number(text.split('/')[1]) >= widest
}
