import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocale } from './locales.ts'

test('locales are known by their canonical spelling only', () => {
  for (const tag of ['en', 'de-CH', 'zh-Hant-TW', 'sl-rozaj', 'es-419']) assert.ok(isLocale(tag), tag)
  for (const tag of ['', 'EN', 'de-ch', 'de_CH', 'x', 'english!', '__proto__', `en-${'a1b2c-'.repeat(10)}`]) {
    assert.ok(!isLocale(tag), tag)
  }
})
