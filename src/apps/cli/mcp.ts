import type { Command } from 'commander'
import { BootError } from '../boot.ts'
import { addCommand, type Cli, UsageError } from './command.ts'

type Wanted = { url?: string; write?: boolean; tags?: string; business?: string }

export function addMcpCommand(program: Command, _cli: Cli): void {
  addCommand(program, 'mcp', {
    says:
      'Serve the operations of a running service as tools for a language model (MCP), over standard input and output. ' +
      'With the API key of KONTOR_API_KEY, and what that key may do; tools that only read, unless --write is given.',
    examples: ['mcp', 'mcp --tags orders,products', 'mcp --write --business biz_4k7q2m9x1c3v'],
    json: 'has no effect: it speaks JSON anyway',
  })
    .option('--url <url>', 'the service (default: KONTOR_URL, else PUBLIC_URL)')
    .option('--write', 'also offer tools that change something')
    .option('--tags <tags>', 'only tools of these chapters of the reference, comma-separated')
    .option('--business <id>', 'the business of every call that names none')
    .action(async ({ url, write = false, tags, business }: Wanted) => {
      const { KONTOR_API_KEY: key, KONTOR_URL, PUBLIC_URL } = process.env
      if (!key) throw new UsageError('Set KONTOR_API_KEY: npm run cli -- keys create --help says how to make one.')
      const address = addressOf(url ?? KONTOR_URL ?? PUBLIC_URL ?? 'http://localhost:3000')
      if (write) address.searchParams.set('write', 'on')
      if (tags) address.searchParams.set('tags', tags)
      if (business) address.searchParams.set('business', business)
      const { relay } = await import('../mcp/relay.ts')
      await relay({ address: address.href, key, input: process.stdin, output: process.stdout }).catch(
        (error: Error) => {
          const { cause } = error
          throw new BootError(
            `${address.origin} cannot be used: ${cause instanceof Error ? cause.message : error.message}`,
          )
        },
      )
    })
}

function addressOf(service: string): URL {
  const address = URL.parse('/mcp', service)
  if (!address || !/^https?:$/.test(address.protocol)) throw new UsageError(`${service} is no address of a service.`)
  return address
}
