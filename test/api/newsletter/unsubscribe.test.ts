import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { isProof, tokenOf as tokenMadeWith } from '#modules/newsletter/subscriptions/token.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { assertError } from '../../support/assert-error.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

const EMAIL = 'ada@example.com'
const REFUSED = '422 VALIDATION_FAILED token TOKEN_INVALID'

async function open(options = {}) {
  const letters = await openNewsletter(used.make, options)
  await letters.subscribed(letters.admin, { email: EMAIL })
  return letters
}

describe('a token from a mail', () => {
  test('ends its subscription without a login, once', async () => {
    const { unsubscribe, tokenOf, row, eventsOf, subscribed, admin, state } = await open()
    await subscribed(admin, { email: 'bob@example.com' })
    const token = await tokenOf(EMAIL)
    const answers = [await unsubscribe(token), await unsubscribe(token)]
    assert.deepEqual(
      answers.map(({ status, body }) => ({ status, body })),
      [
        { status: 200, body: { success: true } },
        { status: 200, body: { success: true } },
      ],
    )
    const { id, status } = await row(EMAIL)
    assert.equal(status, 'CANCELLED')
    assert.deepEqual(await eventsOf(id), ['subscription.created', 'subscription.cancelled'])
    assert.equal(await state('bob@example.com'), 'ACTIVE')
  })

  test('works for whoever is logged in, and with a login that has run out', async () => {
    const { unsubscribe, tokenOf, state } = await open()
    const stranger = await used.make.user()
    assert.equal((await unsubscribe(await tokenOf(EMAIL), {}, stranger)).status, 200)
    assert.equal(await state(EMAIL), 'CANCELLED')
    const stale = {
      post: (path: string, body: unknown) => stranger.post(path, body, { authorization: 'Bearer stale' }),
    }
    assert.equal((await unsubscribe(await tokenOf(EMAIL), {}, stale)).status, 200)
  })

  test('works also for a key that is bound to another business: the token alone decides', async () => {
    const { unsubscribe, tokenOf, state } = await open()
    const other = await used.make.business()
    const key = await used.make.apiKey(other.admin.id, other.id)
    assert.equal((await unsubscribe(await tokenOf(EMAIL), {}, key)).status, 200)
    assert.equal(await state(EMAIL), 'CANCELLED')
  })

  test('is good as long as the subscription lasts, also after coming back', async () => {
    const { unsubscribe, tokenOf, subscribed, admin, state } = await open()
    const token = await tokenOf(EMAIL)
    await unsubscribe(token)
    await subscribed(admin, { email: EMAIL })
    assert.equal((await unsubscribe(token)).status, 200)
    assert.equal(await state(EMAIL), 'CANCELLED')
  })

  test('ends every newsletter of the business for that address when asked to', async () => {
    const here = await open()
    const blocks = [{ id: 'title', type: 'TEXT' }]
    const fields = { name: 'Second', type: 'NEWSLETTER', blocks, statuses: [{ status: 'PUBLISHED' }] }
    const second = (await here.admin.post(`${here.path}/collections`, fields)).body
    const inSecond = `${here.path}/collections/${second.id}`
    for (const email of ['ADA@example.com', 'bob@example.com'])
      assert.equal((await here.admin.post(`${inSecond}/subscribe`, { email })).status, 201)
    const elsewhere = await open()
    await here.unsubscribe(await here.tokenOf(EMAIL), { everything: true })

    const { items } = (await here.owner.get(`${inSecond}/subscribers`)).body
    const states = items.map(({ email, status }: { email: string; status: string }) => `${email} ${status}`)
    assert.deepEqual(states.sort(), ['ADA@example.com CANCELLED', 'bob@example.com ACTIVE'])
    assert.equal(await here.state(EMAIL), 'CANCELLED')
    assert.equal(await elsewhere.state(EMAIL), 'ACTIVE')
  })

  test('is no good elsewhere, forged, or changed by a letter', async () => {
    const [here, there] = [await open({ cell: 'main' }), await open({ cell: 'second' })]
    const token = await here.tokenOf(EMAIL)
    const [business = '', id = '', proof = ''] = token.split('.')
    const [, otherId = '', otherProof = ''] = (await there.tokenOf(EMAIL)).split('.')
    const turned = (text: string, index: number) =>
      text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)
    const tokens = [
      ...Array.from(proof, (_, index) => `${business}.${id}.${turned(proof, index)}`),
      `${business}.${turned(id, id.length - 1)}.${proof}`,
      `${business}.${id}.${otherProof}`,
      `${business}.${id}.`,
      `${business}.${otherId}.${otherProof}`,
      `${business}.${id}.${proof}A`,
      `${business}.${id}.${proof.slice(1)}`,
      `${business}.${id}`,
      proof,
      '.',
      '..',
      'x',
      ' ',
      `${token} `,
      `${token}\n`,
      "' or 1=1 --",
      '\u{1f4ec}'.repeat(100),
      `${business}.${id}.${'é'.repeat(11)}`,
    ]
    for (const wrong of tokens) assert.equal(refusal(await here.unsubscribe(wrong)), REFUSED, wrong)
    assert.equal(refusal(await there.unsubscribe(token)), REFUSED)
    assert.equal(refusal(await here.unsubscribe(await there.tokenOf(EMAIL))), REFUSED)
    assert.deepEqual([await here.state(EMAIL), await there.state(EMAIL)], ['ACTIVE', 'ACTIVE'])
  })

  test('must be there, and be text', async () => {
    const { path } = await open()
    const anybody = used.make.anonymous()
    const at = `${path}/collections/unsubscribe`
    assert.equal(refusal(await anybody.post(at, {})), '422 VALIDATION_FAILED token REQUIRED')
    for (const token of ['', 7, null, ['a'], 'x'.repeat(501)])
      assert.equal((await anybody.post(at, { token })).status, 422)
    assertError(await anybody.post('/v1/businesses/biz_none/collections/unsubscribe', { token: 'x' }), 404, 'NOT_FOUND')
  })
})

describe('a copy of the database', () => {
  const proofFrom = (key: string | Buffer, purpose: string) =>
    createHmac('sha256', key).update(purpose).digest('base64url').slice(0, 22)

  test('makes no token: there is no secret of a subscription in it', async () => {
    const { row, id, unsubscribe, state } = await open()
    const known = await row(EMAIL)
    for (const key of ['', known.id, EMAIL]) {
      for (const text of ['leave', `leave ${id} ${known.id}`])
        assert.equal(refusal(await unsubscribe(`${id}.${known.id}.${proofFrom(key, text)}`)), REFUSED)
    }
    assert.equal(await state(EMAIL), 'ACTIVE')
  })

  test('while SECRET_KEY rotates, links of both keys work; without the old key its links do not', async () => {
    const { row, tokenOf, unsubscribe } = await open()
    const [older, current] = [randomBytes(32), used.api.config.secretKeys[0] as Buffer]
    const { businessId, id } = await row(EMAIL)
    const known = { businessId, id }
    const proof = (await tokenOf(EMAIL)).split('.')[2] ?? ''
    assert.ok(isProof(createSecretBox([older, current]), proof, known, 'leave'))
    assert.ok(!isProof(createSecretBox([older]), proof, known, 'leave'))
    assert.equal((await unsubscribe(tokenMadeWith(createSecretBox([older]), known, 'leave'))).status, 422)
  })
})

describe('a mail', () => {
  /** Sends a letter to the one reader; answers where its header says that one leaves. */
  async function mailed(email: string) {
    const letters = await openNewsletter(used.make)
    await letters.subscribed(letters.admin, { email })
    await letters.send(await letters.entry())
    await used.sendWorker.run(letters.db)
    const mail = await used.mailServer.mailTo(email)
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? ''
    assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const link = /^<(https?:\/\/[^>]+)>$/.exec(header('list-unsubscribe'))?.[1] ?? ''
    const { publicUrl } = used.api.config
    assert.ok(link.startsWith(`${publicUrl}/newsletters/unsubscribe?token=`), link)
    assert.ok(mail.text?.includes(link), 'it can also be read')
    return { ...letters, url: link.replace(publicUrl, used.api.url) }
  }
  const ONE_CLICK = 'List-Unsubscribe=One-Click'

  test('lets its reader leave with one click of the mail program', async () => {
    const { url, state } = await mailed('click@example.com')
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: ONE_CLICK,
    })
    assert.equal(answer.status, 200)
    assert.equal(await state('click@example.com'), 'CANCELLED')
  })

  test('also with one that posts the form as multipart', async () => {
    const { url, state } = await mailed('multipart@example.com')
    const form = new FormData()
    form.append('List-Unsubscribe', 'One-Click')
    assert.equal((await fetch(url, { method: 'POST', body: form })).status, 200)
    assert.equal(await state('multipart@example.com'), 'CANCELLED')
  })

  test('loses nobody to scanners that follow its links', async () => {
    const { url, state } = await mailed('scanned@example.com')
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'GET']) await (await fetch(url, { method })).arrayBuffer()
    assert.equal(await state('scanned@example.com'), 'ACTIVE')
  })
})
