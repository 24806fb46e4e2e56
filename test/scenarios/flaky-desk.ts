// People who work in the dashboard over a line that loses answers, and what the service has of their work afterwards.
import assert from 'node:assert/strict'
import type { Browser, Locator, Page } from 'playwright-core'
import { seededRandom } from '../../twins/stripe/random.ts'
import { type DemoDesk, openDemoDesk } from '../support/demo-desk.ts'
import { enter } from '../support/served-dashboard.ts'
import { until } from '../support/until.ts'
import { type FlakyLine, openFlakyLine } from './flaky-line.ts'

/** How often the service has what was asked: once is right. */
type Times = () => Promise<number>
type Action = {
  kind: string
  /** Opens the place, fills in what is wanted; answers what is pressed, once. May be repeated. */
  prepare: (page: Page) => Promise<() => Promise<void>>
  /** What the screen says when it is done. */
  said: (page: Page) => Locator
  times: Times
  /** Typed words stay until they are saved: leaving would ask. */
  hasDraft?: boolean
}

export type FlakyOutcome = {
  actions: number
  doubled: string[]
  lost: string[]
  falselySaid: string[]
  refused: string[]
  /** The page never came so far that anything could be pressed. */
  unbegun: string[]
  complaints: string[]
  saidDone: number
  reloads: number
  line: FlakyLine['counts']
  kinds: Record<string, number>
}
type Options = { browser: Browser; actions: number; people: number; seed: number; note?: (text: string) => void }

const STEP_MS = 30_000
const MOST_TRIES = 8
const MOST_ROUNDS = 4
/** That a page could not be read is what this is about; pictures of the demo come from the service's own address. */
const EXPECTED = /The service cannot be reached|Loading the image/

export async function workOverFlakyLine({ browser, actions, people, seed, note = () => {} }: Options) {
  const desk = await openDemoDesk()
  const line = await openFlakyLine(desk.url, seed)
  try {
    const plan = await planActions(desk, actions)
    note(`${plan.length} actions are prepared`)
    const outcome: FlakyOutcome = {
      actions: plan.length,
      doubled: [],
      lost: [],
      falselySaid: [],
      refused: [],
      unbegun: [],
      complaints: [],
      saidDone: 0,
      reloads: 0,
      line: line.counts,
      kinds: Object.fromEntries(
        Object.entries(Object.groupBy(plan, ({ kind }) => kind)).map(([kind, some]) => [kind, some?.length ?? 0]),
      ),
    }
    const queue = [...plan]
    const givenUp: GivenUp = new Map()
    const workers = Array.from({ length: people }, async (_, index) => {
      await work({ desk, line, browser, queue, givenUp, outcome, random: seededRandom(seed + index + 1), note })
    })
    await Promise.all(workers)
    for (const { kind, times } of plan.filter((action) => !givenUp.has(action))) {
      const found = await times()
      if (found > 1) outcome.doubled.push(`${kind}, ${found} times`)
      if (found === 0) outcome.lost.push(kind)
    }
    return outcome
  } finally {
    await line.close()
    await desk.close()
  }
}

/** How often somebody has given up to begin it. */
type GivenUp = Map<Action, number>
type Work = {
  desk: DemoDesk
  line: FlakyLine
  browser: Browser
  queue: Action[]
  givenUp: GivenUp
  outcome: FlakyOutcome
  random: () => number
  note: (text: string) => void
}

/** One person, who takes one action after the other, waits for some, and reloads the page after others. */
async function work({ desk, line, browser, queue, givenUp, outcome, random, note }: Work): Promise<void> {
  const { page, context, complaints } = await enter(browser)
  await desk.signIn(context)
  page.setDefaultTimeout(STEP_MS)
  page.on('dialog', (dialog) => void dialog.accept().catch(() => {})) // leaves although something is not saved
  let isLoaded = false
  const open = async (place: string) => {
    if (isLoaded) await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(place)})`)
    else await page.goto(line.url + place, { waitUntil: 'commit' })
    isLoaded = true
  }
  for (let action = queue.shift(); action; action = queue.shift()) {
    const press = await prepare(
      action,
      page,
      open,
      () => {
        isLoaded = false
      },
      note,
    )
    if (!press) {
      // Comes back to it later, as a person would.
      const rounds = (givenUp.get(action) ?? 0) + 1
      givenUp.set(action, rounds)
      if (rounds < MOST_ROUNDS) queue.push(action)
      else outcome.unbegun.push(action.kind)
      continue
    }
    givenUp.delete(action)
    const isWaiting = random() < 0.5
    const isReloading = !isWaiting && random() < 0.5
    // A button that a lost answer has taken back was not pressed: another turn.
    const isPressed = await press().then(
      () => true,
      () => false,
    )
    if (!isPressed) {
      queue.push(action)
      isLoaded = false
      continue
    }
    if (isWaiting) {
      // However long it takes: only what is said has to be so.
      const isSaid = await action
        .said(page)
        .first()
        .waitFor({ timeout: 60_000 })
        .then(
          () => true,
          () => false,
        )
      if (isSaid) outcome.saidDone++
      if (isSaid && (await action.times()) === 0) outcome.falselySaid.push(action.kind)
      isLoaded = !action.hasDraft || isSaid
    } else {
      if (isReloading) outcome.reloads++
      // Whoever leaves has seen that it is on its way: it is in the outbox, not in the air.
      await until('it was asked, or done', async () => (await entriesIn(page)) > 0 || (await action.times()) > 0)
      isLoaded = !isReloading && !action.hasDraft
    }
    const left = queue.length
    if (left % 20 === 0) note(`${left} actions are left; ${JSON.stringify(line.counts)}`)
  }
  line.heal()
  const orders = `${line.url}/admin/harbour-goods/orders`
  await until('the page is there', () => page.goto(orders, { waitUntil: 'commit' }).catch(() => undefined), {
    withinMs: 120_000,
  })
  await until('nothing waits in the outbox', async () => (await waitingIn(page)) === 0, { withinMs: 120_000 })
  for (const refused of await refusedIn(page)) outcome.refused.push(refused)
  outcome.complaints.push(...complaints.filter((words) => !EXPECTED.test(words)))
  await context.close()
}

/** As a person does it: a page that did not come, or says that it could not be read, is loaded again. */
async function prepare(
  { kind, prepare: begin }: Action,
  page: Page,
  open: (place: string) => Promise<void>,
  reload: () => void,
  note: (text: string) => void,
): Promise<(() => Promise<void>) | undefined> {
  let why: unknown
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      Object.assign(page, { openPlace: open })
      return await begin(page)
    } catch (error) {
      why = error
      reload()
    }
  }
  note(`${kind} cannot be begun at ${page.url()}: ${String(why)}`)
  return undefined
}

const openIn = (page: Page, place: string) =>
  (page as Page & { openPlace: (place: string) => Promise<void> }).openPlace(`/admin/harbour-goods${place}`)

const ENTRIES = `new Promise((resolve) => {
  const opening = indexedDB.open('kontor-outbox', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('entries', { keyPath: 'id' })
  opening.onsuccess = () => {
    const all = opening.result.transaction('entries').objectStore('entries').getAll()
    all.onsuccess = () => { opening.result.close(); resolve(all.result) }
  }
})`
type Entry = { label: string; refused?: { message: string } }
const readOutbox = (page: Page) => page.evaluate<Entry[]>(ENTRIES)
const entriesIn = async (page: Page) => (await readOutbox(page)).length
const waitingIn = async (page: Page) => (await readOutbox(page)).filter(({ refused }) => !refused).length
const refusedIn = async (page: Page) =>
  (await readOutbox(page)).flatMap(({ label, refused }) => (refused ? [`${label}: ${refused.message}`] : []))

/** A button that can be pressed now, pressed. */
async function pressWhenReady(button: Locator) {
  await until('it can be pressed', async () => (await button.getAttribute('aria-disabled')) !== 'true', {
    withinMs: STEP_MS,
  })
  return async () => button.click()
}

/** How many are prepared at the same time. */
const AT_ONCE = 2
const KINDS = ['comment', 'tag', 'ship', 'tracking', 'refund', 'note', 'order', 'bulk tag'] as const

async function planActions(desk: DemoDesk, count: number): Promise<Action[]> {
  const { owner, business } = desk
  await desk.stockUp()
  const common = await Promise.all([byHand(desk), byHand(desk), byHand(desk)])
  const actions: Action[] = []
  while (actions.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - actions.length) }, (_, index) => actions.length + index)
    actions.push(
      ...(await Promise.all(
        some.map((at) => {
          const kind = KINDS[at % KINDS.length] ?? 'comment'
          const shared = common[at % common.length] ?? { id: '', number: '' }
          const make = { comment, tag, ship, tracking, refund, note, order: newOrder, 'bulk tag': bulkTag }[kind]
          return make({ desk, owner, business, shared, word: `${kind.replace(' ', '-')}-${at}` })
        }),
      )),
    )
  }
  return actions
}

type Order = { id: string; number: string }
type Making = { desk: DemoDesk; owner: DemoDesk['owner']; business: string; shared: Order; word: string }

/** An order with three pieces that is paid another way, so that it can be sent. */
async function byHand({ owner, business, make, businessId }: DemoDesk): Promise<Order> {
  const customer = await make.customer(businessId)
  const products = await owner.get(`${business}/products?query=watch%20mug&limit=1`)
  const [product] = products.body.items
  const line = {
    productId: product.id,
    variantId: product.variants[0].id,
    quantity: 3,
    unitPrice: 100,
    totalPrice: 300,
  }
  const body = {
    customerId: customer.id,
    market: 'us',
    lines: [line],
    subtotal: 300,
    tax: 0,
    shipping: 0,
    total: 300,
    statuses: [{ status: 'PROCESSING' }],
    paymentStatus: [{ status: 'PAID' }],
  }
  const { status, body: order, text } = await owner.post(`${business}/orders`, body)
  assert.equal(status, 201, text)
  return order as Order
}

async function comment({ owner, business, shared, word }: Making): Promise<Action> {
  return {
    kind: 'comment',
    prepare: async (page) => {
      await openIn(page, `/orders/${shared.id}`)
      await page.getByRole('textbox', { name: 'Comment' }).fill(word)
      return pressWhenReady(page.locator('form.write').getByRole('button', { name: 'Add' }))
    },
    said: (page) => page.locator('.comment').getByText(word, { exact: true }),
    times: async () => {
      const { body } = await owner.get(`${business}/orders/${shared.id}/comments?limit=100`)
      return body.items.filter(({ text }: { text: string }) => text === word).length
    },
  }
}

async function tag({ owner, business, shared, word }: Making): Promise<Action> {
  return {
    kind: 'tag',
    prepare: async (page) => {
      await openIn(page, `/orders/${shared.id}`)
      await page.getByRole('button', { name: 'Add a tag' }).click()
      await page.getByRole('textbox', { name: 'New tag' }).fill(word)
      return async () => page.getByRole('textbox', { name: 'New tag' }).press('Enter')
    },
    said: (page) => page.getByRole('button', { name: `Remove the tag ${word}`, exact: true }),
    times: async () => timesTagged(owner, business, shared.id, word),
  }
}

async function timesTagged(owner: DemoDesk['owner'], business: string, id: string, word: string) {
  const { body } = await owner.get(`${business}/orders/${id}`)
  return body.tags.filter((one: string) => one === word).length as number
}

async function ship({ desk, owner, business, word }: Making): Promise<Action> {
  const { id } = await byHand(desk)
  return {
    kind: 'ship',
    prepare: async (page) => {
      await openIn(page, `/orders/${id}?sheet=ship`)
      await page.getByLabel('Tracking number').fill(word)
      return pressWhenReady(page.getByRole('button', { name: 'Ship 3 pieces' }))
    },
    said: (page) => page.getByText('Parcel entered.'),
    times: async () => timesTracked(owner, `${business}/orders/${id}/shipments`, word),
  }
}

async function timesTracked(owner: DemoDesk['owner'], path: string, word: string) {
  const { body } = await owner.get(path)
  return body.items.filter(({ trackingNumber }: { trackingNumber: string }) => trackingNumber === word).length as number
}

async function tracking({ desk, owner, business, word }: Making): Promise<Action> {
  const { id } = await byHand(desk)
  const parcels = `${business}/orders/${id}/shipments`
  const { body: parcel, status, text } = await owner.post(parcels, { trackingNumber: 'before', notify: false })
  assert.equal(status, 201, text)
  return {
    kind: 'tracking',
    prepare: async (page) => {
      await openIn(page, `/orders/${id}?sheet=ship&shipment=${parcel.id}`)
      await page.getByLabel('Tracking number').fill(word)
      return pressWhenReady(page.getByRole('button', { name: 'Save the parcel' }))
    },
    said: (page) => page.getByText(/^Shipment \d+ updated$/),
    times: async () => timesTracked(owner, parcels, word),
    hasDraft: true,
  }
}

async function refund({ desk, owner, business, word }: Making): Promise<Action> {
  const { id } = await desk.buy(`${word}@example.com`)
  return {
    kind: 'refund',
    prepare: async (page) => {
      await openIn(page, `/orders/${id}?sheet=refund`)
      const box = page.getByRole('checkbox', { name: /Watch Mug/ })
      if (!(await box.isChecked())) await box.check()
      return pressWhenReady(page.getByRole('button', { name: 'Ask to refund $ 21.24' }))
    },
    said: (page) => page.getByText('Kontor asks the payment provider until it answers'),
    times: async () => {
      const { body } = await owner.get(`${business}/orders/${id}/refunds`)
      assert.ok(body.items.every(({ amount }: { amount: number }) => amount === 2_124))
      return body.items.length
    },
  }
}

async function note({ desk, owner, business, word }: Making): Promise<Action> {
  const { id } = await byHand(desk)
  return {
    kind: 'note',
    prepare: async (page) => {
      await openIn(page, `/orders/${id}`)
      const field = page.getByLabel('Note of the customer')
      const change = page.getByRole('button', { name: 'Change addresses and note' })
      await field.or(change).first().waitFor()
      if ((await field.count()) === 0) await change.click()
      await field.fill(word)
      return pressWhenReady(page.getByRole('button', { name: /^Save 1/ }))
    },
    said: (page) => page.getByText('Changes saved', { exact: true }),
    times: async () => {
      const { body } = await owner.get(`${business}/orders/${id}`)
      return body.customerNote === word ? 1 : 0
    },
    hasDraft: true,
  }
}

async function newOrder({ desk, owner, business, word }: Making): Promise<Action> {
  const customer = await desk.make.customer(desk.businessId)
  return {
    kind: 'order',
    prepare: async (page) => {
      await openIn(page, '/orders/new')
      await page.getByRole('heading', { name: 'New order' }).waitFor()
      const again = page.getByRole('button', { name: 'Start over' })
      if ((await again.count()) > 0) await again.click()
      await page.getByRole('combobox', { name: 'Customer' }).fill(customer.id)
      await page.getByRole('option').first().click()
      await page.getByRole('combobox', { name: 'Find goods' }).fill('lantern')
      await page.locator('.found [role=option]').first().click()
      await page.getByLabel('Note of the customer').fill(word)
      return pressWhenReady(page.getByRole('button', { name: 'Create the order' }))
    },
    said: (page) => page.getByText(/^Order \S+ created$/),
    times: async () => {
      const { body } = await owner.get(`${business}/orders?customerId=${customer.id}`)
      for (const { customerNote } of body.items) assert.equal(customerNote, word)
      return body.items.length
    },
  }
}

async function bulkTag({ desk, owner, business, word }: Making): Promise<Action> {
  const picked = [await byHand(desk), await byHand(desk)]
  const mark = `pick-${word}`
  for (const { id } of picked) await owner.put(`${business}/orders/update`, { id, tags: [mark] })
  return {
    kind: 'bulk tag',
    prepare: async (page) => {
      await openIn(page, `/orders?tag=${mark}`)
      for (const { number } of picked) {
        const box = page.getByLabel(`Select ${number}`)
        await box.waitFor()
        if (!(await box.isChecked())) await box.click()
      }
      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Tag').fill(word)
      return pressWhenReady(page.getByRole('dialog').getByRole('button', { name: 'Add' }))
    },
    said: (page) => page.getByText(`2 tagged “${word}”.`),
    times: async () => {
      const found = await Promise.all(picked.map(({ id }) => timesTagged(owner, business, id, word)))
      return Math.min(...found)
    },
  }
}
