import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Newsletter, openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

const EMAIL = 'ada@example.com'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function visit(path: string, init?: RequestInit) {
  const answer = await fetch(used.api.url + path, init)
  const html = await answer.text()
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  assert.doesNotMatch(html, /<script/i)
  return { status: answer.status, html, title: /<h1>(.*?)<\/h1>/.exec(html)?.[1] }
}

/** Presses a button of a page's form as a browser without JavaScript does. */
function press(html: string, button?: string) {
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(html) ?? []
  assert.ok(action && token, 'there is a form')
  const body = new URLSearchParams({ token, ...(button && { [button]: 'yes' }) })
  return visit(action, { method: 'POST', headers: FORM, body })
}

const leavePath = async ({ tokenOf }: Newsletter) => `/newsletters/unsubscribe?token=${await tokenOf(EMAIL)}`

async function open(options = {}) {
  const letters = await openNewsletter(used.make, options)
  await letters.subscribed(letters.admin, { email: EMAIL })
  return { ...letters, leave: await leavePath(letters) }
}

describe('the page for leaving', () => {
  test('has a button that does it, and then says that it is done', async () => {
    const { leave, collection, state } = await open()
    const page = await visit(leave)
    assert.deepEqual([page.status, page.title], [200, `Leave ${collection.name}?`])
    assert.match(page.html, /ada@example\.com will get no more mails/)
    assert.doesNotMatch(page.html, /paid/)
    assert.equal(await state(EMAIL), 'ACTIVE')
    const done = await press(page.html)
    assert.deepEqual([done.status, done.title], [200, 'You are unsubscribed'])
    assert.equal(await state(EMAIL), 'CANCELLED')
    assert.deepEqual(
      [(await visit(leave)).title, (await press(page.html)).title],
      Array(2).fill('You are unsubscribed'),
    )
  })

  test('has another one for everything of the business', async () => {
    const letters = await open()
    const { leave, name, state } = letters
    const page = await visit(leave)
    assert.ok(page.html.includes(`Unsubscribe from everything of ${name}`))
    const done = await press(page.html, 'everything')
    assert.ok(done.html.includes(`any newsletter of ${name}`))
    assert.equal(await state(EMAIL), 'CANCELLED')
  })

  test('says what becomes of a plan that is paid for', async () => {
    const letters = await openNewsletter(used.make, { plans: PLANS })
    const { body } = await letters.subscribe(letters.admin, { email: EMAIL, planId: 'monthly' })
    used.twin.pay(body.checkoutUrl.split('/').at(-1))
    await used.waitUntilIdle(letters.db)
    const page = await visit(await leavePath(letters))
    assert.match(page.html, /Your paid plan will not be renewed; what is paid for is not paid back\./)
    assert.match((await press(page.html)).html, /Your paid plan is not renewed\./)
  })

  test('shows what people typed as text', async () => {
    const name = '<img src=x onerror=alert(1)> & "Sons"'
    const { leave } = await open({ name })
    const { html } = await visit(leave)
    assert.ok(!html.includes('<img'))
    assert.ok(html.includes('&lt;img src=x onerror=alert(1)&gt; &amp; &#34;Sons&#34;'), html)
  })
})

test('a link that is not ours shows a page that says so, and changes nothing', async () => {
  const letters = await open()
  const token = await letters.tokenOf(EMAIL)
  const confirm = await letters.tokenOf(EMAIL, 'confirm')
  const wrong = [
    '',
    'x',
    `${token}x`,
    token.slice(0, -1),
    'biz_none.sub_none.x',
    confirm,
    '"><script>',
    'x'.repeat(5_000),
  ]
  for (const text of wrong) {
    for (const method of ['GET', 'POST']) {
      const path = `/newsletters/unsubscribe?token=${encodeURIComponent(text)}`
      const page = await visit(path, { method })
      assert.deepEqual([page.status, page.title], [422, 'This did not work'], text)
    }
  }
  for (const path of ['/newsletters/unsubscribe', '/newsletters/confirm', `/newsletters/confirm?token=${token}`])
    assert.equal((await visit(path)).status, 422)
  assert.equal((await visit(`/newsletters/unsubscribe?token=${token}&token=${token}`)).status, 422)
  assert.equal(await letters.state(EMAIL), 'ACTIVE')
})

test('the page after paying says how it went', async () => {
  assert.equal((await visit('/newsletters/result?outcome=paid')).title, 'Thank you')
  assert.equal((await visit('/newsletters/result?outcome=cancelled')).title, 'Nothing was paid')
  assert.equal((await visit('/newsletters/result')).title, 'Nothing was paid')
})
