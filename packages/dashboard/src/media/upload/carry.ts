import { type Answer, KontorError } from '@kontor/sdk'
import { comesIn, kontorOf } from '../../outbox/in-name-of.ts'
import { isLost } from '../../outbox/is-lost.ts'
import { pauseBefore } from '../../outbox/pause.ts'
import { Rejected } from './failure.ts'
import { hashOf } from './hash.ts'
import { waitOrHurry } from './hurry.ts'
import { put } from './put.ts'
import { removeFromLibrary } from './remove.ts'
import type { Kept } from './store.ts'
import { Trouble } from './trouble.ts'
import { createTurns } from './turns.ts'
import type { Step } from './uploads.ts'

type MediaFile = Answer<'getMedia'>
type News = { step?: Step; sent?: number; isAway?: boolean }

type Carrying = {
  of: () => Kept
  file: Blob
  signal: AbortSignal
  isAgain: boolean
  alone: <Result>(name: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>
  /** For the eye only. */
  show: (news: News) => void
  /** Outlives the page. */
  note: (news: Partial<Kept>) => Promise<void>
}

const MOST_AT_A_TIME = 3
const inTurn = createTurns(MOST_AT_A_TIME)
/** The address is good for ten minutes. Reckoned from when it was asked for, as clocks differ. */
const ADDRESS_MS = 9.5 * 60_000
/** So often the store may stay silent, or refuse the address, while the service answers. */
const MOST_SILENCES = 5
const MOST_REFUSALS = 3

/** One file from this machine into the library. Ends when the service has looked at it; fails only where trying on is of no use. */
export async function carry(carrying: Carrying): Promise<{ media: MediaFile; wasHere: boolean }> {
  const { of, file, signal, alone, show, note } = carrying
  if (!of().sha256) {
    show({ step: 'hashing' })
    await note({ sha256: await hashOf(file) })
  }
  signal.throwIfAborted()
  show({ step: 'waiting' })
  const { businessId, sha256 } = of()
  // The same file, chosen twice or in two tabs, waits for the first and is then found to be here.
  return alone(`kontor-upload:${businessId}:${sha256}`, signal, async () => {
    const { media, wasHere } = await inTurn(() => send(carrying))
    const checked = await untilChecked(carrying, media)
    if (checked.status === 'REJECTED') throw new Rejected(checked.problem ?? 'FAILED')
    return { media: checked, wasHere }
  })
}

type Sent = { media: MediaFile; wasHere: boolean }

async function send(carrying: Carrying): Promise<Sent> {
  const { of, file, signal, show, note, isAgain } = carrying
  const { businessId, fileName, mimeType, size, sha256 = '', userId } = of()
  const { operations } = kontorOf(userId)
  let silences = 0
  let refusals = 0
  signal.throwIfAborted()
  show({ step: 'sending' })
  for (;;) {
    const { mediaId } = of()
    if (mediaId) {
      const found = await findFile(carrying, mediaId)
      if (found && found.status !== 'PENDING' && !(isAgain && found.status === 'REJECTED'))
        return { media: found, wasHere: false }
      if (!found || found.status === 'REJECTED' || isOld(of())) await startAnew(carrying)
    }
    const { key } = of()
    if (of().keyAt === undefined) await note({ keyAt: Date.now() })
    const body = { fileName, mimeType, size, sha256 }
    const made = await untilKnown(carrying, () =>
      operations.createMedia({ path: { businessId }, body }, { idempotencyKey: key }),
    )
    if (made.upload === undefined) return { media: made, wasHere: true }
    if (signal.aborted) removeFromLibrary(of(), made.id)
    signal.throwIfAborted()
    await note({ mediaId: made.id })
    let moved = 0
    const onProgress = (sent: number) => {
      moved = sent
      show({ sent, isAway: false })
    }
    const status = await put(made.upload, file, { signal, onProgress })
    if (status >= 200 && status < 300) {
      const path = { businessId, id: made.id }
      return { media: await untilKnown(carrying, () => operations.completeMedia({ path })), wasHere: false }
    }
    show({ sent: 0 })
    if (status === 403) {
      if (++refusals > MOST_REFUSALS) throw new Trouble('STORE_REFUSED')
      await startAnew(carrying)
    } else if (isPassing(status)) {
      await checkReadable(file)
      if (moved === 0 && ++silences > MOST_SILENCES) throw new Trouble('STORE_UNREACHABLE')
      show({ isAway: true })
      await pause(silences, signal)
    } else throw new Trouble('STORE_REFUSED')
  }
}

const isOld = ({ keyAt }: Kept) => keyAt !== undefined && Date.now() - keyAt > ADDRESS_MS

/** 400: it ended early. */
const isPassing = (status: number) => [0, 400, 408, 429].includes(status) || status >= 500

/** Its address is of no use any more: what was begun is deleted, and begun again under another key. */
async function startAnew(carrying: Carrying): Promise<void> {
  const { businessId, userId, mediaId } = carrying.of()
  if (mediaId) {
    const path = { businessId, id: mediaId }
    await untilKnown(carrying, () =>
      kontorOf(userId)
        .operations.deleteMedia({ path })
        .then(
          () => {},
          (error: unknown) => {
            if (!isGone(error)) throw error
          },
        ),
    )
  }
  await carrying.note({ mediaId: undefined, key: crypto.randomUUID(), keyAt: undefined })
}

const isGone = (error: unknown) => error instanceof KontorError && error.status === 404

function findFile(carrying: Carrying, id: string): Promise<MediaFile | undefined> {
  const { businessId, userId } = carrying.of()
  return untilKnown(carrying, () =>
    kontorOf(userId)
      .operations.getMedia({ path: { businessId, id } })
      .catch((error: unknown) => {
        if (isGone(error)) return undefined
        throw error
      }),
  )
}

async function untilChecked(carrying: Carrying, first: MediaFile): Promise<MediaFile> {
  let media = first
  for (let round = 0; media.status === 'PENDING' || media.status === 'PROCESSING'; round++) {
    carrying.show({ step: 'checking', isAway: false })
    await waitOrHurry(round, carrying.signal)
    carrying.signal.throwIfAborted()
    const found = await findFile(carrying, media.id)
    if (!found) throw new Rejected('GONE')
    media = found
  }
  return media
}

/** Asks until the service answers, in the name of who chose the file, and while they are here. */
async function untilKnown<Result>({ of, signal, show }: Carrying, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    await comesIn(of().userId)
    try {
      const answer = await work()
      if (attempt > 0) show({ isAway: false })
      return answer
    } catch (error) {
      if (!isLost(error)) throw error
      show({ isAway: true })
      await pause(attempt, signal)
    }
  }
}

const pause = (attempt: number, signal: AbortSignal) =>
  Promise.race([
    pauseBefore(attempt),
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  ])

/** A file that was moved or changed looks like a line that is gone. */
const checkReadable = (file: Blob) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => {},
      () => {
        throw new Trouble('UNREADABLE')
      },
    )
