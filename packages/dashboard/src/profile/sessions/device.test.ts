import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from './device.ts'

const SAYS = {
  chromeOnWindows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  edgeOnMac:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
  safariOnPhone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  firefoxOnLinux: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  chromeOnAndroid:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
}

test('a browser is known by its own name, not by those that it claims to be as well', () => {
  assert.deepEqual(deviceOf(SAYS.chromeOnWindows), { browser: 'Chrome', system: 'Windows', isPhone: false })
  assert.deepEqual(deviceOf(SAYS.edgeOnMac), { browser: 'Edge', system: 'Mac', isPhone: false })
  assert.deepEqual(deviceOf(SAYS.firefoxOnLinux), { browser: 'Firefox', system: 'Linux', isPhone: false })
})

test('a phone is one', () => {
  assert.deepEqual(deviceOf(SAYS.safariOnPhone), { browser: 'Safari', system: 'iPhone', isPhone: true })
  assert.deepEqual(deviceOf(SAYS.chromeOnAndroid), { browser: 'Chrome', system: 'Android', isPhone: true })
})

test('a program is called what it calls itself; who says nothing is nobody', () => {
  assert.deepEqual(deviceOf('curl/8.5.0'), { browser: 'curl', system: undefined, isPhone: false })
  assert.deepEqual(deviceOf('Mozilla/5.0'), { browser: undefined, system: undefined, isPhone: false })
  assert.deepEqual(deviceOf(null), { browser: undefined, system: undefined, isPhone: false })
})
