import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainName } from './plain-name.ts'

test('an ordinary name stays as it is', () => {
  for (const name of [
    'Harbour Goods',
    'Harbour <Goods> & Sons',
    'Müller & Söhne GmbH',
    'Bol.com',
    '株式会社山田',
    'A.B.C.',
  ])
    assert.equal(plainName(name), name)
})

test('a name carries no address, no hidden characters, and no more than sixty characters', () => {
  assert.equal(plainName('Your bank: log in at https://evil.example/login now'), 'Your bank: log in at now')
  assert.equal(plainName('See www.evil.example'), 'See')
  assert.equal(plainName('evil.example/login Shop'), 'Shop')
  assert.equal(plainName('mail boss@evil.example'), 'mail')
  assert.equal(plainName('One\r\nBcc: x  two'), 'One Bcc: x two')
  assert.equal(plainName('a\u202Eb\u200Bc'), 'abc')
  const long = plainName('wordy '.repeat(30))
  assert.ok(Array.from(long).length <= 60 && long.endsWith('…'), long)
  assert.equal(plainName('https://evil.example'), 'a business')
})

test('what a mail program would make a link of is taken apart', () => {
  assert.equal(plainName('Log in at evil.com'), 'Log in at evil. com')
  assert.equal(plainName('evil.com?x=1 evil.com:443'), 'evil. com?x=1 evil. com: 443')
  assert.equal(plainName('See https:evil.com'), 'See https: evil. com')
  assert.equal(plainName('Dr. Mug No.1'), 'Dr. Mug No.1')
})
