import type { Entry } from './store.ts'

/** The service remembers keys for 24 hours. After that a repetition could be a second time. */
const FORGOTTEN_AFTER_MS = 23 * 3_600_000

/** Too old to be repeated: a person has to look whether it was done. */
export const isForgotten = ({ askedAt }: Entry, now = Date.now()) => now - askedAt > FORGOTTEN_AFTER_MS

/**
 * What became of it. `gone`: another tab has seen to it. `forgotten`: nobody will know by asking. `left`: who asked is
 * not signed in any more; in another name it would be another request, and could be done twice.
 */
export type Outcome =
  | { is: 'answered'; answer: unknown }
  | { is: 'refused'; error: unknown }
  | { is: 'gone' | 'forgotten' | 'left' }

export type World = {
  now: () => number
  /** Who is signed in. */
  userId: () => string | undefined
  /** What the browser has kept of it; `gone` if it was kept once and is not any more. */
  reread: (entry: Entry) => Promise<Entry | 'gone'>
  send: (entry: Entry) => Promise<unknown>
  isLost: (error: unknown) => boolean
  /** An answer was lost. */
  keep: (entry: Entry) => Promise<void>
  pause: (attempt: number) => Promise<void>
}

/** Tries until there is an answer, or no sense in trying. */
export async function insist(first: Entry, world: World): Promise<Outcome> {
  let entry = first
  for (let attempt = 0; ; attempt++) {
    const kept = await world.reread(entry)
    if (kept === 'gone' || kept.refused) return { is: 'gone' }
    entry = { ...kept, isLost: kept.isLost || entry.isLost }
    if (isForgotten(entry, world.now())) return { is: 'forgotten' }
    if (world.userId() !== entry.userId) return { is: 'left' }
    try {
      return { is: 'answered', answer: await world.send(entry) }
    } catch (error) {
      if (!world.isLost(error)) return { is: 'refused', error }
      entry = { ...entry, isLost: true }
      await world.keep(entry)
      if (world.userId() === entry.userId) await world.pause(attempt)
    }
  }
}
