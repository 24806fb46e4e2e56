import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './rate-limit.ts'

test('an IPv4 address counts by itself, however it is written', () => {
  assert.equal(addressKey('203.0.113.7'), '203.0.113.7')
  assert.equal(addressKey('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(addressKey('::FFFF:203.0.113.7'), '203.0.113.7')
  assert.notEqual(addressKey('203.0.113.7'), addressKey('203.0.113.8'))
})

test('all IPv6 addresses of a /64 count as one', () => {
  const key = addressKey('2001:db8:1:2::1')
  for (const address of [
    '2001:db8:1:2::',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0:0:0:1',
    '2001:DB8:1:2::abcd',
    '2001:db8:1:2::203.0.113.7',
    '2001:db8:1:2::1%eth0',
  ]) {
    assert.equal(addressKey(address), key, address)
  }
  for (const address of ['2001:db8:1:3::1', '2001:db8:2:2::1', '2001:db8::1', '2001:db8:0:1:2::1']) {
    assert.notEqual(addressKey(address), key, address)
  }
})

test('zeros that are left out are put back where they belong', () => {
  assert.equal(addressKey('::1'), '0:0:0:0')
  assert.equal(addressKey('::'), '0:0:0:0')
  assert.equal(addressKey('fe80::1'), 'fe80:0:0:0')
  assert.equal(addressKey('2001:db8::5:6:7:8:9'), '2001:db8:0:5')
  assert.equal(addressKey('1::2:3:4:5:6:7'), '1:0:2:3')
})
