// Loaded before an app (`node --import`): the process kills itself when it comes to the place that KILL_AT names.
import { writeSync } from 'node:fs'
import { useFaults } from '#platform/faults.ts'

useFaults((name) => {
  if (name !== process.env.KILL_AT) return
  writeSync(1, `{"killed":"${name}"}\n`)
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {}) // nothing happens between the signal and the end
})
