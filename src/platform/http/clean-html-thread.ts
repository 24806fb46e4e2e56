import { parentPort } from 'node:worker_threads'
import { parseAndClean } from '#vocabulary/html.ts'
import { runTask } from '../thread.ts'

parentPort?.on('message', (texts: string[]) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(runTask(texts, (texts) => texts.map(parseAndClean)))
})
