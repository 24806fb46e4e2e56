const PREFIX = 'kontor:draft:'

/** A draft is its writer's: the next person at this screen does not find it. */
export const draftName = (userId: string, key: string) => `${PREFIX}${userId}:${key}`

/** Whoever signs out leaves nothing behind. A session that only ended keeps them for when the person is back. */
export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
}
