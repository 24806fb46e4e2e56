import { checkAddress, type Rules } from '#platform/outgoing/check-address.ts'
import { OutgoingError } from '#platform/outgoing/errors.ts'
import { addressRefused } from './errors.ts'

/** Where requests may go. `allowsHttp`: without TLS, for development and private networks. */
export type Addresses = { rules: Rules; allowsHttp: boolean }

/** It is judged again before every connection. A name that cannot be resolved now may be later. */
export async function checkUrl(url: string, { rules, allowsHttp }: Addresses): Promise<void> {
  const { protocol } = URL.parse(url) ?? {}
  if (protocol !== 'https:' && !(allowsHttp && protocol === 'http:')) throw addressRefused()
  try {
    await checkAddress(url, rules)
  } catch (error) {
    if (!(error instanceof OutgoingError) || error.problem === 'ADDRESS_NOT_ALLOWED') throw addressRefused()
  }
}
