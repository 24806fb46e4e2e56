import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { isEmail } from '#vocabulary/email.ts'
import { Email } from '#vocabulary/schemas.ts'
import { createChecker } from './validation.ts'

const ACCEPTED = [
  'ada@example.com',
  'Ada.B+shop@mail.example.co.uk',
  "o'neil@example.com",
  'a_b-c@xn--bcher-kva.example',
]
const REJECTED = [
  '"q"@b.de',
  '"bob@example.com"@e.test',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'a@b',
  'a@localhost',
  'q q@x.test',
  'a@b@c.test',
  '@b.test',
  'a@',
  'a..b@c.test',
  '.a@c.test',
  'a@-c.test',
  'a@c..test',
  'a@c.test.',
  ' a@c.test',
  'a@c.test\n',
  'ä@c.test',
  'a@\u212Aelvin.test',
  '',
  `${'a'.repeat(250)}@c.test`,
]

test('email address › is judged alike by requests and everywhere else', () => {
  const check = createChecker(Type.Object({ email: Email }))
  for (const [emails, expected] of [
    [ACCEPTED, true],
    [REJECTED, false],
  ] as const)
    for (const email of emails)
      assert.deepEqual([isEmail(email), 'value' in check({ email })], [expected, expected], email)
})

test('other formats › are judged alike, too', () => {
  for (const [format, values] of Object.entries({
    uri: ['https://a.test/', 'http://[', 'a b', 'urn:x:y', 'https://ü.test/', '//a.test'],
    country: ['DE', 'ZZ', 'de', ''],
  })) {
    const schema = Type.Object({ value: Type.String({ format }) })
    const check = createChecker(schema)
    for (const value of values)
      assert.equal(Check(schema, { value }), 'value' in check({ value }), `${format} ${value}`)
  }
})
