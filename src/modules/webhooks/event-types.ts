import type { EventDefinition } from '#platform/events/define.ts'
import { type Readers, topicOf, topicsFor } from '#platform/events/readers.ts'
import { wordsOf } from '#platform/http/access.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { typeNotReadable, typeUnknown } from './errors.ts'

/** Types that there are, and who may read them: the app has both lists. */
export type EventList = { events: readonly EventDefinition[]; readers: Readers }

const EVERYTHING = '*'

/** `order.*` is every event of the topic `order`. */
export function createMatcher(types: readonly string[]): (type: string) => boolean {
  const wanted = new Set(types)
  return (type) => wanted.has(type) || wanted.has(EVERYTHING) || wanted.has(`${topicOf(type)}.*`)
}

export function checkTypesExist(types: readonly string[], { events }: EventList): void {
  const known = new Set(events.flatMap(({ type }) => [type, `${topicOf(type)}.*`]))
  const index = types.findIndex((type) => type !== EVERYTHING && !known.has(type))
  if (index >= 0) throw typeUnknown({ index, type: types[index] ?? '' })
}

/** Nobody is told of more than they could read, nor sends elsewhere what they could not read. */
export function checkMayRead(types: readonly string[], held: readonly Permission[], { readers }: EventList): void {
  const topics = topicsFor(readers, held)
  const refused = topics && types.find((type) => type === EVERYTHING || !topics.includes(topicOf(type)))
  if (refused === undefined) return
  const access = refused === EVERYTHING ? 'ADMIN' : (readers[topicOf(refused)] ?? 'ADMIN')
  throw typeNotReadable({ type: refused, access: wordsOf(access) })
}
