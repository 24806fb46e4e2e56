import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryOf } from './delivery.ts'
import type { SmtpError } from './nodemailer-internals.ts'

const answered = (command: string, response: string): SmtpError =>
  Object.assign(new Error(`Failed: ${response}`), {
    code: 'EENVELOPE',
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  })

for (const response of [
  '550 5.1.1 No such user',
  '550 mailbox unavailable',
  '550-5.1.1 The account does not exist.\n550 5.1.1 Check the spelling.',
  '501 5.1.3 Bad recipient address syntax',
  '552 5.2.2 Mailbox full',
  '550 5.4.1 Recipient address rejected: Access denied',
  '550 5.7.17 Mailbox owner has changed',
  '556 5.1.10 Domain takes no mail',
  '553 sorry, the sender has been told that you do not exist',
]) {
  test(`${response} is about the recipient: never again`, () => {
    assert.deepEqual(deliveryOf(answered('RCPT TO', response), false).outcome, 'REFUSED')
  })
}

for (const response of [
  '450 4.2.0 Greylisted',
  '530 5.7.0 Authentication required',
  '535 authentication failed',
  '503 5.5.1 Out of order',
  '521 5.3.2 No mail here',
  '550 5.1.8 Sender address rejected: Domain not found',
  '550 Sender address rejected: not owned by user',
  '554 5.7.1 <a@b.example>: Relay access denied',
  '554 relaying not permitted',
  '550 Unable to relay',
  '550 5.7.26 Unauthenticated mail',
  '554 5.7.1 Client host rejected: bad reputation',
]) {
  test(`${response} says nothing about the recipient: try again`, () => {
    assert.deepEqual(deliveryOf(answered('RCPT TO', response), false).outcome, 'DEFERRED')
  })
}

test('a sender who is refused does not cost us a recipient', () => {
  assert.equal(deliveryOf(answered('MAIL FROM', '550 No such user'), false).outcome, 'DEFERRED')
})

test('without an answer to the message, it depends on whether the content was on its way', () => {
  const lost: SmtpError = Object.assign(new Error('Connection closed unexpectedly'), { code: 'ECONNECTION' })
  assert.deepEqual(deliveryOf(lost, false), { outcome: 'DEFERRED', response: 'Connection closed unexpectedly' })
  assert.deepEqual(deliveryOf(lost, true), { outcome: 'UNCERTAIN', response: 'Connection closed unexpectedly' })
})

test('an answer that makes no sense leaves the fate of the content open', () => {
  const odd = Object.assign(answered('DATA', '354 Go on'), { code: 'EMESSAGE' })
  assert.equal(deliveryOf(odd, true).outcome, 'UNCERTAIN')
})

test('a response fits on one line, whatever the server said', () => {
  const { response } = deliveryOf(answered('RCPT TO', `550 a\u0000b\r\nc\u2028${'x'.repeat(5_000)}`), false)
  assert.match(response, /^550 a b c x+$/)
  assert.equal(response.length, 500)
})
