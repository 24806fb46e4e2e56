import type { Answer } from '@kontor/sdk'
import { invalidate } from '../../api/query.ts'
import { signedUserId } from '../../outbox/in-name-of.ts'
import { sessionStore } from '../../session/session.ts'
import { carry } from './carry.ts'
import { failureOf } from './failure.ts'
import { fileNameOf, typeOf } from './file-name.ts'
import { removeFromLibrary } from './remove.ts'
import { type Failure, forget, type Kept, keep, keepNew, readFile, readKept, readOne } from './store.ts'
import { Trouble } from './trouble.ts'
import { setUnderWay } from './under-way.ts'

export type MediaFile = Answer<'getMedia'>

/** `checking`: the bytes are there, the service looks at them. */
export type Step = 'waiting' | 'hashing' | 'sending' | 'checking' | 'done' | 'failed'

export type Upload = Kept & {
  step: Step
  /** Bytes that have left. */
  sent: number
  /** There was no answer; it is tried again. */
  isAway: boolean
  /** In the library, once it is done. */
  media?: MediaFile | undefined
  /** The library had it before. */
  wasHere?: boolean | undefined
}

const MAX_BYTES = 50_000_000

/** Of everybody who was signed in to this page. Only those of who is signed in now are shown. */
let all: readonly Upload[] = []
let shown: readonly Upload[] = []
const listeners = new Set<() => void>()
const files = new Map<string, Blob>()
const controllers = new Map<string, AbortController>()
/** Were written to IndexedDB: if one is not there any more, another tab has seen to it. */
const stored = new Set<string>()

function change(next: readonly Upload[]): void {
  all = next
  const viewer = signedUserId()
  shown = all.filter(({ userId }) => userId === viewer)
  for (const listener of listeners) listener()
}

export const uploadStore = {
  get: () => shown,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

/** Begins with these files, and answers the ids of their uploads. They go on wherever the person goes, and after a reload. */
export function upload(businessId: string, chosen: readonly File[]): string[] {
  const userId = signedUserId()
  if (userId === undefined) return []
  const added = chosen.map((file): Upload => {
    const id = crypto.randomUUID()
    files.set(id, file)
    return {
      id,
      userId,
      businessId,
      fileName: fileNameOf(file.name),
      mimeType: typeOf(file),
      size: file.size,
      askedAt: Date.now(),
      key: crypto.randomUUID(),
      step: 'waiting',
      sent: 0,
      isAway: false,
    }
  })
  change([...all, ...added])
  setUnderWay(true)
  for (const one of added) void begin(one)
  return added.map(({ id }) => id)
}

async function begin(one: Upload): Promise<void> {
  const file = files.get(one.id)
  if (!file || one.size === 0) return fail(one.id, failureOf(new Trouble('EMPTY')))
  if (one.size > MAX_BYTES) return fail(one.id, failureOf(new Trouble('TOO_LARGE')))
  await keepNew(toKept(one), file).then(
    () => stored.add(one.id),
    () => {}, // a browser without storage still sends it
  )
  // It may have been cancelled meanwhile.
  if (find(one.id)) await run(one.id)
  else await forget(one.id).catch(() => {})
}

/** `isAgain`: a person wants it to be tried anew, whatever became of it. */
async function run(id: string, isAgain = false): Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  controllers.set(id, ended)
  try {
    await alone(`kontor-upload:${id}`, signal, async () => {
      const kept = stored.has(id) ? await readOne(id).catch(() => find(id)) : find(id)
      if (!kept) return drop(id)
      patch(id, kept)
      // Another tab has tried it, and a person decides.
      if (kept.failed) return patch(id, { step: 'failed' })
      const file = files.get(id) ?? (await readFile(id).catch(() => undefined))
      if (!file) throw new Trouble('UNREADABLE')
      files.set(id, file)
      const of = () => find(id) ?? { ...kept, step: 'waiting' as const, sent: 0, isAway: false }
      const { media, wasHere } = await carry({
        of,
        file,
        signal,
        isAgain,
        alone,
        show: (news) => patch(id, news),
        note: (news) => note(id, news),
      })
      await forget(id).catch(() => {})
      files.delete(id)
      patch(id, { step: 'done', sent: kept.size, isAway: false, media, wasHere })
      await invalidate(kept.businessId, /Media/)
    })
  } catch (error) {
    if (!signal.aborted) await fail(id, failureOf(error))
  } finally {
    if (controllers.get(id) === ended) controllers.delete(id)
  }
}

const alone = <Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> =>
  'locks' in navigator ? navigator.locks.request(name, { signal }, work) : work()

const find = (id: string) => all.find((one) => one.id === id)
const patch = (id: string, news: Partial<Upload>) =>
  change(all.map((one) => (one.id === id ? { ...one, ...news } : one)))

async function note(id: string, news: Partial<Kept>): Promise<void> {
  patch(id, news)
  const now = find(id)
  if (now && stored.has(id)) await keep(toKept(now)).catch(() => {})
}

async function fail(id: string, failed: Failure): Promise<void> {
  patch(id, { step: 'failed', isAway: false, failed })
  await note(id, { failed })
}

function drop(id: string): void {
  files.delete(id)
  change(all.filter((one) => one.id !== id))
  if (all.length === 0) void lookWhatIsLeft()
}

/** Another tab, or somebody who is not signed in now, may have left some. */
async function lookWhatIsLeft(): Promise<void> {
  const kept = await readKept().catch(() => [])
  setUnderWay(all.length > 0 || kept.length > 0)
}

/** Takes it off the list; ends it if it is under way, and leaves nothing of it in the library unless it is done. */
export async function dismiss(id: string): Promise<void> {
  const one = find(id)
  controllers.get(id)?.abort()
  drop(id)
  await forget(id).catch(() => {})
  if (one?.mediaId && one.step !== 'done') removeFromLibrary(one, one.mediaId)
  await lookWhatIsLeft()
}

export function tryAgain(id: string): void {
  patch(id, { step: 'waiting', sent: 0, failed: undefined })
  void note(id, { failed: undefined, sha256: undefined }).then(() => run(id, true))
}

/** Goes on with what an earlier page, or a closed tab, has left. What others have begun stays until they are back. */
async function goOn(): Promise<void> {
  change(all)
  const userId = signedUserId()
  if (userId === undefined) return
  const kept = (await readKept().catch(() => [])).filter((one) => one.userId === userId && !find(one.id))
  for (const { id } of kept) stored.add(id)
  const back = kept
    .toSorted((one, other) => one.askedAt - other.askedAt)
    .map((one): Upload => ({ ...one, step: one.failed ? 'failed' : 'waiting', sent: 0, isAway: false }))
  change([...all, ...back])
  for (const { id, failed } of back) if (!failed) void run(id)
  await lookWhatIsLeft()
}

const toKept = ({ step: _step, sent: _sent, isAway: _away, media: _media, wasHere: _here, ...kept }: Upload): Kept =>
  kept

let viewer: string | undefined
const followSession = () => {
  if (viewer === signedUserId()) return
  viewer = signedUserId()
  void goOn()
}
sessionStore.subscribe(followSession)
followSession()
