import { buffer } from 'node:stream/consumers'
import type { Storage } from './storage.ts'

/** The whole of a small object; undefined if it is not there, or larger than `max`. */
export async function readBytes(storage: Storage, key: string, max: number): Promise<Uint8Array | undefined> {
  const found = await storage.get(key)
  if (!found) return undefined
  if (found.size > max) {
    found.body.destroy()
    return undefined
  }
  return buffer(found.body)
}
