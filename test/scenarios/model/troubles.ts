import fc from 'fast-check'
import { useFaults } from '#platform/faults.ts'
import type { StripeTwin } from '../../../twins/stripe/server.ts'

/** What goes wrong once: at a named place of the service, or between it and the provider (`answer lost`: it happened there). */
export type Trouble = { at: string } | { provider: 'no answer' | 'answer lost' } | undefined

const PAGE = ['close-page.before-provider', 'close-page.expired', 'settle.before-commit', 'settle.after-commit']

/** The places that each kind of work comes by. */
export const PLACES = {
  checkout: [
    'checkout.before-transaction',
    'checkout.before-commit',
    'checkout.after-commit',
    'checkout.before-page',
    'checkout.after-page',
    'checkout.page-noted',
  ],
  cancel: ['set-status.before-transaction', 'set-status.after-commit', 'order.moved', ...PAGE],
  'own cancel': ['order.moved', ...PAGE],
  ship: ['order.moved', 'shipment.written', 'idempotency.before-commit', 'idempotency.after-commit'],
  return: ['idempotency.before-commit', 'idempotency.after-commit'],
  refund: ['refund.asked', 'idempotency.before-commit', 'idempotency.after-commit'],
  stock: ['idempotency.before-commit', 'idempotency.after-commit'],
  deliver: [
    'webhook.received',
    'webhook.stored',
    'webhook.after-commit',
    'sync-page.read',
    'order.moved',
    'settle.before-commit',
    'settle.after-commit',
    'apply-event.synced',
    'apply-event.applied',
  ],
  sweep: [
    'expiry.taken',
    'expiry.page-closed',
    'expiry.ended',
    ...PAGE,
    'sync-page.read',
    'order.moved',
    'refund.before-provider',
    'refund.after-provider',
    'refund.synced',
    'refund.closed',
  ],
} as const

/** In these nobody asks the provider. */
const WITHOUT_PROVIDER: readonly (keyof typeof PLACES)[] = ['refund', 'stock', 'deliver', 'ship', 'return']

/** None, mostly. A provider that does not answer is waited for, and so it is rare. */
export const troubleAt = (work: keyof typeof PLACES): fc.Arbitrary<Trouble> =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constant<Trouble>(undefined) },
    { weight: 38, arbitrary: fc.constantFrom(...PLACES[work]).map((at): Trouble => ({ at })) },
    {
      weight: WITHOUT_PROVIDER.includes(work) ? 0 : 2,
      arbitrary: fc.constantFrom('no answer', 'answer lost').map((provider): Trouble => ({ provider })),
    },
  )

export const nameOf = (trouble: Trouble) =>
  trouble === undefined ? '' : ` (${'at' in trouble ? trouble.at : `provider: ${trouble.provider}`})`

export type Troubles = ReturnType<typeof createTroubles>

export function createTroubles(twin: Pick<StripeTwin, 'behave' | 'requests'>) {
  const met = new Map<string, number>()
  const count = (name: string) => void met.set(name, (met.get(name) ?? 0) + 1)

  /** Whether it was met is known afterwards only: much of what is done does not come by that place. */
  async function during<Result>(trouble: Trouble, work: () => Promise<Result>): Promise<Result> {
    if (trouble === undefined) return work()
    if ('provider' in trouble) {
      // Twice: our client of it tries once more by itself.
      const takeBack = twin.behave({ next: 'reset', times: 2, afterEffect: trouble.provider === 'answer lost' })
      const before = twin.requests.length
      return work().finally(() => {
        takeBack()
        if (twin.requests.slice(before).some(({ status }) => status === undefined))
          count(`provider: ${trouble.provider}`)
      })
    }
    let isArmed = true
    useFaults((name) => {
      if (!isArmed || name !== trouble.at) return
      isArmed = false
      count(name)
      throw new Error(`trouble at ${name}`)
    })
    return work().finally(() => useFaults(undefined))
  }

  return { during, met }
}
