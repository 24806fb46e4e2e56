import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedCodes } from './named-codes.ts'

test('what is written in capitals may be a code', () => {
  const text =
    'Dear {{ subscriber.name | default: "FRIEND" }}, spring is here: take SPRING-25, or ÉTÉ_1! https://shop.example/?code=BOAT10. Spring-25 is not it.'
  assert.deepEqual(namedCodes(text), ['SPRING-25', 'ÉTÉ_1', 'BOAT10'])
})

test('what a template knows is not what the letter says', () => {
  assert.deepEqual(namedCodes('{% known {"business":{"name":"ACME"}} %}Hello\n{% if a == "X1" %}GIFT{% endif %}'), [
    'GIFT',
  ])
})
