import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** For a file that a test writes. Spelled out, it would become the test's own when tests are packed. */
export const OWN_URL = ['import', 'meta', 'url'].join('.')

const ROOT = path.join(import.meta.dirname, '../..')

/** A project beside Kontor, as `npm install <folder of Kontor>` leaves it. */
export function makeProject() {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-extension-'))
  mkdirSync(path.join(folder, 'node_modules'))
  symlinkSync(ROOT, path.join(folder, 'node_modules/kontor'))
  const write = (file: string, text: string) => {
    const place = path.join(folder, file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, text)
    return place
  }
  write('package.json', '{ "type": "module" }')
  return { folder, write, remove: () => rmSync(folder, { recursive: true }) }
}
