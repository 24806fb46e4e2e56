/**
 * Read your own writes: a process gets the invalidations of its own transactions as soon as they commit, without the
 * detour through PostgreSQL, so that a caller who changed something reads the change. Other processes get them by
 * NOTIFY.
 */
const announced = new WeakMap<object, [topic: string, id: string][]>()

/** Held until `tx` commits; a rollback discards it. */
export function announce(tx: object, topic: string, id: string): void {
  announced.set(tx, [...(announced.get(tx) ?? []), [topic, id]])
}

/** The invalidations of a committed transaction. */
export const announcedIn = (tx: object): readonly [topic: string, id: string][] => announced.get(tx) ?? []
