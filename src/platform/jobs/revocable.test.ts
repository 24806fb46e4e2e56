import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revocable } from './revocable.ts'

class Post {
  #sent: string[] = []
  send(text: string) {
    this.#sent.push(text)
    return this.#sent.length
  }
}

test('what was lent can be used until it is taken away, also what somebody has kept of it', () => {
  const { value, revoke } = revocable({ mail: new Post(), sms: undefined, pay: { to: 'us', ask: () => 'paid' } })
  const { mail, pay } = value
  const { ask } = pay
  assert.deepEqual([mail.send('a'), mail.send('b'), ask(), pay.to, value.sms], [1, 2, 'paid', 'us', undefined])

  revoke('It is over')
  for (const use of [() => mail.send('c'), () => value.mail.send('c'), ask, () => value.pay.ask()]) {
    assert.throws(use, { message: 'It is over' })
  }
})
