import assert from 'node:assert/strict'
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { type BulkMessage, type BulkOptions, createBulkMailer, type Delivery } from '#platform/mail/bulk.ts'
import { type Mood, mischief, openRoughServer, type Stage } from '../../support/rough-smtp.ts'

const messageOf = (id: string | number, changes: Partial<BulkMessage> = {}): BulkMessage => ({
  to: `reader-${id}@example.com`,
  from: { name: 'Harbour Goods', address: 'news@shop.example' },
  subject: 'News',
  html: '<p>Hello</p>',
  text: 'Hello',
  messageId: `<mail.${id}@shop.example>`,
  ...changes,
})

async function setUp(
  t: TestContext,
  { server: how = {}, ...options }: Partial<BulkOptions> & { server?: Parameters<typeof openRoughServer>[0] } = {},
) {
  const server = await openRoughServer(how)
  const mailer = createBulkMailer(server.url, { connections: 1, answerSeconds: 30, ...options })
  t.after(async () => {
    mailer.close()
    await server.close()
  })
  return { server, mailer }
}

type Row = [stage: Stage, mood: Mood, outcome: Delivery['outcome'], taken?: number]

const NOT_BEGUN: Row[] = (['GREETING', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'] as const).flatMap((stage): Row[] => [
  [stage, { and: 'DROP' }, 'DEFERRED'],
  [stage, { and: 'STALL' }, 'DEFERRED'],
  [stage, { say: '421 4.3.2 Closing', and: 'DROP' }, 'DEFERRED'],
  [stage, { say: '451 4.3.0 Not now' }, 'DEFERRED'],
  [stage, { delayMs: 100 }, 'SENT', 1],
])
const ROWS: Row[] = [
  ...NOT_BEGUN,
  ['GREETING', { say: '554 5.3.2 No mail here' }, 'DEFERRED'],
  ['AUTH', { say: '535 5.7.8 Who are you?' }, 'DEFERRED'],
  ['MAIL', { say: '550 5.1.0 Not from you' }, 'DEFERRED'],
  ['RCPT', { say: '550 5.1.1 Nobody here' }, 'REFUSED'],
  ['RCPT', { say: '554 5.7.1 Relay access denied' }, 'DEFERRED'],
  ['RCPT', { say: `250 ${'x'.repeat(1_000)}`, and: 'TRICKLE' }, 'DEFERRED'], // longer than we wait
  ['DATA', { say: '554 5.6.0 Not this' }, 'REFUSED'],
  ['DATA', { say: '530 5.7.0 Log in first' }, 'DEFERRED'],
  ['DATA', { say: '250 2.0.0 An answer to something else' }, 'DEFERRED'],
  ['CONTENT', { and: 'DROP' }, 'UNCERTAIN'],
  ['CONTENT', { and: 'STALL' }, 'UNCERTAIN'],
  ['CONTENT', { say: '552 5.3.4 Too much' }, 'REFUSED'],
  ['CONTENT', { say: '452 4.3.1 Disk full' }, 'DEFERRED'],
  ['END', { and: 'DROP' }, 'UNCERTAIN'],
  ['END', { and: 'STALL' }, 'UNCERTAIN'],
  ['END', { say: '451 4.3.0 Not now' }, 'DEFERRED'],
  ['END', { say: '421 4.3.2 Closing', and: 'DROP' }, 'DEFERRED'],
  ['END', { say: '554 5.6.0 Not this' }, 'REFUSED'],
  ['END', { say: '554 5.7.1 We know you' }, 'DEFERRED'],
  ['TAKEN', { and: 'DROP' }, 'UNCERTAIN', 1],
  ['TAKEN', { and: 'STALL' }, 'UNCERTAIN', 1],
  ['TAKEN', { delayMs: 100 }, 'SENT', 1],
  ['TAKEN', { say: '250 2.0.0 Taken', and: 'DROP' }, 'SENT', 1],
]

for (const pipelining of [false, true]) {
  for (const kilobytes of [1, 500]) {
    test(`what became of ${kilobytes} KB, ${pipelining ? 'with' : 'without'} pipelining`, async (t) => {
      await Promise.all(
        ROWS.map(async ([stage, mood, outcome, taken = 0]) => {
          const { server, mailer } = await setUp(t, {
            answerSeconds: 3,
            server: { pipelining, auth: stage === 'AUTH' },
          })
          const row = `${stage} ${JSON.stringify(mood)}`
          const html = `<p>${'Some words. '.repeat(kilobytes * 85)}</p>`
          server.behave((at) => (at === stage ? mood : undefined))
          const delivery = await mailer.deliver(messageOf('first', { html }))
          assert.equal(delivery.outcome, outcome, `${row}: ${delivery.response}`)
          assert.equal(server.timesTaken('<mail.first@shop.example>'), taken, row)
          if (stage === 'AUTH' && outcome !== 'SENT' && mood.say)
            assert.match(delivery.response, /^Authentication failed: \d/)

          server.behave(() => undefined)
          const next = await mailer.deliver(messageOf('next', { html }))
          assert.equal(next.outcome, 'SENT', `after ${row}: ${next.response}`)
          assert.equal(server.timesTaken('<mail.next@shop.example>'), 1, row)
        }),
      )
    })
  }
}

test('a refused recipient harms neither the connection nor the others', async (t) => {
  for (const pipelining of [false, true]) {
    const { server, mailer } = await setUp(t, { server: { pipelining } })
    server.behave((stage, { recipient }) => {
      if (/[05]@/.test(recipient) && stage === 'RCPT') return { say: '550 5.1.1 Nobody here' }
      return /7@/.test(recipient) && stage === 'END' ? { say: '554 5.6.0 Not this' } : undefined
    })
    const deliveries = await Promise.all(Array.from({ length: 50 }, (_, number) => mailer.deliver(messageOf(number))))
    deliveries.forEach(({ outcome }, number) => {
      assert.equal(outcome, /[057]$/.test(String(number)) ? 'REFUSED' : 'SENT')
    })
    assert.equal(server.taken.length, 35)
    assert.equal(server.connections(), 1)
  }
})

test('a connection that the server closed in the meantime costs nobody a delay', async (t) => {
  const { server, mailer } = await setUp(t, { connections: 3 })
  const round = (name: string) =>
    Promise.all([1, 2, 3].map(async (number) => (await mailer.deliver(messageOf(name + number))).outcome))
  assert.deepEqual(await round('a'), ['SENT', 'SENT', 'SENT'])
  server.hangUp()
  assert.deepEqual(await round('b'), ['SENT', 'SENT', 'SENT'])
  server.behave((stage, { connection }) =>
    stage === 'MAIL' && connection <= 6 ? { say: '421 4.7.0 Enough', and: 'DROP' } : undefined,
  )
  assert.deepEqual(await round('c'), ['SENT', 'SENT', 'SENT'])
  assert.equal(new Set(server.taken.map(({ id }) => id)).size, server.taken.length)
})

test('a connection is used for 100 messages, then for no more', async (t) => {
  const { server, mailer } = await setUp(t)
  for (let number = 0; number < 201; number++) {
    assert.equal((await mailer.deliver(messageOf(number))).outcome, 'SENT')
  }
  assert.equal(server.connections(), 3)
})

test('while the server is away, everything is deferred at once', async (t) => {
  const { server, mailer } = await setUp(t, { connections: 4 })
  await server.close()
  const before = Date.now()
  const deliveries = await Promise.all(Array.from({ length: 1_000 }, (_, number) => mailer.deliver(messageOf(number))))
  assert.ok(deliveries.every(({ outcome, response }) => outcome === 'DEFERRED' && /ECONNREFUSED/.test(response)))
  assert.ok(Date.now() - before < 2_000)
})

test('a server that does not greet defers everything as soon as one connection was given up', async (t) => {
  const { server, mailer } = await setUp(t, { connections: 4, answerSeconds: 0.5 })
  server.behave(() => ({ and: 'STALL' }))
  const before = Date.now()
  const deliveries = await Promise.all(Array.from({ length: 100 }, (_, number) => mailer.deliver(messageOf(number))))
  assert.ok(deliveries.every(({ outcome }) => outcome === 'DEFERRED'))
  assert.ok(Date.now() - before < 5_000)
})

test('a server that lets in fewer connections than we want gets everything over those', async (t) => {
  const { server, mailer } = await setUp(t, { connections: 6, server: { maxConnections: 2 } })
  const deliveries = await Promise.all(Array.from({ length: 300 }, (_, number) => mailer.deliver(messageOf(number))))
  assert.ok(deliveries.every(({ outcome }) => outcome === 'SENT'))
  assert.equal(server.taken.length, 300)
})

test('a closed mailer ends what is under way and defers the rest', async (t) => {
  const { server, mailer } = await setUp(t)
  server.behave((stage) => (stage === 'TAKEN' ? { delayMs: 200 } : undefined))
  const deliveries = [1, 2, 3].map((number) => mailer.deliver(messageOf(number)))
  while (server.taken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  mailer.close()
  const outcomes = (await Promise.all(deliveries)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['SENT', 'DEFERRED', 'DEFERRED'])
  assert.equal((await mailer.deliver(messageOf(4))).outcome, 'DEFERRED')
  while (server.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
})

test('what is not one address is refused without asking', async (t) => {
  const { server, mailer } = await setUp(t)
  for (const to of [
    '',
    'a',
    'a@b, c@d',
    'a@b\r\nRCPT TO:<c@d>',
    'a@b> <c@d',
    'a b@c',
    '"a"@b@c',
    'g: a@b;',
    'a@b\u0000',
  ]) {
    assert.equal((await mailer.deliver(messageOf(1, { to }))).outcome, 'REFUSED', to)
  }
  assert.equal(server.connections(), 0)
})

test('2,000 messages to a server full of mischief: nothing claimed that is not so, nothing left hanging', async (t) => {
  const connections = 12
  const { server, mailer } = await setUp(t, { connections, answerSeconds: 1.5, server: { pipelining: true } })
  server.behave(mischief(42, 0.04))
  const found: Record<Delivery['outcome'], number> = { SENT: 0, REFUSED: 0, DEFERRED: 0, UNCERTAIN: 0 }
  const taken = new Map<string, Delivery>()
  let slowestMs = 0
  let next = 0
  const work = async () => {
    while (next < 2_000) {
      const message = messageOf(next++)
      const before = performance.now()
      const delivery = await mailer.deliver(message)
      slowestMs = Math.max(slowestMs, performance.now() - before)
      found[delivery.outcome]++
      taken.set(String(message.messageId), delivery)
    }
  }
  await Promise.all(Array.from({ length: connections * 2 }, work))

  const times = Map.groupBy(server.taken, ({ id }) => id)
  for (const [id, { outcome, response }] of taken) {
    const count = times.get(id)?.length ?? 0
    assert.ok(count <= 1, `${id} was taken ${count} times`)
    if (count === 1)
      assert.ok(outcome === 'SENT' || outcome === 'UNCERTAIN', `${id} was taken, but: ${outcome} ${response}`)
    else assert.notEqual(outcome, 'SENT', `${id} was not taken: ${response}`)
  }
  assert.ok(slowestMs < 15_000)
  assert.ok(Object.values(found).every((count) => count > 0))
  t.diagnostic(`${JSON.stringify(found)}, slowest ${Math.round(slowestMs)} ms`)
})

const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\u2028',
        '\u0000',
        '\u007f',
        '"',
        '\\',
        '<',
        '>',
        ',',
        ';',
        ':',
        '(',
        ' ',
        '\t',
      ),
      fc.constantFrom(
        'Bcc: x@evil.example',
        'a@b.example',
        '=?utf-8?Q?a=0D=0AX-Evil:_1?=',
        '\r\n\r\n.\r\n',
        '\ud800',
        'ü',
        '💌',
        '﷽',
      ),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('x'.repeat(1_100), 'word '.repeat(60)),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

const plain = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('=?utf-8?Q', '= ?utf-8?Q')
    .trim()

test('hostile names, subjects and values stay values: one recipient, the expected headers, nothing else', async (t) => {
  const { server, mailer } = await setUp(t, { connections: 4 })
  const link = `https://shop.example/unsubscribe?token=${'t'.repeat(200)}`
  const cases = fc.sample(fc.tuple(nasty, nasty, nasty, nasty), { numRuns: 500, seed: 7 })
  await Promise.all(
    cases.map(async ([name, subject, value, text], number) => {
      const delivery = await mailer.deliver(
        messageOf(number, {
          from: { name, address: 'news@shop.example' },
          replyTo: 'help@shop.example',
          subject,
          text: `Hello ${text}`, // without text there is no second part, and other headers
          headers: {
            'List-Unsubscribe': `<${link}>, <mailto:bye@shop.example>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            'X-Value': value,
          },
        }),
      )
      assert.equal(delivery.outcome, 'SENT', delivery.response)
    }),
  )
  assert.equal(server.taken.length, 500)
  for (const { id, recipients, content } of server.taken) {
    const number = Number(/\d+/.exec(id)?.[0])
    const [name, subject, value] = cases[number]?.map(plain) ?? []
    const mail = await PostalMime.parse(Buffer.from(content, 'latin1'))
    assert.equal(id, `<mail.${number}@shop.example>`)
    assert.deepEqual(recipients, [`reader-${number}@example.com`])
    assert.deepEqual(
      mail.to?.map(({ address }) => address),
      recipients,
    )
    assert.deepEqual([mail.cc, mail.bcc], [undefined, undefined])
    assert.equal(mail.from?.address, 'news@shop.example')
    const expected = ['from', 'to', 'reply-to', 'message-id', 'date', 'mime-version', 'content-type']
    expected.push('list-unsubscribe', 'list-unsubscribe-post')
    if (subject) expected.push('subject')
    if (value) expected.push('x-value')
    assert.deepEqual(mail.headers.map(({ key }) => key).sort(), expected.sort())
    assert.equal(mail.subject ?? '', subject)
    assert.equal(mail.from?.name ?? '', name)
    const lists = mail.headers.filter(({ key }) => key.startsWith('list-')).map((header) => header.value)
    assert.deepEqual(lists.sort(), [`<${link}>, <mailto:bye@shop.example>`, 'List-Unsubscribe=One-Click'])
  }
})

test('a signature covers the headers of the unsubscribe button, and is good', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const dkim = { domainName: 'shop.example', keySelector: 'k1', privateKey }
  const { server, mailer } = await setUp(t, { dkim })
  const bodies = ['Hello', '.\r\n..\r\n. dots', 'lone\rreturn and\nnewline \t \r\n\r\n\r\n', 'ü💌 '.repeat(9_000), '']
  for (const [number, text] of bodies.entries()) {
    const headers = {
      'List-Unsubscribe': `<https://shop.example/u?${'t'.repeat(150)}>, <mailto:bye@shop.example>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
    const message = messageOf(number, {
      text,
      html: `<p>${text}</p>`,
      subject: `Ünïcode ${'words '.repeat(30)}`,
      headers,
    })
    assert.equal((await mailer.deliver(message)).outcome, 'SENT')
    const signed = verify(server.taken.at(-1)?.content ?? '', publicKey)
    for (const name of ['from', 'to', 'subject', 'list-unsubscribe', 'list-unsubscribe-post']) {
      assert.ok(signed.includes(name), name)
    }
  }
})

test('a key that cannot sign is found before anything is sent', () => {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  for (const key of [privateKey, 'no key']) {
    const dkim = { domainName: 'shop.example', keySelector: 'k1', privateKey: key }
    assert.throws(() => createBulkMailer('smtp://127.0.0.1:1', { connections: 1, dkim }))
  }
})

/** Checks a relaxed/relaxed signature by the book (RFC 6376), and answers the names of the headers that it covers. */
function verify(content: string, publicKey: string): string[] {
  const [, head = '', body = ''] = /^(.*?\r\n)\r\n(.*)$/s.exec(`${content}\r\n`) ?? []
  const fields = head.split(/\r\n(?![ \t])/).filter(Boolean)
  const relaxed = (field: string) => {
    const [name = '', ...rest] = field.split(':')
    return `${name.toLowerCase()}:${rest
      .join(':')
      .replaceAll('\r\n', '')
      .replace(/[ \t]+/g, ' ')
      .trim()}`
  }
  const signature = fields.find((field) => /^dkim-signature:/i.test(field)) ?? ''
  const tags = Object.fromEntries(
    signature
      .slice(signature.indexOf(':') + 1)
      .split(';')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s/g, '')]),
  )
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  const canonical = lines.join('\r\n').replace(/(\r\n)*$/, '\r\n')
  assert.equal(tags.bh, createHash('sha256').update(canonical, 'latin1').digest('base64'))

  const names = String(tags.h).split(':')
  const signed = names.map((name) => relaxed(fields.find((field) => field.toLowerCase().startsWith(`${name}:`)) ?? ''))
  signed.push(relaxed(signature.replace(/b=[^;]*$/, 'b=')))
  const check = createVerify('RSA-SHA256').update(signed.join('\r\n'), 'latin1')
  assert.ok(check.verify(publicKey, String(tags.b), 'base64'))
  return names
}
