import { EVERYTHING, TOPICS, type Topic, typesOf, wholeOf } from './topics.ts'

/** The whole topic on or off. Single types of it are then named no more. */
export function toggleTopic(types: readonly string[], topic: Topic): string[] {
  const others = types.filter((type) => !isOf(type, topic))
  return types.includes(wholeOf(topic)) ? others : inOrder([...others, wholeOf(topic)])
}

/** One type on or off. All but one of a whole topic are named one by one. */
export function toggleType(types: readonly string[], topic: Topic, type: string): string[] {
  const others = types.filter((one) => !isOf(one, topic))
  const before = types.includes(wholeOf(topic)) ? typesOf(topic) : types.filter((one) => isOf(one, topic))
  const after = before.includes(type) ? before.filter((one) => one !== type) : [...before, type]
  return inOrder([...others, ...after])
}

export const toggleEverything = (types: readonly string[]): string[] =>
  types.includes(EVERYTHING) ? types.filter((type) => type !== EVERYTHING) : [EVERYTHING]

/** How many of a topic's types are chosen one by one. */
export const countOf = (types: readonly string[], topic: Topic) => types.filter((type) => isOf(type, topic)).length

const isOf = (type: string, { id }: Topic) => type.startsWith(`${id}.`)

/** As they stand on the page, so that two ways to the same choice are the same. What the page does not know comes last. */
function inOrder(types: readonly string[]): string[] {
  const places = new Map(TOPICS.flatMap((topic) => [wholeOf(topic), ...typesOf(topic)]).map((type, at) => [type, at]))
  const placeOf = (type: string) => places.get(type) ?? Number.MAX_SAFE_INTEGER
  return types.toSorted((one, other) => placeOf(one) - placeOf(other))
}
