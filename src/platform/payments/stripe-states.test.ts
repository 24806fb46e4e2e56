import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stripe } from 'stripe'
import { metadataOf, toSubscriptionState } from './stripe-states.ts'

const PERIOD_END = 1_800_000_000

const subscription = (changes: Partial<Stripe.Subscription>) =>
  ({
    id: 'sub_1',
    status: 'active',
    cancel_at: null,
    cancel_at_period_end: false,
    items: { data: [{ current_period_end: PERIOD_END }] },
    ...changes,
  }) as Stripe.Subscription

test('a subscription is active, owes or has ended, whatever the provider calls it', () => {
  for (const [status, ours] of [
    ['trialing', 'ACTIVE'],
    ['active', 'ACTIVE'],
    ['incomplete', 'PAST_DUE'],
    ['past_due', 'PAST_DUE'],
    ['unpaid', 'PAST_DUE'],
    ['paused', 'PAST_DUE'],
    ['a_word_of_tomorrow', 'PAST_DUE'],
    ['canceled', 'ENDED'],
    ['incomplete_expired', 'ENDED'],
  ] as const) {
    assert.equal(toSubscriptionState(subscription({ status })).status, ours, status)
  }
})

test('it ends with its period when it says so, or when that is the time at which it is to end', () => {
  const ends = (changes: Partial<Stripe.Subscription>) => toSubscriptionState(subscription(changes)).cancelsAtPeriodEnd
  assert.equal(ends({}), false)
  assert.equal(ends({ cancel_at_period_end: true, cancel_at: PERIOD_END }), true)
  assert.equal(ends({ cancel_at: PERIOD_END }), true)
  assert.equal(ends({ cancel_at: PERIOD_END + 1 }), false)
})

test('one without items has no period', () => {
  const items = { data: [] as Stripe.SubscriptionItem[] } as Stripe.Subscription['items']
  const { currentPeriodEnd, cancelsAtPeriodEnd } = toSubscriptionState(subscription({ items, cancel_at: 1 }))
  assert.deepEqual([currentPeriodEnd, cancelsAtPeriodEnd], [null, false])
})

test('an event names what it is about, or what its invoice is for; others name nobody', () => {
  const names = { businessId: 'biz_1', subject: 'newsletter:1' }
  const invoice = (details: object | null) => ({ metadata: {}, parent: { subscription_details: details } })
  for (const [object, expected] of [
    [{ metadata: names }, names],
    [invoice({ metadata: names }), names],
    [invoice({ metadata: null }), {}],
    [invoice(null), {}],
    [{ metadata: names, parent: null }, names],
    [{ metadata: null }, {}],
    [{}, {}],
    [undefined, {}],
  ]) {
    assert.deepEqual(metadataOf({ data: { object } } as Stripe.Event), expected)
  }
})
