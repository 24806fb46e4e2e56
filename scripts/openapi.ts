// Writes docs/openapi.json from the routes. `--check` only says whether the file is current.
import { readFileSync, writeFileSync } from 'node:fs'
import { startApi } from '../test/support/start-api.ts'

const FILE = 'docs/openapi.json'
const api = await startApi({ publicUrl: 'http://localhost:3000' })
const text = `${JSON.stringify(api.app.openApiDocument(), null, 2)}\n`
await api.close()

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text)
  console.log(`wrote ${FILE}`)
} else if (readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is not what the routes say. Run: npm run openapi`)
  process.exitCode = 1
}
