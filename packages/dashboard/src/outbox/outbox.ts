import { type Answer, type Input, KontorError, type OperationId } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import { invalidate } from '../api/query.ts'
import { sessionStore } from '../session/session.ts'
import { isOurs } from './is-ours.ts'
import { deleteEntry, type Entry, readEntries, writeEntry } from './store.ts'

/** The service remembers keys for 24 hours. After that a repetition could be a second time. */
const FORGOTTEN_AFTER_MS = 23 * 3_600_000
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000]

type Call = (input: unknown, options: object) => Promise<unknown>
type Ending = { entry: Entry; error?: unknown }

let entries: Entry[] = []
const listeners = new Set<() => void>()
const endings = new Set<(ending: Ending) => void>()
const own = new Set<string>()

function change(next: Entry[]): void {
  entries = next
  for (const listener of listeners) listener()
}

export const outboxStore = {
  get: () => entries,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  /** Is told of entries of an earlier page whose answer came now: nobody else waits for them. */
  onResumed: (listener: (ending: Ending) => void) => {
    endings.add(listener)
    return () => void endings.delete(listener)
  },
}

export type Ask<Id extends OperationId> = {
  operation: Id
  input: Partial<Input<Id>>
  label: string
  about?: string[]
  ifMatch?: string | undefined
}

/**
 * Sends a write once. It is stored before it is sent and until its answer is known, through reloads and tunnels; the
 * promise is kept until then. It fails only with an answer of the service: then nothing was done.
 */
export async function ask<Id extends OperationId>(businessId: string, wanted: Ask<Id>): Promise<Answer<Id>> {
  const userId = sessionStore.get().signed?.userId ?? ''
  const { operation, input, label, about = [], ifMatch } = wanted
  const entry: Entry = {
    id: crypto.randomUUID(),
    userId,
    businessId,
    operation,
    input: input as Entry['input'],
    ifMatch,
    about,
    label,
    askedAt: Date.now(),
    isLost: false,
  }
  own.add(entry.id)
  await writeEntry(entry).catch(() => {}) // a browser without storage still sends it
  change([...entries, entry])
  return settle(entry) as Promise<Answer<Id>>
}

/** Tries until there is an answer. Other tabs leave it alone meanwhile. */
const settle = (entry: Entry): Promise<unknown> =>
  'locks' in navigator ? navigator.locks.request(`kontor-outbox:${entry.id}`, () => insist(entry)) : insist(entry)

async function insist(first: Entry): Promise<unknown> {
  let entry = first
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await attemptOnce(entry)
      await finish(entry)
      return answer
    } catch (error) {
      if (!isLost(error)) {
        await finish(entry)
        throw error
      }
      entry = { ...entry, isLost: true }
      await writeEntry(entry).catch(() => {})
      change(entries.map((one) => (one.id === entry.id ? entry : one)))
      await pause(WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] ?? 0)
      if (Date.now() - entry.askedAt > FORGOTTEN_AFTER_MS) throw error
    }
  }
}

async function attemptOnce(entry: Entry): Promise<unknown> {
  const { operation, businessId, id, ifMatch } = entry
  const input = { ...entry.input, path: { ...(businessId === '-' ? {} : { businessId }), ...entry.input.path } }
  const options = { idempotencyKey: id, ...(ifMatch === undefined ? {} : { ifMatch }) }
  try {
    return await (kontor.operations[operation] as Call)(input, options)
  } catch (error) {
    const mine = entry.isLost && error instanceof KontorError ? await isOurs(entry, error) : undefined
    if (mine !== undefined) return mine
    throw error
  }
}

/** No answer, or none that says what became of it. A session that ended is no answer either: it goes on after login. */
const isLost = (error: unknown) =>
  !(error instanceof KontorError) || [0, 401, 429, 502, 503, 504].includes(error.status) || error.has('STILL_RUNNING')

async function finish(entry: Entry): Promise<void> {
  await deleteEntry(entry.id).catch(() => {})
  change(entries.filter(({ id }) => id !== entry.id))
  own.delete(entry.id)
  // Whatever it was, what is on the screen of this business may be old now.
  await invalidate(entry.businessId, /./)
}

/** Sooner than the wait if the line comes back. */
const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
  })

/** Goes on with what an earlier page, or a closed tab, has left. */
export async function resumeOutbox(userId: string): Promise<void> {
  const kept = (await readEntries().catch(() => [])).filter((entry) => entry.userId === userId)
  const known = new Set(entries.map(({ id }) => id))
  change([...entries, ...kept.filter(({ id }) => !known.has(id))])
  for (const entry of kept) {
    if (own.has(entry.id) || isForgotten(entry)) continue
    own.add(entry.id)
    settle({ ...entry, isLost: true }).then(
      () => tell({ entry }),
      (error: unknown) => tell({ entry, error }),
    )
  }
}

const tell = (ending: Ending) => {
  for (const listener of endings) listener(ending)
}

/** Too old to be repeated: a person has to look whether it was done. */
export const isForgotten = ({ askedAt }: Entry) => Date.now() - askedAt > FORGOTTEN_AFTER_MS

export async function dismiss(id: string): Promise<void> {
  await deleteEntry(id)
  change(entries.filter((entry) => entry.id !== id))
}

/** Asks again at once for all that wait, as if the line had come back. */
export const askNow = (): void => void dispatchEvent(new Event('online'))
