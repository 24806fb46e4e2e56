import { expireSession } from './payments.ts'
import { periodOf, renew } from './subscriptions.ts'
import type { World } from './world.ts'

/** Time-driven changes: sessions expire, subscriptions renew or end. */
export function sweep(world: World): void {
  if (!world.takeDue()) return
  for (const session of world.list('checkout.session')) {
    if (session.status !== 'open') continue
    if (session.expires_at <= world.now()) expireSession(world, session)
    else world.remind(session.expires_at)
  }
  for (const subscription of world.list('subscription')) {
    while (subscription.status === 'active' && periodOf(subscription).end <= world.now()) renew(world, subscription)
    if (subscription.status === 'active') world.remind(periodOf(subscription).end)
  }
}
