import assert from 'node:assert/strict'
import path from 'node:path'
import { type FaultAction, runKontor, startChild } from './child.ts'
import { createMake } from './make.ts'
import { startApi } from './start-api.ts'

const EXAMPLES = path.join(import.meta.dirname, '../../examples/extensions')
export const exampleOf = (name: string) => path.join(EXAMPLES, name, `${name}.ts`)

/**
 * The real service with extensions: an API and, when asked for, workers, each a process of its own, on migrated
 * databases.
 */
export async function startExtendedApi(files: readonly string[], settings: Record<string, string> = {}) {
  const bare = await startApi() // issues tokens
  const env = { ...bare.databases.env, KONTOR_EXTENSIONS: files.join(','), ...settings }
  const migrate = () => runKontor(['cli', 'migrate'], env, { isPacked: false })
  const { code, output } = await migrate()
  assert.equal(code, 0, output)
  const child = await startChild('api', env, { isPacked: false })
  return {
    bare,
    env,
    api: child,
    url: child.url,
    migrated: output,
    migrate,
    make: createMake({ url: child.url, services: bare.services }),
    startWorker: (faults: Record<string, FaultAction> = {}) => startChild('worker', env, { faults, isPacked: false }),
    runCli: (...args: string[]) => runKontor(['cli', ...args], env, { isPacked: false }),
    async close() {
      await child.stop()
      await bare.close()
    },
  }
}
