// Loaded into child processes ahead of the app: does at named places what the test that started them has asked for.
import { useFaults } from '#platform/faults.ts'
import type { FaultAction } from './child.ts'

const actions = JSON.parse(process.env.KONTOR_TEST_FAULTS ?? '{}') as Record<string, FaultAction>
const release = Promise.withResolvers<void>()

process.once('message', () => release.resolve())
process.once('disconnect', () => process.exit(1)) // the test is gone: leave nothing behind
process.channel?.unref()

useFaults(async (name) => {
  const action = actions[name]
  if (action === undefined) return
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  if (action === 'throw') throw new Error(`fault ${name}`)
  process.send?.(name)
  await release.promise
})
