import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose } from '#modules/newsletter/mail/compose.ts'
import { composeMail } from '#modules/newsletter/mail/render.ts'
import { MAX_WAITING_EACH } from '#platform/thread.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { heldUpMs, timeMs } from '../../support/held-up.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })

const BODY = { id: 'body', type: 'TEXT', settings: { variant: 'HTML', maxLength: 240_000 } }
const title = { id: 'title', type: 'TEXT', value: 'A long letter' }
const LETTERS = {
  'nested 250 deep, in 25,000 parts': `${'<b>'.repeat(250)}${'x<br />'.repeat(25_000)}last${'</b>'.repeat(250)}`,
  'a table of 10,000 rows': `<table>${'<tr><td>x</td></tr>'.repeat(10_000)}<tr><td>last</td></tr></table>`,
}

const source = (value: string) => ({
  business: { name: 'Harbour Goods', defaultLocale: 'en', siteUrl: 'https://shop.example' },
  newsletter: { name: 'Letters' },
  entry: { locale: 'en', blocks: [title, { ...BODY, value }] as unknown as Block[] },
})

for (const [what, value] of Object.entries(LETTERS)) {
  test(`a mail ${what} is seen, sent and tried without holding up anybody else`, async (t) => {
    const { owner, admin, collection, path } = await openNewsletter(used.make, {
      blocks: [{ ...title, value: undefined }, BODY],
    })
    const blocks = [title, { id: 'body', type: 'TEXT', value }]
    const made = await admin.post(`${path}/entries`, { collectionId: collection.id, blocks })
    assert.equal(made.status, 201, made.text.slice(0, 500))
    const at = `${path}/entries/${made.body.id}`
    const table = LETTERS['a table of 10,000 rows']
    const here = timeMs(() => composeMail(source(table))) // what used to be done here, of the letter that takes longest

    const seen = await owner.get(`${at}/preview`)
    assert.equal(seen.status, 200, seen.text.slice(0, 500))
    assert.match(seen.body.html, /last/)
    const calls = {
      preview: () => owner.get(`${at}/preview`),
      test: () => admin.post(`${at}/test`, {}),
      send: () => owner.post(`${at}/send`, { scheduledAt: 4_000_000_000, resend: true }),
    }
    for (const [name, call] of Object.entries(calls)) {
      // The least of some tries: other processes hold it up, too, and work that is done here would do so every time.
      let heldUp = Number.POSITIVE_INFINITY
      for (let tries = 0; tries < 5 && heldUp >= here / 2; tries++) {
        const once = await heldUpMs(async () => {
          const { status, text } = await call()
          assert.ok(status < 300, text.slice(0, 500))
        })
        heldUp = Math.min(heldUp, once)
      }
      t.diagnostic(`${name}: ${here.toFixed()} ms of work, held up for ${heldUp.toFixed()} ms`)
      assert.ok(heldUp < here / 2, `${name}: ${here} and ${heldUp} ms`)
    }
  })
}

test('a letter that cannot be composed right now is still due, and goes out later', async () => {
  const { owner, admin, collection, path, db } = await openNewsletter(used.make, {
    blocks: [{ ...title, value: undefined }, BODY],
  })
  const blocks = [title, { id: 'body', type: 'TEXT', value: LETTERS['a table of 10,000 rows'] }]
  const { id } = (await admin.post(`${path}/entries`, { collectionId: collection.id, blocks })).body
  const planned = await owner.post(`${path}/entries/${id}/send`, {})
  assert.equal(planned.status, 202, planned.text)
  const statusOf = async () => (await owner.get(`${path}/entries/${id}/sends/${planned.body.id}`)).body.status

  // The thread has more to do for this business than it takes.
  const businessId = path.split('/').at(-1) ?? ''
  const composeLong = (value: string) => {
    const long = source(value)
    return compose({ ...long, entry: { ...long.entry, businessId } })
  }
  const ahead = [composeLong(LETTERS['a table of 10,000 rows'])]
  for (let count = 0; count < MAX_WAITING_EACH; count++) ahead.push(composeLong('x'.repeat(21_000)))
  await used.sendWorker.start(db)
  assert.equal(await statusOf(), 'SCHEDULED')
  await Promise.all(ahead)
  await used.sendWorker.start(db)
  assert.equal(await statusOf(), 'RUNNING')
})

test('what a mail is nested deeper than 32 levels keeps its text, but not its tags', () => {
  const deep = `${'<b>'.repeat(40)}inside${'</b>'.repeat(40)}<p>after</p>`
  const { html, text } = composeMail(source(deep))
  assert.equal(html.match(/<b>/g)?.length, 32)
  assert.equal(html.match(/<\/b>/g)?.length, 32)
  assert.match(html, /inside(<\/b>)+<p[^>]*>after/)
  assert.match(text, /inside\s+after/)
})

test('a mistake in a long mail is told as in a short one', async () => {
  const { owner, admin, collection, path } = await openNewsletter(used.make, {
    blocks: [{ ...title, value: undefined }, BODY],
  })
  const blocks = [title, { id: 'body', type: 'TEXT', value: `<p>{% if %}</p>${'<p>x</p>'.repeat(5_000)}` }]
  const made = await admin.post(`${path}/entries`, { collectionId: collection.id, blocks })
  const { status, body } = await owner.get(`${path}/entries/${made.body.id}/preview`)
  assert.deepEqual([status, body.details[0].field, body.details[0].error], [422, 'blocks.1.value', 'TEMPLATE_INVALID'])
})
