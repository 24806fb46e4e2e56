import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The official client, connected to /mcp of a service. */
export async function connectMcp(url: string, key: string, query = '', mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(`/mcp${query}`, url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}
export type McpClient = Awaited<ReturnType<typeof connectMcp>>

export const namesOf = async (client: McpClient) => (await client.listTools()).tools.map(({ name }) => name)

/** Calls a tool and joins the texts that it answers. */
export async function callTool(client: McpClient, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given })
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
  return { isError, text: texts.join('\n'), first: texts[0] ?? '' }
}
