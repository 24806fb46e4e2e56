import { once } from 'node:events'
import { createServer } from 'node:net'

const TRIES = 100

/** The first free port from `wanted` on. Checks both loopback addresses: `localhost` may mean either. */
export async function freePort(wanted: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let port = wanted; port < wanted + TRIES; port++) {
    if (!taken.has(port) && (await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port
  }
  throw new Error(`No port from ${wanted} to ${wanted + TRIES - 1} is free.`)
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, host, exclusive: true })
    await once(server, 'listening')
    return true
  } catch (error) {
    return (error as { code?: string }).code !== 'EADDRINUSE' // a machine without ::1 has no listener there
  } finally {
    server.close()
  }
}
