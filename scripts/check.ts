// Runs all checks of CI and prints how long each took: two parts at a time, and then the tests, which use both cores by
// themselves. `--quick` skips the tests.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'

const node = (script: string, ...rest: string[]) => [process.execPath, script, ...rest]
const bin = (name: string, ...rest: string[]) => [`node_modules/.bin/${name}`, ...rest]

type Parts = Record<string, string[]>

const TYPES: Parts = {
  types: bin('tsc', '--noEmit'),
  'types of the storefront': bin('tsc', '--noEmit', '-p', 'examples/storefront'),
  'types of storefront-next': bin('tsc', '--noEmit', '-p', 'examples/storefront-next'),
  'types of the dashboard': bin('tsc', '--noEmit', '-p', 'packages/dashboard'),
}
const REST: Parts = {
  format: bin('biome', 'ci', '.'),
  lint: bin('oxlint', '--type-aware', '--deny-warnings'),
  tables: node('scripts/table-types.ts', '--check'),
  openapi: node('scripts/openapi.ts', '--check'),
  'openapi lint': bin('redocly', 'lint', 'docs/openapi.json'),
  errors: node('scripts/errors.ts', '--check'),
  events: node('scripts/events.ts', '--check'),
  monitoring: node('scripts/monitoring.ts', '--check'),
  sdk: node('scripts/sdk.ts', '--check'),
  prose: node('scripts/prose.ts', '--check'),
}
const TESTS: Parts = { tests: node('scripts/test.ts') }

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const times: [string, number][] = []

/**
 * Runs them one after another, until one fails. Output is buffered, so that it stays together, unless `watch` is set.
 */
async function runAll(parts: Parts, { watch = false } = {}): Promise<void> {
  for (const [name, [command = '', ...rest]] of Object.entries(parts)) {
    const start = performance.now()
    if (watch) console.log(styleText('bold', `\n— ${name}`))
    const child = spawn(command, rest, { stdio: ['ignore', ...(watch ? OURS : APART)], env })
    const closed = new Promise<number>((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve(code ?? 1))
    })
    const [code, ...printed] = await Promise.all([closed, ...(watch ? [] : [child.stdout, child.stderr].map(textOf))])
    if (!watch) console.log(`${styleText('bold', `\n— ${name}`)}\n${printed.join('').trimEnd()}`)
    times.push([name, (performance.now() - start) / 1000])
    if (code !== 0) {
      console.error(styleText('red', `\n${name} failed.`))
      process.exit(code)
    }
  }
}

const OURS = ['inherit', 'inherit'] as const
const APART = ['pipe', 'pipe'] as const
const textOf = (stream: NodeJS.ReadableStream | null) => (stream ? text(stream) : '')

const start = performance.now()
await Promise.all([runAll(TYPES), runAll(REST)])
if (!process.argv.includes('--quick')) await runAll(TESTS, { watch: true })
console.log()
for (const [name, seconds] of times) console.log(`${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s`)
const total = (performance.now() - start) / 1000
console.log(styleText('green', `${'all green'.padEnd(24)} ${total.toFixed(1).padStart(6)} s`))
