import { Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 2_000
const TRIES = 2

/**
 * The addresses of a name that somebody else runs. Not by `lookup`: a process has two threads for that, and two names whose servers
 * stay silent would keep it from finding its database, its store and its mail server for ten seconds, over and over.
 */
export async function askNameServers(host: string, servers?: readonly string[]) {
  const resolver = openResolver(servers)
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  )
  const [refusal] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
  if (found.length === 0 && refusal) throw refusal
  return found
}

/** The text records of a name, each in one piece; none if there is no such name. */
export async function askTextRecords(host: string, servers?: readonly string[]): Promise<string[]> {
  try {
    return (await openResolver(servers).resolveTxt(host)).map((pieces) => pieces.join(''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}

function openResolver(servers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers && servers.length > 0) resolver.setServers(servers)
  return resolver
}
