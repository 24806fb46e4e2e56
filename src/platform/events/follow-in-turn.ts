/** Events of one business that are looked at in one transaction. */
export const FOLLOW_BATCH = 500
/** Of one business at a time: the next one has its turn even while this one has a million to catch up with. */
const BATCHES = 20
export const FOLLOW_PAGE = 100

type Follower = {
  /** The businesses that are behind, in the order of their ids, a page of them. */
  listBehind: (after: string) => Promise<string[]>
  /** Looks at the next events of one, and says how many they were. */
  followBatch: (businessId: string) => Promise<number>
  failed: (businessId: string, error: unknown) => void
  signal: AbortSignal | undefined
}

/** Everybody who is behind has one turn: those that fail, or have much to catch up with, take nobody else's. */
export async function followInTurn({ listBehind, followBatch, failed, signal }: Follower): Promise<number> {
  let looked = 0
  let page: string[] = []
  do {
    page = await listBehind(page.at(-1) ?? '')
    for (const businessId of page) {
      try {
        for (let batch = 0; batch < BATCHES && !signal?.aborted; batch++) {
          const count = await followBatch(businessId)
          looked += count
          if (count < FOLLOW_BATCH) break
        }
      } catch (error) {
        failed(businessId, error)
      }
    }
  } while (page.length === FOLLOW_PAGE && !signal?.aborted)
  return looked
}
