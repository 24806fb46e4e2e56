import { AsyncResource } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TSchema } from 'typebox'
import type { MigrationSet } from '../database/migrate.ts'
import type { CellJob } from '../jobs/define.ts'
import { type Extension, isExtension, isOfThisCopy, schemaOf } from './define.ts'
import { handlerJobs } from './follow-feed.ts'
import { loadMigrationSet } from './migrations.ts'
import { runExtension } from './running.ts'

/** A problem that the operator, or the author of the extension, can fix: shown without a stack. */
export class ExtensionError extends Error {}

export type LoadedExtension = {
  extension: Extension
  /** As KONTOR_EXTENSIONS names it. */
  file: string
  schema: string
  migrations: MigrationSet
  /** Its own, and one for each kind of event that it handles. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a list of jobs with different payloads
  jobs: readonly CellJob<any>[]
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const MAX_NAME = 40
/** Without a limit, a handler that never ends would occupy its place in the worker forever. */
const TIME_LIMIT_SECONDS = 60
const MAX_TIME_LIMIT_SECONDS = 900

/** Loads the files of KONTOR_EXTENSIONS, in their order. `eventTypes`: all that there are. */
export async function loadExtensions(
  files: readonly string[],
  eventTypes: readonly string[],
): Promise<LoadedExtension[]> {
  const loaded: LoadedExtension[] = []
  for (const file of files) {
    const source = { name: file }
    const extension = await runExtension(source, () => importExtension(file))
    const problem = problemOf(extension, eventTypes) ?? clashOf(extension, loaded)
    if (problem) throw new ExtensionError(`The extension ${file}: ${problem}`)
    const schema = schemaOf(extension)
    const migrations = await loadMigrationSet(extension, file)
    source.name = extension.name
    const jobs = [...(extension.jobs ?? []), ...handlerJobs(extension)].map((job) => limited(extension, job))
    loaded.push({ extension, file, schema, migrations, jobs })
  }
  return loaded
}

/** Its job, run as code of the extension and within its time limit. */
const limited = <Payload extends TSchema>(extension: Extension, job: CellJob<Payload>): CellJob<Payload> => ({
  ...job,
  timeLimitSeconds: job.timeLimitSeconds ?? extension.timeLimitSeconds ?? TIME_LIMIT_SECONDS,
  run: (payload, context) =>
    runExtension(extension, () => job.run(payload, { ...context, signal: ownSignal(context.signal) })),
})

/** Listeners run in the context of whoever aborts, and what they throw has to be the extension's. */
function ownSignal(signal: AbortSignal): AbortSignal {
  const own = new AbortController()
  const abort = AsyncResource.bind(() => own.abort(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return own.signal
}

async function importExtension(file: string): Promise<Extension> {
  const place = path.resolve(file)
  if (!existsSync(place))
    throw new ExtensionError(
      `KONTOR_EXTENSIONS names ${file}, but there is no file ${place}. Paths are relative to the folder in which Kontor is started.`,
    )
  const exported = await import(pathToFileURL(place).href).catch((error: unknown) => {
    throw new ExtensionError(`The extension ${file} cannot be loaded: ${explain(error)}`)
  })
  const found = [...new Set(Object.values(exported as object))].filter(isExtension)
  const [extension, second] = found
  if (!extension || second)
    throw new ExtensionError(
      `The extension ${file} exports ${found.length} extensions. Let it export exactly one: export const shipping = extension({ name: 'shipping', … })`,
    )
  if (!isOfThisCopy(extension))
    throw new ExtensionError(
      `The extension ${file} imports kontor/extension from another copy of Kontor than the one that is running. ` +
        'Start Kontor from the copy that its project depends on, or let the project depend on this one: npm install <folder of Kontor>',
    )
  return extension
}

function explain(error: unknown): string {
  const { message, code, stack = '' } = error as NodeJS.ErrnoException
  if (code === 'ERR_MODULE_NOT_FOUND' && /'kontor'/.test(message))
    return `it imports kontor/extension, and its project has no package kontor. Add it: npm install <folder of Kontor>`
  const [at] = /file:\/\/\S+:\d+:\d+/.exec(stack) ?? []
  return `${message ?? String(error)}${at ? ` (${at})` : ''}`
}

function problemOf(
  { name, jobs = [], on = {}, migrations, timeLimitSeconds }: Extension,
  eventTypes: readonly string[],
) {
  if (typeof name !== 'string' || !NAME.test(name) || name.length > MAX_NAME)
    return `its name must be lower-case words joined by hyphens, at most ${MAX_NAME} letters, such as tax-by-region; it is ${JSON.stringify(name)}.`
  if (migrations !== undefined && !(migrations instanceof URL && migrations.protocol === 'file:'))
    return "migrations must be the address of a folder, as a URL: that of './migrations/' beside the file"
  const foreign = jobs.find((job) => !job.name.startsWith(`${name}.`))
  if (foreign) return `its job ${foreign.name} must be named after it: ${name}.${foreign.name}`
  const inControl = jobs.find((job) => (job.on as string) !== 'cell')
  if (inControl) return `its job ${inControl.name} must have on: 'cell'. The data of an extension is in the cells.`
  const names = [...jobs.map((job) => job.name), ...handlerJobs({ name, on }).map((job) => job.name)]
  const twice = names.find((each, index) => names.indexOf(each) !== index)
  if (twice) return `it has two jobs that are named ${twice}.`
  const limits = [timeLimitSeconds, ...jobs.map((job) => job.timeLimitSeconds)]
  const wrong = limits.find((limit) => limit !== undefined && !(limit > 0 && limit <= MAX_TIME_LIMIT_SECONDS))
  if (wrong !== undefined)
    return `timeLimitSeconds must be more than 0 and at most ${MAX_TIME_LIMIT_SECONDS}; it is ${wrong}. Split longer work into several jobs.`
  const unknown = Object.keys(on).find((type) => !eventTypes.includes(type))
  if (unknown) return `there is no event ${unknown}. docs/events.md lists them all.`
  return undefined
}

function clashOf({ name }: Extension, loaded: readonly LoadedExtension[]): string | undefined {
  const other = loaded.find(({ extension }) => extension.name === name)
  return other && `${other.file} is named ${name} as well. Rename one, or name it only once in KONTOR_EXTENSIONS.`
}
