import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimeZone } from './time-zones.ts'

test('names of the IANA database are time zones, distances and anything else are not', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu'])
    assert.equal(isTimeZone(name), true, name)
  for (const name of ['', '+02:00', '-05:00', 'Berlin', 'Europe/Nowhere', 'UTC+2', ' UTC'])
    assert.equal(isTimeZone(name), false, name)
})
