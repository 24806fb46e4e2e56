import { holds, type Permission } from '#vocabulary/permissions.ts'

/** Which permissions may read the events of a topic, the first word of their type. The rest is for ADMIN. */
export type Readers = Readonly<Record<string, readonly Permission[]>>

/** `order.paid` is of the topic `order`. */
export const topicOf = (type: string): string => type.split('.', 1)[0] ?? ''

/** Any of these may read something. */
export const readingPermissions = (readers: Readers): readonly Permission[] => [
  ...new Set(Object.values(readers).flat()),
]

/** The topics that whoever holds these permissions may read; undefined: all. */
export function topicsFor(readers: Readers, held: readonly Permission[]): readonly string[] | undefined {
  if (held.includes('ADMIN')) return undefined
  return Object.keys(readers).filter((topic) => readers[topic]?.some((permission) => holds(held, permission)))
}
