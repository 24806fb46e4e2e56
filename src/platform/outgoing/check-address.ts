import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutgoingError } from './errors.ts'
import { isLoopbackAddress, isLoopbackName, isPublicAddress, isPublicName } from './public-address.ts'
import { askNameServers } from './resolve-name.ts'

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

/** What may be asked. Tests replace parts; `OUTGOING_LOOPBACK` allows the same machine, at any port. */
export type Rules = {
  isAllowedName: (host: string) => boolean
  isAllowed: (address: string) => boolean
  isAllowedPort: (port: number, address: string) => boolean
  resolve: Resolve
}

const PORTS: readonly number[] = [80, 443]

/** `nameServers`: those to ask instead of the machine's own. */
export type OutgoingSettings = { allowLoopback: boolean; allowPrivate?: boolean; nameServers?: readonly string[] }

export const rulesFor = ({ allowLoopback, allowPrivate = false, nameServers }: OutgoingSettings): Rules => {
  // Names of private networks, too, may be known to `lookup` only.
  if (allowPrivate)
    return { isAllowedName: () => true, isAllowed: () => true, isAllowedPort: () => true, resolve: lookUp }
  const isHere = (address: string) => allowLoopback && isLoopbackAddress(address)
  return {
    isAllowedName: (host) => isPublicName(host) || (allowLoopback && isLoopbackName(host)),
    isAllowed: (address) => isPublicAddress(address) || isHere(address),
    isAllowedPort: (port, address) => PORTS.includes(port) || isHere(address),
    // Names of this machine are known to `lookup` only.
    resolve: allowLoopback ? lookUp : (host) => askNameServers(host, nameServers),
  }
}

const lookUp: Resolve = (host) => lookup(host, { all: true, verbatim: true })

export type Checked = { url: URL; addresses: { address: string; family: number }[] }

/**
 * Resolves the host of an address, once, and answers what to connect to: every address that it has must be allowed, for the
 * one that is tried first is chosen by whoever runs the name. `URL` has brought numbers of every notation into one.
 */
export async function checkAddress(text: string, rules: Rules): Promise<Checked> {
  const { isAllowedName, isAllowed, isAllowedPort, resolve } = rules
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || !url.hostname) throw notAllowed()
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  // Checked before resolving: an unknown name would look like one that does not exist yet.
  if (!family && !isAllowedName(host)) throw notAllowed()
  const addresses = family ? [{ address: host, family }] : await resolved(resolve, host)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (!addresses.every(({ address }) => isAllowed(address) && isAllowedPort(port, address))) throw notAllowed()
  return { url, addresses: [...addresses] }
}

async function resolved(resolve: Resolve, host: string) {
  let addresses: Awaited<ReturnType<Resolve>>
  try {
    addresses = await resolve(host)
  } catch (error) {
    // The name may not be there any more, or our resolver not now: the next try will tell.
    throw new OutgoingError('UNREACHABLE', { isTemporary: true, cause: error })
  }
  if (addresses.length === 0) throw new OutgoingError('UNREACHABLE', { isTemporary: true })
  return addresses
}

const notAllowed = () => new OutgoingError('ADDRESS_NOT_ALLOWED')
