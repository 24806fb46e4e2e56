import { BlockList, isIPv4, isIPv6 } from 'node:net'

/*
 * Which addresses belong to somebody out there. What is not known to be public is refused: of IPv6 only what is given out to
 * networks (2000::/3) counts, so forms that hold an IPv4 address (mapped, compatible, NAT64) are refused without unpacking them.
 */

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by providers (CGNAT); also metadata of some clouds
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, and metadata of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]
const NOT_PUBLIC_V6 = [
  '2001::/23', // protocols, Teredo (which holds an IPv4 address) among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: holds an IPv4 address
  '3fff::/20', // documentation
]

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', length] = range.split('/')
    list.addSubnet(network, Number(length), family)
  }
  return list
}

const notPublicV4 = listOf(NOT_PUBLIC_V4, 'ipv4')
const givenOutV6 = listOf(['2000::/3'], 'ipv6')
const notPublicV6 = listOf(NOT_PUBLIC_V6, 'ipv6')
const loopbackV4 = listOf(['127.0.0.0/8'], 'ipv4')

/** An address in its usual form, as a resolver answers it. Anything else, such as one with a zone, is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublicV4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return givenOutV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6')
}

/** For development and tests, where the other side is on the same machine. */
export const isLoopbackAddress = (address: string): boolean =>
  isIPv4(address) ? loopbackV4.check(address, 'ipv4') : address === '::1'

/** Names of this machine (RFC 6761), and of the network that it is in (RFC 6762 and 8375). */
const LOOPBACK_NAMES = ['localhost']
const NOT_PUBLIC_NAMES = [...LOOPBACK_NAMES, 'local', 'home.arpa']

/** Whether a host name is one of these names or below one. */
const isOneOf = (names: readonly string[], host: string): boolean => {
  const name = host.toLowerCase().replace(/\.+$/, '')
  return names.some((known) => name === known || name.endsWith(`.${known}`))
}

/** A name that may be in the public DNS. What it resolves to has to be checked as well. */
export const isPublicName = (host: string): boolean => !isOneOf(NOT_PUBLIC_NAMES, host)

export const isLoopbackName = (host: string): boolean => isOneOf(LOOPBACK_NAMES, host)
