import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, Exit } from '../support/child.ts'

const RETRY_MS = 500

/** Restarts a process whenever it exits, as a process manager does. A worker that loses a database in mid-job exits by design. */
export function supervise(start: () => Promise<Child>, onExit?: (child: Child, exit: Exit) => void) {
  let isOver = false
  let current: Child | undefined
  let exits = 0
  async function keepRunning(): Promise<void> {
    while (!isOver) {
      const child = await start().catch(() => undefined)
      if (!child) {
        await sleep(RETRY_MS)
        continue
      }
      current = child
      if (isOver) return child.kill()
      const exit = await child.exited
      if (isOver) return
      exits++
      onExit?.(child, exit)
    }
  }
  const running = keepRunning()
  return {
    /** The newest process, which may have exited. */
    current: () => current,
    exits: () => exits,
    async stop(): Promise<void> {
      isOver = true
      await current?.kill()
      await running
    },
  }
}
