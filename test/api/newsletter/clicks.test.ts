import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { nowMs } from '#platform/clock.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { BODY, text } from '../../support/content.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const BOATS = 'https://shop.example/boats?colour=red&size=1#top'
const BODY_HTML = `<p>Look at <a href="${BOATS.replace('&', '&amp;')}">boats</a>, at <a href="https://shop.example/sails">sails</a>,
  again at <a href="${BOATS.replace('&', '&amp;')}">boats</a>, at <a href="https://shop.example/hello?to={{ subscriber.name }}">hello</a>
  or <a href="mailto:us@shop.example">write</a>.</p>`

let count = 0

/** A letter with links that was sent to two readers, ten minutes ago. */
async function sent(fields: object = { countClicks: true }) {
  const letters = await openNewsletter(used.make, { blocks: [{ id: 'title', type: 'TEXT' }, BODY], ...fields })
  const domain = `clicks${++count}.example`
  await letters.fill(2, domain)
  const entry = await letters.entry([text('title', 'Boats'), text('body', BODY_HTML)])
  const sending = await letters.send(entry)
  await used.sendWorker.run(letters.db)
  clock.advance(600)
  const mailTo = (name: string) => {
    const mail = used.mailServer.mails.findLast(({ to }) => to?.[0]?.address === `${name}@${domain}`)
    assert.ok(mail)
    const hrefs = [...(mail.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    )
    return { hrefs, text: mail.text ?? '', html: mail.html ?? '' }
  }
  const clicks = async () => {
    const { status, body, text } = await letters.owner.get(`${sending.path}/clicks`)
    assert.equal(status, 200, text)
    return body as { isCounted: boolean; readers: number; links: { url: string; clicks: number; readers: number }[] }
  }
  return { ...letters, sending, entry, mailTo, clicks, domain }
}

const pathOf = (url: string | undefined) => {
  assert.ok(url)
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Opens a link as a browser does, without following it. */
async function open(url: string | undefined, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(used.api.url + pathOf(url), {
    method,
    headers: { 'user-agent': BROWSER, ...headers },
    redirect: 'manual',
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('a newsletter that counts clicks', () => {
  test('has links of its own in letters, which say where they lead, and lead there', async () => {
    const { mailTo, clicks } = await sent()
    const { hrefs, text } = mailTo('reader1')
    const [boats, sails, again, hello, write] = hrefs
    assert.match(boats ?? '', /\/newsletters\/go\/[\w.-]+\/0\/shop\.example\/boats$/)
    assert.match(sails ?? '', /\/newsletters\/go\/[\w.-]+\/1\/shop\.example\/sails$/)
    assert.equal(again, boats, 'the same address is the same link')
    assert.equal(hello, 'https://shop.example/hello?to=Reader 1', 'one that depends on the reader leads straight there')
    assert.equal(write, 'mailto:us@shop.example')
    assert.ok(text.includes('https://shop.example/sails') && !text.includes('/newsletters/go/'), text)

    const answer = await open(boats)
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, BOATS])
    assert.deepEqual(
      ['cache-control', 'referrer-policy', 'set-cookie'].map((name) => answer.headers.get(name)),
      ['no-store', 'no-referrer', null],
    )
    await open(boats)
    await open(sails)
    await open(mailTo('reader2').hrefs[0])
    assert.deepEqual(await clicks(), {
      isCounted: true,
      readers: 2,
      links: [
        { url: BOATS, clicks: 3, readers: 2 },
        { url: 'https://shop.example/sails', clicks: 1, readers: 1 },
      ],
    })
  })

  test('leads nowhere that the letter did not say, whatever is asked', async () => {
    const { mailTo, clicks } = await sent()
    const [boats = ''] = mailTo('reader1').hrefs
    const token = boats.split('/').at(-4) ?? ''
    const at = boats.slice(0, boats.indexOf(token))
    const elsewhere = (await sent()).mailTo('reader1').hrefs[0] ?? ''
    const [business = '', send = '', reader = '', proof = ''] = token.split('.')
    const foreign = elsewhere.split('/').at(-4)?.split('.') ?? []
    for (const wrong of [
      `${at}${token}/2/shop.example/boats`,
      `${at}${token}/9999/evil.example`,
      `${at}${token}/-1/x`,
      `${at}${token}/0x1/x`,
      `${at}${token}/${'9'.repeat(30)}/x`,
      `${at}${[business, send, foreign[2], proof].join('.')}/0/x`,
      `${at}${[business, foreign[1], reader, proof].join('.')}/0/x`,
      `${at}${[foreign[0], send, reader, proof].join('.')}/0/x`,
      `${at}${[business, send, reader, proof.slice(0, -1)].join('.')}/0/x`,
      `${at}x/0/x`,
    ]) {
      const answer = await open(wrong)
      assert.deepEqual([answer.status, answer.headers.get('location')], [404, null], wrong)
    }
    const answer = await open(`${at}${token}/0/evil.example/https://evil.example`)
    assert.equal(answer.headers.get('location'), BOATS, 'its end decides nothing')
    assert.equal((await clicks()).links[0]?.clicks, 1)
  })

  test('leaves programs out, and lets them through', async () => {
    const { mailTo, clicks, domain, db } = await sent()
    const [boats] = mailTo('reader1').hrefs
    const programs: Record<string, string>[] = [
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'curl/8.1' },
      { 'user-agent': '' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]
    for (const headers of programs) assert.equal((await open(boats, headers)).headers.get('location'), BOATS)
    assert.equal((await open(boats, {}, 'HEAD')).status, 302)
    await db
      .updateTable('newsletter.recipients')
      .set({ updatedAt: new Date(nowMs() - 9_000) })
      .where(
        'subscriptionId',
        'in',
        db.selectFrom('newsletter.subscriptions').select('id').where('email', '=', `reader1@${domain}`),
      )
      .execute()
    await open(boats)
    assert.equal((await clicks()).readers, 0, 'nobody reads that fast')
    clock.advance(1)
    await open(boats)
    assert.equal((await clicks()).readers, 1)
  })

  test('tells readers, and counts nothing of those who say no', async () => {
    const { mailTo, clicks, entry, send, db } = await sent()
    const { hrefs, html } = mailTo('reader1')
    assert.match(html, /It is counted which links are opened/)
    const choice = hrefs.at(-1)
    const page = await open(choice)
    assert.equal(page.status, 200)
    assert.match(page.text, /Stop counting mine/)
    assert.equal((await clicks()).readers, 0, 'looking changes nothing')
    const off = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (let times = 0; times < 2; times++) {
      const done = await used.make.anonymous().send('POST', off, { raw: 'token=x', headers: form })
      assert.deepEqual([done.status, /not counted any more/.test(done.text)], [200, true], done.text)
    }
    assert.equal((await open(hrefs[0])).headers.get('location'), BOATS, 'links of old letters go on')
    assert.equal((await clicks()).readers, 0)

    await send(entry, { resend: true })
    await used.sendWorker.run(db)
    const next = mailTo('reader1')
    assert.equal(next.hrefs[0], BOATS)
    assert.match(mailTo('reader2').hrefs[0] ?? '', /\/newsletters\/go\//)
    assert.match((await open(next.hrefs.at(-1))).text, /Count mine again/)
  })

  test('is not begun again for a reader who said no, by whoever has a link of theirs', async () => {
    const { mailTo, row, domain } = await sent()
    const { hrefs } = mailTo('reader1')
    const shared = hrefs[0]?.split('/').at(-4) ?? ''
    const choice = pathOf(hrefs.find((href) => href.includes('/newsletters/clicks/')))
    const counts = async () => (await row(`reader1@${domain}`)).countsClicks
    const post = async (path: string) => (await fetch(used.api.url + path, { method: 'POST' })).status
    assert.deepEqual([await post(`${choice}/off`), await counts()], [200, false])
    assert.deepEqual([await post(`/newsletters/clicks/${shared}/on`), await counts()], [404, false])
    assert.deepEqual([await post(`${choice}/on`), await counts()], [200, true])
    assert.deepEqual([await post(`/newsletters/clicks/${shared}/off`), await counts()], [404, true])
    assert.equal((await open(hrefs[0]?.replace(shared, choice.split('/').at(-1) ?? ''))).status, 404)
  })

  test('keeps counting for who gets it later, by a send to the rest', async () => {
    const { owner, sending, db, entry, domain, mailTo } = await sent()
    await db.updateTable('newsletter.recipients').set({ state: 'FAILED' }).where('sendId', '=', sending.id).execute()
    await db.updateTable('newsletter.sends').set({ sent: 0, failed: 2 }).where('id', '=', sending.id).execute()
    const rest = await owner.post(`${sending.path}/send-remaining`, { statuses: ['FAILED'] })
    assert.equal(rest.status, 201, rest.text)
    await used.sendWorker.run(db)
    clock.advance(600)
    assert.equal((await open(mailTo('reader1').hrefs[0])).headers.get('location'), BOATS)
    const { body } = await owner.get(`${entry.path}/sends/${rest.body.id}/clicks`)
    assert.deepEqual([body.readers, body.links[0].clicks], [1, 1], domain)
  })
})

test('a newsletter counts nothing unless it is told to', async () => {
  const { mailTo, clicks, admin, collection, path, sending, id, entry } = await sent({})
  const { hrefs, html } = mailTo('reader1')
  assert.equal(hrefs[0], BOATS)
  assert.doesNotMatch(html, /counted/)
  assert.deepEqual(await clicks(), { isCounted: false, readers: 0, links: [] })
  assert.equal((await admin.get(collection.path)).body.countClicks, undefined)
  const on = await admin.put(collection.path, { countClicks: true })
  assert.deepEqual([on.status, on.body.countClicks], [200, true])
  const standard = await admin.post(`${path}/collections`, { name: 'Pages', countClicks: true })
  assert.equal(refusal(standard), '422 VALIDATION_FAILED countClicks NOT_A_NEWSLETTER')
  const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
  assertError(await reader.get(`${sending.path}/clicks`), 403, 'FORBIDDEN')
  const sender = await used.make.member(id, 'NEWSLETTER_SEND')
  assertError(await sender.get(`${entry.path}/sends/snd_other/clicks`), 404, 'NOT_FOUND')
})

describe('a newsletter that counts which letters are opened', () => {
  const pictureIn = (html: string) => /<img src="([^"]*\/newsletters\/open\/[^"]*)"/.exec(html)?.[1]
  type Sent = Awaited<ReturnType<typeof sent>>
  const opens = async ({ owner, sending }: Pick<Sent, 'owner' | 'sending'>) =>
    (await owner.get(`${sending.path}/results`)).body.opens

  test('has a picture for each reader, and counts each once', async () => {
    const letters = await sent({ countOpens: true })
    const { mailTo } = letters
    const { html, hrefs, text } = mailTo('reader1')
    assert.equal(hrefs[0], BOATS, 'links are as they were')
    assert.match(html, /It is counted which letters are opened\./)
    assert.ok(!text.includes('/newsletters/open/'))
    assert.deepEqual(await opens(letters), { isCounted: true, readers: 0 })
    const answer = await open(pictureIn(html))
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif'])
    assert.deepEqual(
      ['cache-control', 'set-cookie'].map((name) => answer.headers.get(name)),
      ['no-store', null],
    )
    await open(pictureIn(html))
    await open(pictureIn(mailTo('reader2').html))
    assert.deepEqual(await opens(letters), { isCounted: true, readers: 2 })
    assert.equal((await letters.clicks()).isCounted, false)
  })

  test('leaves out what loads pictures instead of people, and addresses that are not ours', async () => {
    const letters = await sent({ countOpens: true, countClicks: true })
    const { html, hrefs } = letters.mailTo('reader1')
    assert.match(html, /It is counted which letters are opened, and which links are opened\./)
    const picture = pictureIn(html) ?? ''
    const agents = [
      'Mozilla/5.0',
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
      'curl/8.1',
    ]
    for (const agent of agents) assert.equal((await open(picture, { 'user-agent': agent })).status, 200)
    await open(picture, { purpose: 'prefetch' })
    assert.equal((await open(`${picture.slice(0, -1)}${picture.endsWith('A') ? 'B' : 'A'}`)).status, 404)
    assert.deepEqual(await opens(letters), { isCounted: true, readers: 0 })
    await open(hrefs[0])
    assert.equal((await opens(letters)).readers, 0, 'a click is counted as a click')
  })

  test('has none for readers who said no, and counts nothing of theirs', async () => {
    const letters = await sent({ countOpens: true })
    const { mailTo, entry, send, db } = letters
    const { hrefs, html } = mailTo('reader1')
    const off = /action="([^"]+)"/.exec((await open(hrefs.at(-1))).text)?.[1] ?? ''
    const done = await used.make.anonymous().post(off, undefined)
    assert.equal(done.status, 200, done.text)
    await open(pictureIn(html))
    assert.equal((await opens(letters)).readers, 0)
    await send(entry, { resend: true })
    await used.sendWorker.run(db)
    assert.equal(pictureIn(mailTo('reader1').html), undefined)
    assert.ok(pictureIn(mailTo('reader2').html))
  })

  test('does so only where it is told to', async () => {
    const letters = await sent({ countClicks: true })
    const { mailTo, admin, path, collection } = letters
    const { html, hrefs } = mailTo('reader1')
    assert.equal(pictureIn(html), undefined)
    const token = /\/newsletters\/go\/([^/]+)/.exec(hrefs[0] ?? '')?.[1]
    assert.equal((await open(`${used.api.config.publicUrl}/newsletters/open/${token}`)).status, 200)
    assert.deepEqual(await opens(letters), { isCounted: false, readers: 0 })
    const on = await admin.put(collection.path, { countOpens: true })
    assert.deepEqual([on.status, on.body.countOpens, on.body.countClicks], [200, true, true])
    const standard = await admin.post(`${path}/collections`, { name: 'Pages', countOpens: true })
    assert.equal(refusal(standard), '422 VALIDATION_FAILED countOpens NOT_A_NEWSLETTER')
  })
})
