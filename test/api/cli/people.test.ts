import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { addTotp } from '../../support/factors.ts'
import { openNewsletter } from '../../support/newsletter-api.ts'
import { createPeople, PASSWORD } from '../../support/people.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

// Newsletters are planned only where there is a mail server. None is needed: nothing is sent.
const used = useWorld({ own: true, env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' } })
const cli = (...args: string[]) => runCli(args, used.api.databases.env)
const people = () => createPeople(used.api)

describe('accounts and businesses from the command line', { concurrency: 2 }, () => {
  test('an account is made, can log in, and is left alone when it is asked for again', async () => {
    const args = ['user', 'create', '--email', 'Ada@example.com', '--name', 'Ada', '--confirmed', '--json']
    const made = await runCli(args, used.api.databases.env, { input: `${PASSWORD}\n` })
    assert.equal(made.code, 0, made.err)
    const { id } = made.json
    assert.deepEqual(made.json, { id, email: 'Ada@example.com', outcome: 'created' })
    assert.equal((await people().login('ada@example.com')).status, 200)

    const again = await cli('user', 'create', '--email', 'ada@example.com', '--password', 'another one, quite long')
    assert.deepEqual([again.code, again.out], [0, `${id}  ada@example.com  exists already; nothing was changed\n`])
    assert.equal((await people().login('ada@example.com')).status, 200, 'its password is the old one')
  })

  test('a weak password is refused; who has not confirmed needs a mail server, or the word of the operator', async () => {
    const create = (...args: string[]) => cli('user', 'create', ...args)
    const { email } = await people().person({ isConfirmed: false })
    const [weak, none, unsure, wrong, odd, taken] = await Promise.all([
      create('--email', 'a@example.com', '--confirmed', '--password', 'password12'),
      create('--email', 'a@example.com', '--confirmed'),
      create('--email', 'a@example.com', '--password', PASSWORD),
      create('--email', 'nobody', '--confirmed'),
      create('--email', '"q q"@x.test', '--confirmed', '--password', PASSWORD),
      create('--email', email, '--confirmed', '--password', 'a new one of our own'),
    ])
    assert.deepEqual([weak.code, none.code, unsure.code, wrong.code, odd.code, taken.code], [1, 1, 1, 2, 2, 0])
    assert.match(weak.err, /easy to guess/)
    assert.match(none.err, /^Give a password/)
    assert.match(unsure.err, /SMTP_URL.*--confirmed/)
    assert.match(wrong.err, /^nobody is not an address/)
    assert.match(odd.err, /^"q q"@x\.test is not an address/)
    assert.match(taken.out, /confirmed: it was registered/)
    assert.equal((await people().login(email)).status, 422, 'whoever registered it does not get in')
    assert.equal((await people().login(email, 'a new one of our own')).status, 200)
  })

  test('whoever has lost their second factor gets in again, and it is written down', async () => {
    const { id, email } = await people().person()
    const session = await people().session(email)
    await addTotp(session)
    assert.equal((await people().login(email)).status, 403)
    const removed = await cli('users', 'second-factor', 'remove', email, '--json')
    assert.equal(removed.code, 0, removed.err)
    assert.deepEqual(removed.json, { id, email, removed: true })
    assert.equal((await people().login(email)).status, 200)
    await until('its session has ended', async () => (await session.get('/v1/users/me')).status === 401)
    const { control } = used.api.services.databases
    const entry = await control
      .selectFrom('access.auditLog')
      .select(['actorId', 'data'])
      .where('subject', '=', id)
      .where('action', '=', 'second-factor.removed')
      .executeTakeFirst()
    assert.deepEqual(entry, { actorId: null, data: { passkeys: 0 } })
    const { rows: jobs } = await sql<{ notice: string }>`
      select payload->>'notice' as notice from graphile_worker._private_jobs where payload->>'userId' = ${id}`.execute(
      control,
    )
    assert.ok(
      jobs.some(({ notice }) => notice === 'factor-removed'),
      'they are told by mail',
    )
    const none = await cli('users', 'second-factor', 'remove', email)
    assert.deepEqual([none.code, none.out], [0, `${email} has no second factor and no passkey\n`])
    assert.equal((await cli('users', 'second-factor', 'remove', 'nobody@example.com')).code, 1)
  })

  test('who becomes an operator is told to need a second factor, unless there is one', async () => {
    const { email } = await people().person()
    const added = await cli('user', 'operator', 'add', email)
    assert.match(added.out, /is an operator now, and needs a second factor before any operator route opens/)
    const again = await cli('user', 'operator', 'add', email, '--json')
    assert.deepEqual([again.json.added, again.json.hasSecondFactor], [false, false])
  })

  test('a role is given by its name or id, and works at once', async () => {
    const business = await used.make.business()
    const friend = await used.make.user()
    const path = `${business.path}/roles`
    assert.equal((await friend.get(path)).status, 403)
    const granted = await cli('user', 'grant', friend.email ?? '', business.id, 'admin', '--json')
    assert.equal(granted.code, 0, granted.err)
    assert.equal(granted.json.role, 'Admin')
    await until('the API has heard of it', async () => (await friend.get(path)).status === 200)
    const [role, nobody, nowhere] = await Promise.all([
      cli('user', 'grant', friend.email ?? '', business.id, 'Cook'),
      cli('user', 'grant', 'nobody@example.com', business.id, 'Admin'),
      cli('user', 'grant', friend.email ?? '', 'biz_nobody', 'Admin'),
    ])
    assert.match(role.err, /no role Cook\. It has: Admin\./)
    assert.match(nobody.err, /Nobody has an account/)
    assert.match(nowhere.err, /Business not found/)
    assert.deepEqual([role.code, nobody.code, nowhere.code], [1, 1, 1])
  })

  test('who is suspended is out at once, with sessions and keys, until resumed', async () => {
    const { id, email } = await people().person()
    const session = await people().session(email)
    const key = await used.make.apiKey(id)
    const me = '/v1/users/me'
    assert.deepEqual([(await session.get(me)).status, (await key.get(me)).status], [200, 200])
    const done = await cli('user', 'suspend', email)
    assert.deepEqual([done.code, done.out], [0, `${email} is suspended (1 sessions ended)\n`])
    await until('the session has ended', async () => (await session.get(me)).status === 401)
    await until('the key is dead', async () => (await key.get(me)).status === 401)
    assert.equal((await people().login(email)).status, 403)

    assert.deepEqual((await cli('user', 'suspend', email, '--resume', '--json')).json, { id, email, suspended: false })
    await until('the key lives again', async () => (await key.get(me)).status === 200)
    assert.equal((await session.get(me)).status, 401)
    assert.equal((await people().login(email)).status, 200)
  })

  test('businesses are made and listed', async () => {
    const owner = await used.make.user()
    const made = await cli(
      'business',
      'create',
      '--name',
      'Harbour\u001b[31m Goods',
      '--owner',
      owner.email ?? '',
      '--json',
    )
    assert.equal(made.code, 0, made.err)
    const list = await cli('business', 'list', '--json')
    const found = list.lines.find(({ id }) => id === made.json.id)
    assert.deepEqual([found.admins, found.suspendedAt, found.cell], [[owner.email], null, made.json.cell])
    const table = (await cli('business', 'list')).out.split('\n')
    assert.match(table[0] ?? '', /^id +name +slug +cell +admins +created +state$/)
    assert.match(table.find((line) => line.startsWith(made.json.id)) ?? '', / {2}Harbour \[31m Goods {2}/)
    assert.equal((await cli('business', 'delete', made.json.id)).code, 0)
    const closed = (await cli('business', 'list', '--json')).lines.find(({ id }) => id === made.json.id)
    assert.deepEqual([found.state, closed.state], ['ACTIVE', 'DELETING'])
    const nobody = await cli('business', 'create', '--name', 'X', '--owner', 'nobody@example.com')
    assert.deepEqual([nobody.code, /confirmed account/.test(nobody.err)], [1, true])
  })

  test('a suspended business is closed to members and guests; its readers can still leave it', async () => {
    const paper = await openNewsletter(used.make, { doubleOptIn: true })
    await paper.fill(1)
    const [{ email }] = await paper.subscribers()
    const entry = await paper.entry()
    const send = await paper.owner.post(`${entry.path}/send`, { scheduledAt: Math.floor(Date.now() / 1000) + 3_600 })
    assert.equal(send.status, 202, send.text)
    const guest = await used.make.guest()
    assert.equal((await guest.get(paper.path)).status, 200)
    await paper.subscribed(guest, { email: 'late@readers.example' })

    const done = await cli('business', 'suspend', paper.id, '--json')
    assert.equal(done.json.newslettersPaused, 1, done.err)
    await until('the API has heard of it', async () => (await guest.get(paper.path)).status === 404)
    const refused = await paper.admin.get(`${paper.path}/roles`)
    assert.deepEqual([refused.status, refused.body.message], [403, 'This business is suspended.'])
    const quote = { businessId: paper.id, market: 'us', lines: [] }
    const setRole = { businessId: paper.id, userId: paper.admin.id, roleId: null }
    const confirm = `/newsletters/confirm?token=${await paper.tokenOf('late@readers.example', 'confirm')}`
    const others = await Promise.all([
      paper.admin.get(paper.path),
      guest.post('/v1/payments/quote', quote),
      used.make.anonymous().post(confirm, {}),
      paper.owner.get(`/v1/users/search?businessId=${paper.id}`),
      paper.owner.put('/v1/users/set-role', setRole),
      used.make.anonymous().get(paper.path),
    ])
    assert.deepEqual(
      others.map(({ status }) => status),
      [404, 404, 404, 403, 403, 401],
    )
    assert.equal((await paper.unsubscribe(await paper.tokenOf(email))).status, 200)

    assert.match((await cli('business', 'suspend', paper.id, '--resume')).out, /is open$/m)
    await until('it is open', async () => (await guest.get(paper.path)).status === 200)
    const after = await paper.owner.get(`${entry.path}/sends/${send.body.id}`)
    assert.deepEqual(
      [after.body.status, after.body.problem],
      ['PAUSED', 'The operator of this service has suspended the business.'],
    )
    const { items } = (await paper.admin.get(`${paper.path}/audit`)).body
    assert.ok(items.some(({ action }: { action: string }) => action === 'business.suspended'))
  })

  test('whose account gets the money is shown and set, and belongs to one business', async () => {
    const [first, second] = [await used.make.business(), await used.make.business()]
    const payments = (...args: string[]) => cli('business', 'payments', ...args)
    assert.match((await payments(first.id)).out, /nobody: it cannot sell/)
    const set = await payments(first.id, '--account', 'acct_123', '--json')
    assert.deepEqual(set.json, { id: first.id, paymentAccount: 'acct_123', sharedAccount: false })
    const [taken, wrong, nowhere] = await Promise.all([
      payments(second.id, '--account', 'acct_123'),
      payments(second.id, '--account', 'sk_live_123'),
      payments('biz_nobody'),
    ])
    assert.deepEqual([taken.code, wrong.code, nowhere.code], [1, 2, 1])
    assert.match(taken.err, /belongs to another business/)
    assert.equal((await payments(first.id, '--account', 'none', '--json')).json.paymentAccount, null)
  })

  test('an origin is approved, and a key announced', async () => {
    const [origin, path, key] = await Promise.all([
      cli('origins', 'approve', 'https://shop.example.com', '--json'),
      cli('origins', 'approve', 'https://shop.example.com/'),
      cli('keys', 'rotate', '--json'),
    ])
    assert.deepEqual(origin.json, { origin: 'https://shop.example.com' })
    assert.deepEqual([path.code, /is not an origin/.test(path.err)], [2, true])
    assert.ok(new Date(key.json.activeFrom).getTime() > Date.now() + 10 * 60_000)
    const { keys } = (await createClient(used.api.url).get('/.well-known/jwks.json')).body
    assert.ok(keys.length > 0)
  })
})
