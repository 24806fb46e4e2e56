import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY_PATTERN, looksLikeKey, newKey } from './key-values.ts'

test('a key has the prefix and the length that scanners look for, and its last letters follow from the rest', () => {
  const made = Array.from({ length: 200 }, newKey)
  assert.equal(new Set(made).size, made.length)
  for (const key of made) {
    assert.match(key, /^kontor_[0-9A-Za-z]{46}$/)
    assert.equal(KEY_PATTERN.exec(`{"key":"${key}"}`)?.[0], key)
    assert.ok(looksLikeKey(key))
  }
})

test('a text that only looks like a key is none', () => {
  const key = newKey()
  const other = key.at(20) === 'a' ? 'b' : 'a'
  assert.equal(looksLikeKey(key.slice(0, 20) + other + key.slice(21)), false)
  for (const text of ['', 'kontor_', key.slice(0, -1), `${key}0`, `x${key}`, key.replace('kontor_', 'other_')])
    assert.equal(looksLikeKey(text), false, text)
})

test('every letter is as likely as any other', () => {
  const counts = new Map<string, number>()
  for (let made = 0; made < 2_000; made++)
    for (const letter of newKey().slice(7, 47)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  assert.equal(counts.size, 62)
  const expected = (2_000 * 40) / 62
  // Seven standard deviations: a letter that were likelier by a quarter, as by a plain remainder, is beyond them.
  for (const [letter, count] of counts) assert.ok(Math.abs(count - expected) < 7 * Math.sqrt(expected), letter)
})
