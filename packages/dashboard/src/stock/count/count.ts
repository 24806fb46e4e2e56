import type { Body } from '@kontor/sdk'
import { type Level, shelfOf } from '../level.ts'

export type Item = Body<'createStocktake'>['items'][number]

/** Why a count cannot be brought in as it is: a person has to say what is true. */
export type Trouble =
  /** No variant has this SKU. */
  | 'unknown'
  /** What should be on the shelf is another number by now: pieces were sent, came back or were added. */
  | 'moved'
  /** Its stock was read for the first time after it was counted. */
  | 'late'
  /** Somebody else has counted it since, and brought in a difference. */
  | 'counted'
  /** More was sold meanwhile than was found. */
  | 'below'
  /** The service does not know what is sold and not sent. */
  | 'unsure'

/** What a person has said: it was counted before or after that; add it to what others found; there is nothing left. */
export type Choice = 'before' | 'after' | 'add' | 'none'

/** What one person has counted of a variant. All of it is data, so that it outlives the page and the line. */
export type Count = {
  id: string
  userId: string
  businessId: string
  /** What was scanned or typed. */
  text: string
  counted: number
  startedAt: number
  /** The stock as it was known when counting began; undefined while nobody could be asked. */
  level?: Level | undefined
  /** The stock as it was read again, where that matters. */
  fresh?: Level | undefined
  trouble?: Trouble | undefined
  choice?: Choice | undefined
  /** A person has said that it is to be brought in. What is scanned afterwards is another count. */
  isReleased?: boolean | undefined
  /** It is in the outbox. */
  isAsked?: boolean | undefined
}

/** How far the count is from the book; undefined while the book is not known. */
export function differenceOf({ counted, level, fresh, choice }: Count): number | undefined {
  if (choice === 'add') return counted
  if (choice === 'none') return fresh && -fresh.quantity
  const shelf = level && shelfOf(choice === 'after' && fresh ? fresh : level)
  return shelf === undefined ? undefined : counted - shelf
}

/**
 * Whether the count may be brought in, with the stock as it is now. Sales and cancellations move pieces between what can be sold and
 * what is sold, and leave the shelf as it is. Anything else changes what should lie there, and then it matters whether it
 * was counted before or after: only a person knows.
 */
export function troubleOf(count: Count, fresh: Level): Trouble | undefined {
  if (count.choice) return undefined
  if (!count.level) return 'late'
  const [then, now] = [shelfOf(count.level), shelfOf(fresh)]
  if (then === undefined || now === undefined) return 'unsure'
  return then === now ? undefined : 'moved'
}

/** As the service takes it; undefined while it is not known what it is compared with. */
export function itemOf(count: Count): Item | undefined {
  const { level, fresh, choice, counted } = count
  if (!level) return undefined
  const { productId, variantId } = level
  const at = { productId, variantId }
  if (choice === 'add') return { ...at, delta: counted }
  if (choice === 'none') return fresh && { ...at, delta: -fresh.quantity }
  const { committed, number } = choice === 'after' && fresh ? fresh : level
  return committed === null ? undefined : { ...at, counted, committed, number }
}

/** A change of nothing is no item. */
export const isNothing = (item: Item) => 'delta' in item && item.delta === 0

/** Somebody counts it once more, from what the book says now. */
export const countedAgain = ({ fresh, level, ...count }: Count): Count => ({
  ...count,
  level: fresh ?? level,
  fresh: undefined,
  trouble: undefined,
  choice: undefined,
  counted: 0,
  startedAt: Date.now(),
})
