import { audit, keepCallouts } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { checkAddress } from '#platform/outgoing/check-address.ts'
import { OutgoingError } from '#platform/outgoing/errors.ts'
import { newSigningSecret } from '#platform/outgoing/signing.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Business, CALLOUT_POINTS, type CalloutPoint, type Callout as Setting } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { calloutNotFound, urlNotAllowed, urlRequired } from './errors.ts'
import type { CalloutOptions, Outgoing } from './options.ts'
import type { Callout, CalloutChanges } from './schemas.ts'

const DEFAULTS = { timeoutMs: 1_000, onFailure: 'FAIL', isEnabled: true } as const

export const presentCallout = (point: CalloutPoint, callout: Setting, secret: string | null = null): Callout => ({
  point,
  url: callout.url,
  timeoutMs: callout.timeoutMs,
  onFailure: callout.onFailure,
  isEnabled: callout.isEnabled,
  secret,
  createdAt: callout.createdAt,
  updatedAt: callout.updatedAt,
})

export const presentCallouts = ({ callouts }: Business): Callout[] =>
  CALLOUT_POINTS.flatMap((point) => {
    const callout = callouts?.[point]
    return callout ? [presentCallout(point, callout)] : []
  })

export function getCallout({ callouts }: Business, point: CalloutPoint): Setting {
  const callout = callouts?.[point]
  if (!callout) throw calloutNotFound()
  return callout
}

type Change = { businessId: string; point: CalloutPoint; actor: Actor }

/** The first time a secret is made and answered. */
export async function saveCallout(
  { control, box, outgoing }: Pick<CalloutOptions, 'control' | 'box' | 'outgoing'>,
  { businessId, point, actor }: Change,
  changes: CalloutChanges,
): Promise<Callout> {
  if (changes.url !== undefined) await checkUrl(changes.url, outgoing) // before the transaction: a name is asked for
  const secret = newSigningSecret()
  return transaction(control, async (tx) => {
    let isFirst = false
    const after = await keepCallouts(tx, businessId, (callouts) => {
      const before = callouts[point]
      const at = toSeconds(now())
      const url = changes.url ?? before?.url
      if (url === undefined) throw urlRequired()
      isFirst = before === undefined
      const known = before ?? { ...DEFAULTS, sealedSecret: seal(box, secret), createdAt: at }
      return { ...callouts, [point]: { ...known, ...changes, url, updatedAt: at } }
    })
    const data = { point, fields: Object.keys(changes) }
    await audit(tx, { businessId, action: 'callout.saved', subject: businessId, actor, data })
    return presentCallout(point, after[point] as Setting, isFirst ? secret : null)
  })
}

export async function removeCallout(control: ControlDb, { businessId, point, actor }: Change): Promise<void> {
  await transaction(control, async (tx) => {
    await keepCallouts(tx, businessId, ({ [point]: removed, ...rest }) => {
      if (!removed) throw calloutNotFound()
      return rest
    })
    await audit(tx, { businessId, action: 'callout.removed', subject: businessId, actor, data: { point } })
  })
}

/** A name that cannot be resolved now may be later; one that leads to a private network is refused. */
async function checkUrl(text: string, { rules, allowsHttp }: Outgoing): Promise<void> {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:')
  if (!url || !isWeb || url.hash) throw urlNotAllowed()
  try {
    await checkAddress(text, rules)
  } catch (error) {
    if (error instanceof OutgoingError && error.isTemporary) return
    throw error instanceof OutgoingError ? urlNotAllowed() : error
  }
}

const seal = (box: SecretBox, secret: string) => box.seal(Buffer.from(secret)).toString('base64')
