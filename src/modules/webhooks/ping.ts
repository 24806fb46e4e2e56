import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Rules } from '#platform/outgoing/check-address.ts'
import { openLine } from '#platform/outgoing/line.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { EndpointRow } from './endpoint.ts'
import type { WebhookAttempt } from './schemas.ts'
import { type Outcome, openSecrets, sendEvent } from './send.ts'

/** Sends an event that did not happen. */
export async function ping(
  { rules, box }: { rules: Rules; box: SecretBox },
  row: EndpointRow,
  actor: Actor,
): Promise<WebhookAttempt> {
  const event = {
    id: newId('evt'),
    number: 0,
    type: 'webhook_endpoint.ping',
    businessId: row.businessId,
    subject: row.id,
    actorId: actor.userId,
    actorKind: actor.kind,
    data: {},
    timestamp: toSeconds(now()),
  }
  const line = openLine(row.url, rules)
  try {
    return presentAttempt(await sendEvent(line, openSecrets(box, row), event))
  } finally {
    line.close()
  }
}

export const presentAttempt = ({ at, status, problem, milliseconds, answer }: Omit<Outcome, 'retryAfter'>) => ({
  at: toSeconds(at),
  status: status ?? null,
  problem,
  milliseconds,
  answer,
})
