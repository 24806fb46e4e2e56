import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { type Actor, hasSecondFactor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { audit } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { secondFactorNotPassed, slugExists } from './errors.ts'
import { businessUpdated } from './events.ts'
import { type HeldLogo, toLogo } from './logo.ts'
import { tell } from './outbox.ts'
import { lockBusiness, toMarkets } from './queries.ts'
import type { BusinessChanges } from './schemas.ts'
import { checkSettings, checkSize } from './settings.ts'

/** Fields that were not sent stay. */
export async function updateBusiness(
  tx: ControlTx,
  { businessId, actor, expected }: { businessId: string; actor: Actor; expected: Expected },
  { logo: sentLogo, ...changes }: BusinessChanges,
  held?: HeldLogo,
): Promise<{ before: Business; after: Business }> {
  const before = await lockBusiness(tx, businessId)
  checkExpected(expected, etagOf(before.version))
  // Whoever asks others for it must be able to come back themselves. No key of whoever may set things up takes it off again.
  const { requireSecondFactor = before.requireSecondFactor } = changes
  if (requireSecondFactor !== before.requireSecondFactor && !(actor.sessionId && hasSecondFactor(actor, businessId)))
    throw secondFactorNotPassed()
  const markets = changes.markets ? toMarkets(changes.markets, before.markets) : before.markets
  const storefront = { ...before.storefront, ...changes.storefront }
  const logo = toLogo(sentLogo, before.logo, held)
  const settings = { ...before, ...changes, logo, markets, storefront }
  const after: Business = { ...settings, version: before.version + 1, updatedAt: now() }
  checkSettings(after, before.markets)
  checkSize(after, before)
  try {
    await tx
      .updateTable('access.businesses')
      .set({ ...after, logo: logo && JSON.stringify(logo), markets: JSON.stringify(after.markets) })
      .where('id', '=', businessId)
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'businesses_slug_key' ? slugExists({ slug: after.slug }) : error
  }
  const data = { fields: [...Object.keys(changes), ...(sentLogo === undefined ? [] : ['logo'])] }
  await audit(tx, { businessId, action: 'business.updated', subject: businessId, actor, data })
  await tell(tx, businessUpdated({ businessId, subject: businessId, actor, data }))
  await notify(tx, BUSINESS_CHANGED, businessId)
  return { before, after }
}
