import { AsyncLocalStorage } from 'node:async_hooks'

/** Identifies an extension by its path until its file is loaded. */
type Running = { name: string }

const running = new AsyncLocalStorage<Running>()

/** Runs code of an extension. Timers and promises started there keep the context. */
export const runExtension = <Result>(extension: Running, work: () => Result): Result => running.run(extension, work)

/** The extension whose code is running or, in a handler of unhandled errors, caused the error. */
export const runningExtension = (): string | undefined => running.getStore()?.name
