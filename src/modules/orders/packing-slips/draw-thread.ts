import { parentPort } from 'node:worker_threads'
import { drawSlips } from './draw.ts'
import type { SlipTask } from './slip.ts'

parentPort?.on('message', (task: SlipTask) => void draw(task))

/** A failure is unhandled, so it ends the thread; the next task gets a new one. */
async function draw(task: SlipTask): Promise<void> {
  const result = await drawSlips(task)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage({ result })
}
