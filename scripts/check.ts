// All that CI runs. Stops at the first part that fails, and says how long each took.
import { spawnSync } from 'node:child_process'
import { styleText } from 'node:util'

const node = (script: string, ...rest: string[]) => [process.execPath, script, ...rest]
const bin = (name: string, ...rest: string[]) => [`node_modules/.bin/${name}`, ...rest]

const PARTS: Record<string, string[]> = {
  format: bin('biome', 'ci', '.'),
  lint: bin('oxlint', '--type-aware', '--deny-warnings'),
  types: bin('tsc', '--noEmit'),
  'types of the storefront': bin('tsc', '--noEmit', '-p', 'examples/storefront'),
  tables: node('scripts/table-types.ts', '--check'),
  openapi: node('scripts/openapi.ts', '--check'),
  'openapi lint': bin('redocly', 'lint', 'docs/openapi.json'),
  errors: node('scripts/errors.ts', '--check'),
  sdk: node('scripts/sdk.ts', '--check'),
  tests: node('scripts/test.ts'),
}

const times: [string, number][] = []
for (const [name, [command = '', ...rest]] of Object.entries(PARTS)) {
  console.log(styleText('bold', `\n— ${name}`))
  const start = performance.now()
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status } = spawnSync(command, rest, { stdio: 'inherit', env })
  times.push([name, (performance.now() - start) / 1000])
  if (status !== 0) {
    console.error(styleText('red', `\n${name} failed.`))
    process.exit(status ?? 1)
  }
}
console.log()
for (const [name, seconds] of times) console.log(`${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s`)
const total = times.reduce((sum, [, seconds]) => sum + seconds, 0)
console.log(styleText('green', `${'all green'.padEnd(24)} ${total.toFixed(1).padStart(6)} s`))
