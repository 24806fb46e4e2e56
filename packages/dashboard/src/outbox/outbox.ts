import { type Answer, type Input, KontorError, type OperationId } from '@kontor/sdk'
import { invalidate } from '../api/query.ts'
import { seenAs } from '../session/see-as.ts'
import { changeWords } from './change-words.ts'
import { comesIn, kontorOf, notSignedIn, onlySeen, signedUserId } from './in-name-of.ts'
import { insist, isForgotten, type Outcome, type World } from './insist.ts'
import { isLost } from './is-lost.ts'
import { isOurs, type Read } from './is-ours.ts'
import { pauseBefore } from './pause.ts'
import { deleteEntry, type Entry, readEntries, readEntry, type Words, writeEntry } from './store.ts'

type Call = (input: unknown, options?: object) => Promise<unknown>
type Ending = { entry: Entry; error?: unknown }

/** Of everybody who was signed in to this page. Only those of who is signed in now are shown. */
let all: Entry[] = []
let viewer: string | undefined
let waiting: Entry[] = []
let refused: Entry[] = []
const listeners = new Set<() => void>()
const endings = new Set<(ending: Ending) => void>()
const own = new Set<string>()
/** Were written to IndexedDB: if one is not there any more, another tab has seen to it. */
const stored = new Set<string>()

function change(next: Entry[]): void {
  all = next
  const shown = all.filter(({ userId }) => userId === viewer)
  waiting = shown.filter((entry) => !entry.refused)
  refused = shown.filter((entry) => entry.refused)
  for (const listener of listeners) listener()
}

const put = (entry: Entry) => change(all.map((one) => (one.id === entry.id ? entry : one)))
const drop = (id: string) => change(all.filter((entry) => entry.id !== id))

export const outboxStore = {
  /** Asked, and not yet known. */
  get: () => waiting,
  /** Refused after the page that asked was left. */
  getRefused: () => refused,
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
  words?: Words
}

/**
 * Sends a write once. It is stored before it is sent and until its answer is known, through reloads and tunnels; the
 * promise is kept until then. It fails only with an answer of the service: then nothing was done. If nobody will ever
 * know, it is not kept, and the outbox asks the person to look.
 */
export async function ask<Id extends OperationId>(businessId: string, wanted: Ask<Id>): Promise<Answer<Id>> {
  const userId = signedUserId()
  if (userId === undefined) throw notSignedIn()
  if (seenAs()?.businessId === businessId) throw onlySeen()
  const { operation, input, label, about = [], ifMatch, words } = wanted
  const entry: Entry = {
    id: crypto.randomUUID(),
    userId,
    businessId,
    operation,
    input: input as Entry['input'],
    ifMatch,
    words,
    about,
    label,
    askedAt: Date.now(),
    isLost: false,
  }
  own.add(entry.id)
  await writeEntry(entry).then(
    () => stored.add(entry.id),
    () => {}, // a browser without storage still sends it
  )
  change([...all, entry])
  const outcome = await settle(entry, (refusal) => forget(refusal.id))
  if (outcome.is === 'answered') return outcome.answer as Answer<Id>
  if (outcome.is === 'refused') throw outcome.error
  return new Promise(() => {})
}

/** Tries while the person who asked is signed in. Other tabs leave it alone meanwhile. */
async function settle(entry: Entry, onRefused: (entry: Entry, error: unknown) => Promise<void>): Promise<Outcome> {
  for (;;) {
    await comesIn(entry.userId)
    const outcome = await alone(entry.id, async () => {
      const now = all.find(({ id }) => id === entry.id) ?? entry
      const found = await insist({ ...now, isLost: now.isLost || entry.isLost }, world)
      if (found.is === 'answered') await forget(entry.id)
      if (found.is === 'refused') await onRefused(entry, found.error)
      if (found.is === 'gone') await takeOver(entry.id)
      return found
    })
    if (outcome.is === 'left') continue
    own.delete(entry.id)
    if (outcome.is === 'forgotten') change([...all])
    // Whatever it was, what is on the screen of this business may be old now.
    else await invalidate(entry.businessId, /./)
    return outcome
  }
}

const alone = <Result>(id: string, work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request(`kontor-outbox:${id}`, work) : work()

const world: World = {
  now: Date.now,
  userId: signedUserId,
  reread: async (entry) => {
    if (!stored.has(entry.id)) return entry
    return readEntry(entry.id).then(
      (kept) => kept ?? 'gone',
      () => entry,
    )
  },
  send: attemptOnce,
  isLost,
  keep: async (entry) => {
    await writeEntry(entry).catch(() => {})
    put(entry)
  },
  pause: pauseBefore,
}

async function attemptOnce(entry: Entry): Promise<unknown> {
  const { operation, businessId, id, ifMatch } = entry
  const { operations } = kontorOf(entry.userId)
  const input = { ...entry.input, path: { ...(businessId === '-' ? {} : { businessId }), ...entry.input.path } }
  const options = { idempotencyKey: id, ...(ifMatch === undefined ? {} : { ifMatch }) }
  const read: Read = (reader, path) => (operations[reader] as Call)({ path })
  if (entry.words) {
    const write = (body: object, version: string) =>
      (operations[operation] as Call)({ ...input, body }, { ifMatch: version })
    return changeWords(entry, entry.words, read, write)
  }
  try {
    return await (operations[operation] as Call)(input, options)
  } catch (error) {
    if (!entry.isLost || !(error instanceof KontorError)) throw error
    const mine = await isOurs(entry, error, read).catch((unread: unknown) => {
      throw isLost(unread) ? unread : error
    })
    if (mine !== undefined) return mine
    throw error
  }
}

async function forget(id: string): Promise<void> {
  await deleteEntry(id).catch(() => {})
  drop(id)
}

/** Another tab has ended it; if it was refused there, it is shown here as well. */
async function takeOver(id: string): Promise<void> {
  const kept = await readEntry(id).catch(() => undefined)
  if (kept) put(kept)
  else drop(id)
}

async function keepRefused(entry: Entry, error: unknown): Promise<void> {
  const { status, code, message, requestId } = error as KontorError // anything else counts as lost
  const kept = { ...entry, refused: { status, code, message, requestId } }
  await writeEntry(kept).catch(() => {})
  put(kept)
}

/**
 * Shows what this person has asked, and goes on with what an earlier page, or a closed tab, has left. What others have
 * asked stays in IndexedDB until they are back. Undefined: nobody is here.
 */
export async function openOutboxOf(userId: string | undefined): Promise<void> {
  viewer = userId
  change(all)
  if (userId === undefined) return
  const kept = (await readEntries().catch(() => [])).filter((entry) => entry.userId === userId)
  const known = new Set(all.map(({ id }) => id))
  for (const { id } of kept) stored.add(id)
  change([...all, ...kept.filter(({ id }) => !known.has(id))])
  for (const entry of kept) if (!own.has(entry.id) && !entry.refused && !isForgotten(entry)) void goOn(entry)
}

async function goOn(entry: Entry): Promise<void> {
  own.add(entry.id)
  const outcome = await settle({ ...entry, isLost: true }, keepRefused)
  if (outcome.is === 'answered') tell({ entry })
  if (outcome.is === 'refused') tell({ entry, error: outcome.error })
}

const tell = (ending: Ending) => {
  for (const listener of endings) listener(ending)
}

/** A person has seen it. */
export const dismiss = forget

/** Asks again at once for all that wait, as if the line had come back. */
export const askNow = (): void => void dispatchEvent(new Event('online'))
