/**
 * A process should not have to wait for its own notifications: what a transaction announces is heard here as soon as it has
 * committed, so that a caller who changed something reads the change. Other processes hear it through PostgreSQL.
 */
type Hear = (topic: string, id: string) => void

const news = new WeakMap<object, [topic: string, id: string][]>()
const listeners = new WeakMap<object, Hear>()

export function addNews(tx: object, topic: string, id: string): void {
  news.set(tx, [...(news.get(tx) ?? []), [topic, id]])
}

export function hearOwnNews(db: object, hear: Hear): void {
  listeners.set(db, hear)
}

/** Called once `tx` has committed. */
export function deliverOwnNews(db: object, tx: object): void {
  for (const [topic, id] of news.get(tx) ?? []) listeners.get(db)?.(topic, id)
}
