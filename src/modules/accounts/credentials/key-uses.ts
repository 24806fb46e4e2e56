import { sql } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'

const HOUR_MS = 3_600_000
const WRITE_AFTER_MS = 1_000

/** A key as a process remembers it. `lastUsedMs`: as far as this process knows. */
export type UsedKey = { userId: string; keyId: string; lastUsedMs: number }

/**
 * Notes when keys are used: once an hour for each, a moment later and many at a time, so that no request waits for it.
 * What cannot be written now is tried when the key is looked up again.
 */
export function createKeyUses(control: ControlDb) {
  const due = new Map<string, UsedKey>()
  let writing: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    writing = undefined
    const keys = [...due.values()]
    due.clear()
    const [userIds, ids] = [keys.map(({ userId }) => userId), keys.map(({ keyId }) => keyId)]
    const at = new Date(nowMs())
    // Other processes write the same keys, and a person may be changing theirs: whichever is locked is left to them.
    await sql`
      with used as (
        select key.user_id, key.id
          from accounts.api_keys as key
          join unnest(${userIds}::text[], ${ids}::text[]) as named (user_id, id) using (user_id, id)
         where key.last_used_at is null or key.last_used_at <= ${new Date(at.getTime() - HOUR_MS)}
           for update of key skip locked
      )
      update accounts.api_keys as key set last_used_at = ${at}
        from used
       where key.user_id = used.user_id and key.id = used.id`.execute(control)
  }

  return (key: UsedKey): void => {
    const at = nowMs()
    if (at - key.lastUsedMs < HOUR_MS) return
    key.lastUsedMs = at
    due.set(`${key.userId}/${key.keyId}`, key)
    writing ??= setTimeout(() => void write().catch(() => {}), WRITE_AFTER_MS).unref()
  }
}
