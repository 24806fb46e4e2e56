import { parentPort } from 'node:worker_threads'
import { runTask } from '#platform/thread.ts'
import { composeMail, type MailSource } from './render.ts'

parentPort?.on('message', (source: MailSource) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(runTask(source, composeMail))
})
