import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'

export type Settings = Record<string, string | undefined>

const fileIn = (folder: string) => path.join(folder, 'dev.env')

/** The settings of the last `npm run dev`; empty before the first. */
export function readSettings(folder: string): Settings {
  const file = fileIn(folder)
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
}

/** Readable by `bin/kontor.js cli`, by tools, and by a shell: `set -a; . .kontor/dev.env`. */
export function writeSettings(folder: string, settings: Settings): void {
  const lines = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}=${/^[\w:/.@,+-]*$/.test(value) ? value : `'${value}'`}\n`)
  const head = '# Written by npm run dev at each start. For development on this machine only.\n'
  writeFileSync(fileIn(folder), head + lines.join(''), { mode: 0o600 })
}

export const newSecret = (prefix = '') => prefix + randomBytes(24).toString('base64url')
