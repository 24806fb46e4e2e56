import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardSource } from '../../../../../test/support/dashboard-source.ts'
import type * as Form from './form.ts'

const { changesOf, emptyForm, readFigure, readForm, toForm } = (await dashboardSource(
  'promos/promo/form.ts',
)) as typeof Form

const BUSINESS = { markets: [{ id: 'eu', currency: 'EUR' }] } as unknown as Parameters<typeof emptyForm>[0]
const BERLIN = 'Europe/Berlin'
const PROMO = {
  id: 'promo_1',
  code: 'SPRING',
  type: 'FIXED' as const,
  value: 550,
  currency: 'EUR',
  minSubtotal: 2_000,
  maxRedemptions: 100,
  maxPerCustomer: null,
  startsAt: Date.parse('2026-03-28T23:00:17Z') / 1_000,
  endsAt: Date.parse('2026-03-29T22:00:00Z') / 1_000,
  markets: ['eu'],
  redemptions: 3,
  createdAt: 0,
  updatedAt: 0,
}

test('a figure is read to the unit, with a comma or a point, and not finer than there is', () => {
  assert.deepEqual(
    ['12', '12.5', '12,50', ' 1 200 ', '12.500'].map((text) => readFigure(text, 2)),
    [1_200, 1_250, 1_250, 120_000, 1_250],
  )
  assert.deepEqual(
    ['', 'a', '-1', '1.255', '1.2.3'].map((text) => readFigure(text, 2)),
    Array(5).fill(undefined),
  )
  assert.equal(readFigure('1.5', 0), undefined)
})

test('days are those of the business, also where its clocks are changed', () => {
  const form = toForm(PROMO, BUSINESS, BERLIN)
  assert.deepEqual([form.startsAt, form.endsAt], ['2026-03-29T00:00', '2026-03-30T00:00'])
  const { body, problems } = readForm(form, BUSINESS, BERLIN)
  assert.deepEqual(problems, {})
  assert.deepEqual(
    [body.startsAt, body.endsAt, body.value, body.minSubtotal],
    [PROMO.startsAt - 17, PROMO.endsAt, 550, 2_000],
  )
})

test('what was not touched is not sent; kind, value and currency go together, and the least sum is of that currency', () => {
  const base = toForm(PROMO, BUSINESS, BERLIN)
  const sent = (changes: Partial<typeof base>) => {
    const mine = { ...base, ...changes }
    return changesOf(base, mine, readForm(mine, BUSINESS, BERLIN).body)
  }
  assert.deepEqual(sent({}), {})
  assert.deepEqual(sent({ maxRedemptions: '' }), { maxRedemptions: null })
  assert.deepEqual(sent({ value: '6' }), { type: 'FIXED', value: 600, currency: 'EUR' })
  const percent = { type: 'PERCENT', value: 1_250, currency: null, minSubtotal: 2_000 }
  assert.deepEqual(sent({ type: 'PERCENT', value: '12,5' }), percent)
  const yen = { type: 'FIXED', value: 600, currency: 'JPY', minSubtotal: 20 }
  assert.deepEqual(sent({ currency: 'JPY', value: '600' }), yen)
  assert.deepEqual(sent({ markets: [] }), { markets: null })
})

test('what cannot be is said where it stands', () => {
  const wrong = {
    ...emptyForm(BUSINESS),
    code: 'NO SPACE',
    value: '101',
    endsAt: '2026-01-01T00:00',
    startsAt: '2026-01-01T00:00',
    maxRedemptions: '0',
  }
  assert.deepEqual(readForm(wrong, BUSINESS, BERLIN).problems, {
    code: 'code',
    value: 'percent',
    endsAt: 'order',
    maxRedemptions: 'number',
  })
  assert.deepEqual(readForm({ ...wrong, code: '', value: '' }, BUSINESS, BERLIN).problems, {
    code: 'missing',
    value: 'missing',
    endsAt: 'order',
    maxRedemptions: 'number',
  })
})

test('a fixed value must be a multiple of the currency step', () => {
  const fixed = { ...emptyForm(BUSINESS), code: 'FIX', type: 'FIXED' as const, currency: 'KWD' }
  assert.deepEqual(readForm({ ...fixed, value: '1.002' }, BUSINESS, BERLIN).problems, { value: 'step' })
  assert.deepEqual(readForm({ ...fixed, value: '1.01' }, BUSINESS, BERLIN).problems, {})
})
