// What a business owns, from its making to its end, with every way to use it: while it is there, when it is gone, and from
// another business.
import { tokenOf } from '#modules/newsletter/subscriptions/token.ts'
import type { Answer } from '../support/client.ts'
import { PUBLISHED, TITLE } from '../support/content.ts'
import type { Make } from '../support/make.ts'
import type { SeededBusiness } from '../support/seed-business.ts'

export type Step = readonly [what: string, act: () => Promise<Answer>]
export type Life = {
  /** Works while it is there. */
  uses: Step[]
  end: () => Promise<Answer>
  /** Refused once it has ended; some of `uses` as a rule. */
  refused: Step[]
  /** A list in which it stands while it is there, and not any more afterwards. */
  listed?: { path: string; id: string }
  /** What somebody at home in another business tries with it. All of it is refused. */
  tries: (other: SeededBusiness) => Step[]
}
type Begin = (home: SeededBusiness, make: Make, mark: string) => Promise<Life>

function made(answer: Answer): { id: string } & Record<string, unknown> {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body as { id: string } & Record<string, unknown>
}

/** The record's address in the other business, and its own address with the other's token. */
const elsewhere = ({ path }: SeededBusiness, other: SeededBusiness, at: string, change: object): Step[] => [
  [`GET ${at} in the other business`, () => other.admin.get(`${other.path}${at}`)],
  [`PUT ${at} in the other business`, () => other.admin.put(`${other.path}${at}`, change)],
  [`DELETE ${at} in the other business`, () => other.admin.delete(`${other.path}${at}`)],
  [`PUT ${at} as the other`, () => other.admin.put(`${path}${at}`, change)],
  [`DELETE ${at} as the other`, () => other.admin.delete(`${path}${at}`)],
]

const line = (productId: string) => ({ productId, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 })
const item = (productId: string) => ({ productId, variantId: 'one', quantity: 1 })
const titled = (value: string) => ({ id: 'title', type: 'TEXT', value })
const linked = (value: string) => [titled('Linked'), { id: 'link', type: 'RELATIONSHIP', value }]
const collectionOf = ({ records }: SeededBusiness) => records.collections?.[0] ?? ''

const orderWith = ({ admin, path, bodies }: SeededBusiness, productId: string) =>
  admin.post(`${path}/orders`, { ...bodies.createOrder, lines: [line(productId)] })
const quoteWith = ({ admin, id }: SeededBusiness, body: object) =>
  admin.post('/v1/payments/quote', { businessId: id, market: 'us', ...body })
const checkoutOf = ({ admin, path }: SeededBusiness, productId: string) =>
  admin.post(`${path}/orders/checkout`, { market: 'us', items: [item(productId)] })
const entryLinking = (home: SeededBusiness, productId: string) =>
  home.admin.post(`${home.path}/entries`, { collectionId: collectionOf(home), blocks: linked(productId) })

const product: Begin = async (home, _make, mark) => {
  const { admin, path, bodies } = home
  const { id } = made(await admin.post(`${path}/products`, { ...bodies.createProduct, name: `${home.canary} ${mark}` }))
  const at = `/products/${id}`
  const change = { category: mark }
  const uses = (from: SeededBusiness): Step[] => [
    ['order', () => orderWith(from, id)],
    ['quote', () => quoteWith(from, { items: [item(id)] })],
    ['checkout', () => checkoutOf(from, id)],
    ['link', () => entryLinking(from, id)],
  ]
  const own: Step[] = [
    ['get', () => admin.get(path + at)],
    ['put', () => admin.put(path + at, change)],
    ['stock', () => admin.post(`${path}${at}/variants/one/stock`, { delta: 1 })],
    ...uses(home),
  ]
  return {
    uses: [...own, ['movements', () => admin.get(`${path}${at}/variants/one/stock`)]], // can be read for ever
    end: () => admin.delete(path + at),
    refused: [...own, ['delete again', () => admin.delete(path + at)]],
    listed: { path: `${path}/products`, id },
    tries: (other) => [
      ...elsewhere(home, other, at, change),
      ...uses(other),
      ['stock', () => other.admin.post(`${other.path}${at}/variants/one/stock`, { delta: 1 })],
      ['movements', () => other.admin.get(`${other.path}${at}/variants/one/stock`)],
    ],
  }
}

const promo: Begin = async (home, _make, mark) => {
  const { admin, path, records } = home
  const code = `P${mark}`
  const { id } = made(await admin.post(`${path}/promo-codes`, { code, type: 'PERCENT', value: 500 }))
  const at = `/promo-codes/${id}`
  const items = [item(records.products?.[0] ?? '')]
  const own: Step[] = [
    ['get', () => admin.get(path + at)],
    ['put', () => admin.put(path + at, { value: 600 })],
    ['quote', () => quoteWith(home, { items, promoCode: code })],
  ]
  return {
    uses: own,
    end: () => admin.delete(path + at),
    refused: own,
    listed: { path: `${path}/promo-codes`, id },
    tries: (other) => [
      ...elsewhere(home, other, at, { value: 1 }),
      ['quote', () => quoteWith(other, { items: [item(other.records.products?.[0] ?? '')], promoCode: code })],
    ],
  }
}

const role: Begin = async (home, _make, mark) => {
  const { admin, path, customer } = home
  const { id } = made(await admin.post(`${path}/roles`, { name: `${home.canary} ${mark}`, permissions: [] }))
  const at = `/roles/${id}`
  const invite = (from: SeededBusiness) => () =>
    from.admin.post(`${from.path}/invitations`, { email: `${mark}@example.com`, roleId: id })
  const give = (from: SeededBusiness) => () =>
    from.admin.put('/v1/users/set-role', { businessId: from.id, userId: customer.id, roleId: id })
  const own: Step[] = [
    ['get', () => admin.get(path + at)],
    ['put', () => admin.put(path + at, { permissions: ['CONTENT_WRITE'] })],
  ]
  return {
    uses: own,
    end: () => admin.delete(path + at),
    refused: [...own, ['invite', invite(home)], ['give', give(home)]],
    listed: { path: `${path}/roles`, id },
    tries: (other) => [
      ...elsewhere(home, other, at, { permissions: ['ADMIN'] }),
      ['invite', invite(other)],
      ['give', give(other)],
    ],
  }
}

const invitation: Begin = async (home, _make, mark) => {
  const { admin, path, records } = home
  const body = { email: `${mark}@example.com`, roleId: records.roles?.at(-1) }
  const { id } = made(await admin.post(`${path}/invitations`, body))
  const at = `/invitations/${id}`
  return {
    uses: [],
    end: () => admin.delete(path + at),
    refused: [['revoke again', () => admin.delete(path + at)]],
    listed: { path: `${path}/invitations`, id },
    tries: (other) => [
      ['revoke in the other business', () => other.admin.delete(other.path + at)],
      ['revoke as the other', () => other.admin.delete(path + at)],
      ['invite with its role', () => other.admin.post(`${other.path}/invitations`, body)],
    ],
  }
}

const collection: Begin = async (home, _make, mark) => {
  const { admin, path, canary } = home
  const body = { name: `${canary} ${mark}`, blocks: [TITLE], statuses: PUBLISHED }
  const { id } = made(await admin.post(`${path}/collections`, body))
  const at = `/collections/${id}`
  const write = (from: SeededBusiness, place: object) => () =>
    from.admin.post(`${from.path}/entries`, { ...place, blocks: [titled(mark)] })
  const own: Step[] = [
    ['get', () => admin.get(path + at)],
    ['put', () => admin.put(path + at, { description: canary })],
    ['stale entries', () => admin.get(`${path}${at}/stale-entries`)],
  ]
  return {
    uses: own,
    end: () => admin.delete(path + at),
    refused: [
      ...own,
      ['write', write(home, { collectionId: id })],
      ['write by owner', write(home, { owner: `collection:${id}` })],
      ['subscribe', () => admin.post(`${path}${at}/subscribe`, { email: `${mark}@example.com` })],
    ],
    listed: { path: `${path}/collections`, id },
    tries: (other) => [
      ...elsewhere(home, other, at, { description: mark }),
      ['write', write(other, { collectionId: id })],
      ['write by owner', write(other, { owner: `collection:${id}` })],
      ['subscribe', () => other.admin.post(`${other.path}${at}/subscribe`, { email: `${mark}@example.com` })],
      ['subscribers', () => other.admin.get(`${other.path}${at}/subscribers`)],
      ['stale entries', () => other.admin.get(`${other.path}${at}/stale-entries`)],
    ],
  }
}

const entry: Begin = async (home, _make, mark) => {
  const { admin, path, canary } = home
  const place = { collectionId: collectionOf(home), blocks: [titled(`${canary} ${mark}`)], statuses: PUBLISHED }
  const { id } = made(await admin.post(`${path}/entries`, place))
  const at = `/entries/${id}`
  const own = (from: SeededBusiness): Step[] => [
    ['get', () => from.admin.get(`${from.path}${at}?include=relations`)],
    ['put', () => from.admin.put(from.path + at, { blocks: [titled(mark)] })],
    ['versions', () => from.admin.get(`${from.path}${at}/versions`)],
    ['version', () => from.admin.get(`${from.path}${at}/versions/1`)],
    ['restore', () => from.admin.post(`${from.path}${at}/versions/1/restore`, undefined)],
  ]
  return {
    uses: own(home),
    end: () => admin.delete(path + at),
    refused: [...own(home), ['send', () => admin.post(`${path}${at}/send`, {})]],
    listed: { path: `${path}/entries?collectionId=${collectionOf(home)}`, id },
    tries: (other) => [
      ...elsewhere(home, other, at, { blocks: [titled('x')] }),
      ...own(other),
      ['send', () => other.admin.post(`${other.path}${at}/send`, {})],
      ['preview', () => other.admin.get(`${other.path}${at}/preview`)],
      [
        'move here',
        () =>
          other.admin.put(`${other.path}/entries/${other.records.entries?.[0]}`, { collectionId: collectionOf(home) }),
      ],
    ],
  }
}

const order: Begin = async (home, _make, mark) => {
  const { admin, path, bodies } = home
  const { id } = made(await admin.post(`${path}/orders`, bodies.createOrder))
  const at = `/orders/${id}`
  const ship: Step = ['ship', () => admin.put(`${path}${at}/status`, { status: 'SHIPPED' })]
  const note = (from: SeededBusiness) => () =>
    from.admin.post(`${from.path}/entries`, { owner: `order:${id}`, blocks: [titled(mark)] })
  return {
    uses: [
      ['get', () => admin.get(path + at)],
      ['update', () => admin.put(`${path}/orders/update`, { id, contactEmail: null })],
    ],
    end: () => admin.put(`${path}${at}/status`, { status: 'CANCELLED' }),
    refused: [ship, ['refund', () => admin.post(`${path}${at}/refunds`, { amount: 1 })]],
    tries: (other) => [
      ['get', () => other.admin.get(other.path + at)],
      ['get as the other', () => other.admin.get(path + at)],
      ['update', () => other.admin.put(`${other.path}/orders/update`, { id, contactEmail: null })],
      ['update as the other', () => other.admin.put(`${path}/orders/update`, { id, contactEmail: null })],
      ['status', () => other.admin.put(`${other.path}${at}/status`, { status: 'SHIPPED' })],
      ['payment status', () => other.admin.put(`${other.path}${at}/payment-status`, { status: 'PAID' })],
      ['refund', () => other.admin.post(`${other.path}${at}/refunds`, { amount: 1 })],
      ['explain', () => other.admin.get(`${other.path}${at}/explain`)],
      ['note', note(other)],
    ],
  }
}

const subscription: Begin = async (home, make, mark) => {
  const { admin, path, newsletter } = home
  const email = `${mark}@readers.example`
  const { id } = made(await admin.post(`${path}/collections/${newsletter.id}/subscribe`, { email, name: home.canary }))
  const token = tokenOf(make.box, { businessId: home.id, id }, 'leave')
  return {
    uses: [['list', () => admin.get(`${path}/collections/${newsletter.id}/subscribers?email=${email}`)]],
    end: () => make.anonymous().post(`${path}/collections/unsubscribe`, { token }),
    refused: [],
    listed: { path: `${path}/collections/${newsletter.id}/subscribers?status=ACTIVE`, id },
    tries: (other) => [
      ['leave elsewhere', () => make.anonymous().post(`${other.path}/collections/unsubscribe`, { token })],
      [
        'leave with the business changed',
        () =>
          make.anonymous().post(`${other.path}/collections/unsubscribe`, { token: token.replace(home.id, other.id) }),
      ],
      ['subscribers', () => other.admin.get(`${path}/collections/${newsletter.id}/subscribers`)],
      ['export', () => other.admin.get(`${other.path}/collections/${newsletter.id}/subscribers/export`)],
    ],
  }
}

const send: Begin = async (home, _make, mark) => {
  const { admin, path, newsletter } = home
  const blocks = [titled(`${home.canary} ${mark}`), { id: 'body', type: 'TEXT', value: mark }]
  const letter = made(await admin.post(`${path}/entries`, { collectionId: newsletter.id, blocks }))
  const { id } = made(await admin.post(`${path}/entries/${letter.id}/send`, { scheduledAt: 4_000_000_000 }))
  const at = `/entries/${letter.id}/sends/${id}`
  const moves = (from: SeededBusiness, entryAt = at): Step[] => [
    ['pause', () => from.admin.post(`${from.path}${entryAt}/pause`, undefined)],
    ['resume', () => from.admin.post(`${from.path}${entryAt}/resume`, undefined)],
  ]
  const get: Step = ['get', () => admin.get(path + at)]
  return {
    uses: [get],
    end: () => admin.post(`${path}${at}/cancel`, undefined),
    refused: moves(home),
    tries: (other) => [
      ...moves(other),
      ...moves(other, `/entries/${other.newsletter.letterId}/sends/${id}`),
      ['get', () => other.admin.get(other.path + at)],
      ['get as the other', () => other.admin.get(path + at)],
      ['cancel', () => other.admin.post(`${other.path}${at}/cancel`, undefined)],
    ],
  }
}

const apiKey: Begin = async (_home, make, mark) => {
  const user = await make.user()
  const body = made(await user.put('/v1/users/update', { apiTokens: [{ id: mark, name: mark }] }))
  const [{ value }] = body.apiTokens as [{ value: string }]
  const anybody = make.anonymous()
  const key = { 'x-api-key': value }
  const use: Step = ['me', () => anybody.get('/v1/users/me', key)]
  return {
    uses: [use],
    end: () => user.put('/v1/users/update', { apiTokens: [] }),
    refused: [use],
    tries: (other) => [
      ['orders', () => anybody.post(`${other.path}/orders`, {}, key)],
      ['roles', () => anybody.get(`${other.path}/roles`, key)],
    ],
  }
}

const session: Begin = async (_home, make) => {
  const user = await make.user()
  const use: Step = ['me', () => user.get('/v1/users/me')]
  return {
    uses: [use, ['sessions', () => user.get('/v1/users/sessions')]],
    end: () => user.post('/v1/users/logout', {}),
    refused: [use, ['sessions', () => user.get('/v1/users/sessions')]],
    tries: (other) => [
      ['end', () => other.admin.delete(`/v1/users/sessions?id=${user.sessionId}`)],
      ['roles', () => user.get(`${other.path}/roles`)],
    ],
  }
}

export const LIVES: Record<string, Begin> = {
  product,
  promo,
  role,
  invitation,
  collection,
  entry,
  order,
  subscription,
  send,
  apiKey,
  session,
}
