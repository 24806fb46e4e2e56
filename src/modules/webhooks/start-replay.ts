import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Endpoint, EndpointRow } from './endpoint.ts'
import { endpointDisabled, replayReversed, replayRunning, replayTooLong, replayUnclear } from './errors.ts'
import { MAX_REPLAYED } from './limits.ts'
import { getEndpoint, lockEndpoint, makeDue } from './queries.ts'
import type { ReplayBody } from './schemas.ts'
import { retryFailed } from './settle.ts'

/** Sends events of the feed once more, or tries again what was given up. The worker does it, behind new events. */
export async function startReplay(
  tx: Tx,
  { businessId, id }: { businessId: string; id: string },
  { after, before, failed = false }: ReplayBody,
  check: (row: EndpointRow) => void,
): Promise<Endpoint> {
  if (failed === (after !== undefined) || (failed && before !== undefined)) throw replayUnclear()
  if (after !== undefined && before !== undefined && before <= after + 1) throw replayReversed()
  const { row, position } = await lockEndpoint(tx, businessId, id)
  check(row)
  if (!row.isEnabled) throw endpointDisabled()
  if (position.replayNumber !== null) throw replayRunning()
  if (after === undefined) await retryFailed(tx, { businessId, endpointId: id }, MAX_REPLAYED)
  else await replayRange(tx, { businessId, id }, after, Math.min(before ?? Infinity, position.number + 1))
  await makeDue(tx, businessId)
  return getEndpoint(tx, businessId, id)
}

async function replayRange(
  tx: Tx,
  { businessId, id: endpointId }: { businessId: string; id: string },
  after: number,
  before: number,
): Promise<void> {
  const count = before - after - 1
  if (count > MAX_REPLAYED) throw replayTooLong({ count })
  if (count <= 0) return
  await tx
    .updateTable('webhooks.positions')
    .set({ replayAfter: after, replayNumber: after, replayBefore: before, replayStartedAt: now() })
    .where((position) => position.and({ businessId, endpointId }))
    .execute()
}
