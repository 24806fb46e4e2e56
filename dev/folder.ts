import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')

/** A problem that the developer can fix: printed without a stack. */
export class DevError extends Error {}

/** The folder in which `npm run dev` keeps its state. */
export function openFolder(): string {
  const folder = path.resolve(process.env.KONTOR_DEV_DIR ?? path.join(ROOT, '.kontor'))
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * A lock: one `npm run dev` for a folder at a time. It listens on a socket there, which the system closes however the
 * process ends; a PID file could name another process by now.
 */
export async function lockFolder(folder: string): Promise<Server> {
  const absolute = path.join(folder, 'run.sock')
  const relative = path.relative(process.cwd(), absolute)
  // Socket paths are limited to 104 characters on macOS.
  const socket = relative.length < absolute.length ? relative : absolute
  const server = createServer((connection) => connection.destroy())
  try {
    await listen(server, socket)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    if (await answers(socket)) {
      throw new DevError(
        `Another npm run dev is running with ${folder}. Stop it first (Ctrl-C in its terminal), or use another folder: KONTOR_DEV_DIR=/tmp/other npm run dev`,
      )
    }
    rmSync(absolute, { force: true }) // left by a killed process
    await listen(server, socket)
  }
  return server.unref()
}

async function listen(server: Server, socket: string): Promise<void> {
  server.listen(socket)
  await once(server, 'listening')
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket)
    connection.setTimeout(1_000, () => connection.destroy())
    connection.once('connect', () => {
      resolve(true)
      connection.destroy()
    })
    connection.once('error', () => resolve(false)).once('close', () => resolve(false))
  })
}
