import type { Selectable } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { WebhooksEndpoints, WebhooksPositions } from '#platform/database/cell-tables.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { REASONS, WebhookEndpoint } from './schemas.ts'

export type EndpointRow = Omit<Selectable<WebhooksEndpoints>, 'disabledReason'> & {
  disabledReason: (typeof REASONS)[number] | null
}
export type PositionRow = Selectable<WebhooksPositions>
/** An endpoint, and how it fares. */
export type Endpoint = { row: EndpointRow; position: PositionRow }

/** `lastOfFeed`: the number of the newest event. */
export function presentEndpoint({ row, position }: Endpoint, lastOfFeed: number): WebhookEndpoint {
  const isFailing = row.isEnabled && position.failingSince !== null
  return {
    id: row.id,
    url: row.url,
    types: row.types,
    description: row.description,
    isEnabled: row.isEnabled,
    status: isFailing ? 'FAILING' : row.isEnabled ? 'ACTIVE' : 'DISABLED',
    disabledReason: row.disabledReason,
    disabledAt: row.disabledAt && toSeconds(row.disabledAt),
    failingSince: isFailing && position.failingSince ? toSeconds(position.failingSince) : null,
    nextAttemptAt: isFailing && position.pausedUntil ? toSeconds(position.pausedUntil) : null,
    lastNumber: position.number,
    behind: Math.max(0, lastOfFeed - position.number),
    oldSecretUntil: row.oldSecretUntil && isFuture(row.oldSecretUntil) ? toSeconds(row.oldSecretUntil) : null,
    replay: presentReplay(position),
    createdAt: toSeconds(row.createdAt),
    updatedAt: toSeconds(row.updatedAt),
  }
}

function presentReplay({ replayAfter, replayNumber, replayBefore, replayStartedAt }: PositionRow) {
  if (replayAfter === null || replayNumber === null || replayBefore === null || !replayStartedAt) return null
  return {
    after: replayAfter,
    before: replayBefore,
    lastNumber: replayNumber,
    startedAt: toSeconds(replayStartedAt),
  }
}

export const isFuture = (time: Date) => time.getTime() > nowMs()

/** With how it fares, which changes without anybody's doing: whoever asks whether it is still so must be told. */
export const etagOfEndpoint = ({ row, position }: Endpoint, lastOfFeed: number) => {
  const { number, failures, pausedUntil, replayNumber } = position
  return etagOf([row.version, number, lastOfFeed, failures, pausedUntil?.getTime() ?? 0, replayNumber ?? ''].join('.'))
}

/** Only what people change counts. */
export const checkVersion = (expected: Expected, { version }: EndpointRow) =>
  checkExpected(
    expected?.map((tag) => tag.replace(/^"(\d+)\..*"$/, '"$1"')),
    etagOf(version),
  )
