// Loaded into child processes ahead of the app: does at named places what the test that started them has asked for.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { useFaults } from '#platform/faults.ts'
import type { FaultAction } from './child.ts'

/** What can also be asked for later, by a message. `kill-second`: only when it comes to that place again. */
export type Faults = Record<string, FaultAction | 'kill-second'>

const actions = JSON.parse(process.env.KONTOR_TEST_FAULTS ?? '{}') as Faults
const release = Promise.withResolvers<void>()
const seen = new Set<string>()

process.on('message', (message: 'release' | 'collect garbage' | 'stray error' | Faults) => {
  if (message === 'release') return release.resolve()
  if (message === 'collect garbage') return collectGarbage()
  if (message === 'stray error') return void Promise.reject(new Error('a forgotten promise of our own'))
  Object.assign(actions, message)
  process.send?.('armed')
})
process.once('disconnect', () => process.exit(1)) // the test is gone: leave nothing behind
process.channel?.unref()

/** For whoever measures memory. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  process.send?.('collected')
}

useFaults(async (name) => {
  const action = actions[name]
  if (action === undefined) return
  if (action === 'kill-second' && !seen.has(name)) return void seen.add(name)
  if (action === 'kill' || action === 'kill-second') {
    process.kill(process.pid, 'SIGKILL')
    return new Promise<void>(() => {}) // nothing happens between the signal and the end
  }
  if (action === 'throw') throw new Error(`fault ${name}`)
  process.send?.(name)
  await release.promise
})
