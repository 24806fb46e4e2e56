import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { asRead } from '../../support/as-read.ts'
import { createClient } from '../../support/client.ts'
import { linkIn } from '../../support/mail-server.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['mail', 'sms'], worker: 'accounts' })
let people: People
before(async () => {
  people = createPeople(used.api)
})

type Reader = Pick<ReturnType<typeof createClient>, 'get'>

async function open() {
  const shop = await openShop(used.make)
  const gift = await shop.priced(0)
  const place = async (caller: Parameters<typeof shop.checkout>[0]) => {
    const { body, text } = await shop.checkout(caller, { items: [item(gift)] })
    assert.ok(body.orderId, text)
    return body.orderId as string
  }
  const seenBy = async (caller: Reader, query = '') => {
    const { status, body, text } = await caller.get(`${shop.orders}${query}`)
    assert.equal(status, 200, text)
    return body.items.map(({ id }: { id: string }) => id) as string[]
  }
  return { ...shop, place, seenBy }
}
const as = (accessToken: string) => createClient(used.api.url, { authorization: `Bearer ${accessToken}` })
const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })

test('guests and customers see their own orders, and nobody else’s', async () => {
  const { place, seenBy, orders, admin } = await open()
  const [guest, other, user] = [await used.make.guest(), await used.make.guest(), await used.make.user()]
  const [one, two, three] = [await place(guest), await place(user), await place(guest)]

  assert.deepEqual(await seenBy(guest), [three, one])
  assert.deepEqual(await seenBy(user), [two])
  assert.deepEqual(await seenBy(other), [])
  assert.deepEqual(await seenBy(admin), [three, two, one])
  assert.deepEqual((await guest.get(`${orders}/${one}`)).body, asRead((await admin.get(`${orders}/${one}`)).body))
  for (const [caller, id] of [
    [guest, two],
    [other, one],
    [user, one],
  ] as const) {
    assert.equal(refusal(await caller.get(`${orders}/${id}`)), '404 NOT_FOUND')
  }
})

test('a filter shows no more than what is one’s own', async () => {
  const { place, seenBy } = await open()
  const [guest, other] = [await used.make.guest(), await used.make.guest()]
  const own = await place(guest)
  await place(other)
  assert.deepEqual(await seenBy(guest, `?customerId=${guest.id}`), [own])
  assert.deepEqual(await seenBy(guest, `?customerId=${other.id}`), [])
  assert.deepEqual(await seenBy(guest, '?status=PROCESSING'), [own])
  assert.deepEqual(await seenBy(guest, '?status=SHIPPED'), [])
})

test('one’s own orders of one business are not shown in another', async () => {
  const [here, there] = [await open(), await open()]
  const guest = await used.make.guest()
  const [one, two] = [await here.place(guest), await there.place(guest)]
  assert.deepEqual([await here.seenBy(guest), await there.seenBy(guest)], [[one], [two]])
  assert.equal(refusal(await guest.get(`${here.orders}/${two}`)), '404 NOT_FOUND')
})

test('customers can read their orders, and do nothing to them', async () => {
  const { place, orders } = await open()
  const guest = await used.make.guest()
  const id = await place(guest)
  const answers = [
    await guest.put(`${orders}/${id}/status`, { status: 'CANCELLED' }),
    await guest.put(`${orders}/${id}/payment-status`, { status: 'PAID' }),
    await guest.put(`${orders}/update`, { id, blocks: [] }),
    await guest.post(orders, {}),
    await guest.get(`${orders}/${id}/explain`),
    await guest.post(`${orders}/${id}/refunds`, {}),
  ]
  for (const answer of answers) assert.equal(refusal(answer), '403 FORBIDDEN')
})

test('a guest with two orders who logs in still sees both, and whatever comes after', async () => {
  const { place, seenBy, orders, admin } = await open()
  const guest = await used.make.guest()
  const { id: userId, email } = await people.person()
  const before = await place(as((await people.session(email)).accessToken))
  const [one, two] = [await place(guest), await place(guest)]
  const { status, body, text } = await people.login(email, PASSWORD, used.api.url, bearer(guest))
  assert.equal(status, 200, text)
  const user = as(body.accessToken)
  const three = await place(user)

  assert.deepEqual(await seenBy(user), [three, two, one, before])
  for (const id of [before, one, two, three]) assert.equal((await user.get(`${orders}/${id}`)).status, 200)
  assert.equal((await user.get(`${orders}/${one}`)).body.customerId, guest.id, 'no rows are rewritten')
  assert.deepEqual(await seenBy(user, `?customerId=${userId}`), [three, two, one, before])
  assert.deepEqual(await seenBy(user, `?customerId=${guest.id}`), [two, one])
  assert.deepEqual(await seenBy(admin, `?customerId=${userId}`), [three, two, one, before])
  assert.deepEqual(await seenBy(admin, `?customerId=${userId}&status=PROCESSING`), [three, two, one, before])
  assert.deepEqual(await seenBy(admin, `?customerId=${guest.id}`), [two, one])
  assert.equal((await guest.get(orders)).status, 401)
})

test('a guest with two orders who registers still sees both', async () => {
  const { place, seenBy } = await open()
  const guest = await used.make.guest()
  const [one, two] = [await place(guest), await place(guest)]
  const email = `registered-${process.pid}@example.com`
  const registering = { provider: 'EMAIL_REGISTER', email, password: PASSWORD }
  assert.equal((await guest.post('/v1/users/register', registering)).status, 200)
  const token = linkIn(await used.mailServer.mailTo(email), '/confirm').searchParams.get('token')
  assert.equal((await used.make.anonymous().put('/v1/users/confirm', { token })).status, 200)
  const user = await people.session(email)
  assert.deepEqual(await seenBy(user), [two, one])
})

test('several guests of one person are paged as one list', async () => {
  const { place, orders, admin } = await open()
  const { id: userId, email } = await people.person()
  const guests = [await used.make.guest(), await used.make.guest(), await used.make.guest()]
  const made: string[] = []
  for (let n = 0; n < 9; n++) made.unshift(await place(guests[n % 3] ?? (await used.make.guest())))
  let accessToken = ''
  for (const guest of guests) {
    accessToken = (await people.login(email, PASSWORD, used.api.url, bearer(guest))).body.accessToken
  }
  for (const [caller, filter] of [
    [as(accessToken), ''],
    [admin, `&customerId=${userId}`],
  ] as const) {
    for (const limit of [1, 2, 4, 9]) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body, text } = await caller.get(`${orders}?limit=${limit}${filter}&cursor=${cursor}`)
        assert.equal(status, 200, text)
        seen.push(...body.items.map(({ id }: { id: string }) => id))
        cursor = body.cursor
      }
      assert.deepEqual(seen, made)
    }
  }
})

test('who becomes one more person between two pages can go on reading', async () => {
  const { place, orders } = await open()
  const { email } = await people.person()
  const guest = await used.make.guest()
  const user = as((await people.session(email)).accessToken)
  const made = [await place(user), await place(user), await place(guest), await place(user)].toReversed()
  const { body } = await user.get(`${orders}?limit=1`)
  await people.login(email, PASSWORD, used.api.url, bearer(guest))
  const next = await user.get(`${orders}?cursor=${body.cursor}`)
  assert.equal(next.status, 200, next.text)
  assert.deepEqual(
    next.body.items.map(({ id }: { id: string }) => id),
    made.slice(1),
  )
})
