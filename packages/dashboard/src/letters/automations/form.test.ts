import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForm, toForm, unitOf } from './form.ts'

test('a delay is said in the largest unit that fits, and read back', () => {
  for (const [minutes, unit] of [
    [0, 'minutes'],
    [45, 'minutes'],
    [90, 'minutes'],
    [120, 'hours'],
    [1_440, 'days'],
    [43_200, 'days'],
  ] as const) {
    assert.equal(unitOf(minutes), unit)
    const told = { entryId: 'ent_1', delayMinutes: minutes, limit: { times: 2, days: 7 }, isEnabled: false }
    const { body, wrong } = readForm(toForm('WELCOME', told))
    assert.deepEqual([body, wrong.size], [told, 0])
  }
})

test('what is out of bounds is named', () => {
  const form = {
    ...toForm('CHECKOUT_UNFINISHED', undefined),
    delay: '31',
    unit: 'days',
    times: '0',
    days: 'x',
  } as const
  assert.deepEqual([...readForm(form).wrong], ['entryId', 'delay', 'times', 'days'])
})
