import { invalid, keyInUse, otherParameters } from './errors.ts'

export type Answer = { status: number; body: string; headers: Record<string, string>; isKept: boolean }
type Entry = { fingerprint: string; at: number; answer?: Answer }

const KEEP_SECONDS = 24 * 3_600

/** Replays the response for the same key and the same request. */
export function createIdempotency(now: () => number) {
  const entries = new Map<string, Entry>()
  return async (
    scope: string,
    key: string | undefined,
    fingerprint: string,
    run: () => Promise<Answer>,
  ): Promise<Answer> => {
    if (!key) return run()
    if (key.length > 255) throw invalid('Idempotency keys can be at most 255 characters long.')
    const name = `${scope}\n${key}`
    const before = entries.get(name)
    if (before && before.at + KEEP_SECONDS > now()) {
      if (before.fingerprint !== fingerprint) throw otherParameters(key)
      if (!before.answer) throw keyInUse(key)
      const original = before.answer.headers['request-id'] ?? ''
      return { ...before.answer, headers: { 'idempotent-replayed': 'true', 'original-request': original } }
    }
    const entry: Entry = { fingerprint, at: now() }
    entries.set(name, entry)
    try {
      const answer = await run()
      if (answer.isKept) entry.answer = answer
      return answer
    } finally {
      if (!entry.answer) entries.delete(name)
    }
  }
}
