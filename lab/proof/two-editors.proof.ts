import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import type { Order, UpdateOrderBody } from '../../packages/sdk/src/index.ts'
import { launchBrowser } from '../../test/support/browser.ts'
import { dashboardSdk, dashboardSource } from '../../test/support/dashboard-source.ts'
import { type DemoDesk, openDemoDesk } from '../../test/support/demo-desk.ts'
import { enter } from '../../test/support/served-dashboard.ts'
import { seededRandom } from '../../twins/stripe/random.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Is anything lost without a word when two people change the same order?'

type Contact = Record<string, string>
type Conflict = { field: string; theirs: string; mine: string }
type Merged = { value: Contact; conflicts: Conflict[] }
type Saving = {
  orderId: string
  base: Contact
  mine: Contact
  etag: string
  write: (changes: UpdateOrderBody, ifMatch: string) => Promise<unknown>
  read: () => Promise<Order>
  decide: (merged: Merged) => Promise<Contact | undefined>
}
const { saveContact } = (await dashboardSource('orders/order/save-contact.ts')) as {
  saveContact: (saving: Saving) => Promise<unknown>
}
const { toContact } = (await dashboardSource('orders/order/contact.ts')) as { toContact: (order: Order) => Contact }
const { changeWords } = (await dashboardSource('outbox/change-words.ts')) as {
  changeWords: (entry: object, words: object, read: () => Promise<unknown>, write: Write) => Promise<unknown>
}
type Write = (body: object, ifMatch: string) => Promise<unknown>

const SEED = 20_262
const ADDRESS = ['name', 'company', 'street', 'street2', 'zip', 'city'] as const
const TEXTS = [...ADDRESS.flatMap((field) => [`shipping.${field}`, `billing.${field}`]), 'phone', 'note']
const isBilling = (field: string) => field.startsWith('billing.')

type Dice = ReturnType<typeof createDice>
function createDice(seed: number) {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    below,
    pick: <Item>(list: readonly Item[]) => list[below(list.length)] as Item,
    chance: (p: number) => random() < p,
  }
}

/** What somebody makes of it: one to three fields, sometimes the same value as the other, sometimes emptied. */
function edit(base: Contact, dice: Dice, word: string): Contact {
  const mine = { ...base }
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const field = dice.pick(TEXTS)
    const isNeeded = /name|street$|zip|city/.test(field)
    mine[field] = dice.chance(0.1) ? 'the same' : dice.chance(0.1) && !isNeeded ? '' : `${field} ${word}`
    if (isBilling(field) && mine['billing.same'] === 'yes')
      Object.assign(mine, billingAddress(word), { [field]: mine[field] })
  }
  if (dice.chance(0.1)) {
    const isSame = mine['billing.same'] === 'yes'
    Object.assign(mine, isSame ? billingAddress(word) : { 'billing.same': 'yes' })
  }
  return mine
}

const billingAddress = (word: string): Contact => ({
  'billing.same': '',
  ...Object.fromEntries(ADDRESS.map((field) => [`billing.${field}`, `billing ${field} ${word}`])),
  'billing.country': 'DE',
})

type Editor = {
  base: Contact
  mine: Contact
  shown: Map<string, Conflict>
  decided: Contact | undefined
  isSaved: boolean
}

const changedBy = ({ base, mine }: Editor) =>
  Object.keys(mine).filter((field) => !isHidden(mine, field) && mine[field] !== base[field])
/** Where the invoice goes to the same address, nobody sees what stood in the other one. */
const isHidden = (contact: Contact, field: string) =>
  contact['billing.same'] === 'yes' && isBilling(field) && field !== 'billing.same'

/** Every change of either is in the record, or was shown to one of them as a conflict, or is still with who was told that it is not saved. */
function lossesOf(now: Contact, first: Editor, second: Editor): string[] {
  const wasShown = (field: string) =>
    [first, second].some(({ shown }) => shown.has(field) || (isBilling(field) && shown.has('billing.same')))
  return [first, second].flatMap((editor) =>
    changedBy(editor)
      .filter((field) => editor.isSaved && now[field] !== editor.mine[field] && !wasShown(field))
      .map((field) => `${field}: ${JSON.stringify(editor.mine[field])} became ${JSON.stringify(now[field])}`),
  )
}

/** What a person decided is what is there, unless the other saved after it. */
const isAsDecided = (now: Contact, { decided, shown }: Editor) =>
  decided === undefined || [...shown.keys()].every((field) => now[field] === decided[field])

export async function run({ quick, note }: Run) {
  const pairs = quick ? 100 : 1_000
  const inWindows = quick ? 4 : 20
  const [desk, browser] = await Promise.all([openDemoDesk(), launchBrowser()])
  try {
    await desk.stockUp()
    const over = await overHttp(desk, pairs, note)
    note(JSON.stringify({ ...over, lost: over.lost.length }))
    const seen = await inBrowsers(desk, browser, inWindows, note)
    for (const words of [...over.lost, ...seen.lost]) note(words)
    return {
      figures: [
        { name: 'pairs of edits', value: pairs, unit: '' },
        { name: 'merged without a question', value: over.merged, unit: '' },
        { name: 'put side by side', value: over.asked, unit: '', goal: '> 0', ok: over.asked > 0 },
        none('questions about what only one of them had changed', over.needless),
        none('changes lost without a word', over.lost.length),
        none('decisions that did not count', over.undone.length),
        none('tags of two people lost', over.tags.length),
        { name: 'pairs in two windows', value: inWindows, unit: '' },
        { name: 'of these put side by side', value: seen.asked, unit: '' },
        none('of these lost without a word', seen.lost.length),
      ],
    }
  } finally {
    await browser.close()
    await desk.close()
  }
}

async function overHttp(desk: DemoDesk, pairs: number, note: (text: string) => void) {
  const { owner, business, businessId, url } = desk
  const kontor = dashboardSdk.createKontor({ baseUrl: url, apiKey: owner.value, retries: 0 })
  const { id } = await desk.buy('editors@example.com')
  const path = { businessId, id }
  const dice = createDice(SEED)
  const found = { lost: [] as string[], undone: [] as string[], tags: [] as string[], merged: 0, asked: 0, needless: 0 }
  const read = () => kontor.operations.getOrder({ path })

  const save = async (editor: Editor, etag: string) => {
    const answer = await saveContact({
      orderId: id,
      base: editor.base,
      mine: editor.mine,
      etag,
      read,
      write: (body, ifMatch) => kontor.operations.updateOrder({ path: { businessId }, body }, { ifMatch }),
      decide: async ({ value, conflicts }) => {
        found.asked++
        if (dice.chance(0.1)) return undefined // goes back to what was typed
        const decided = { ...value }
        for (const conflict of conflicts) {
          editor.shown.set(conflict.field, conflict)
          if (dice.chance(0.5)) decided[conflict.field] = conflict.theirs
        }
        editor.decided = decided
        return decided
      },
    })
    editor.isSaved = answer !== undefined
  }

  for (let pair = 0; pair < pairs; pair++) {
    const order = await read()
    const base = toContact(order)
    const etag = dashboardSdk.etagOf(order)
    const begin = (word: string): Editor => ({
      base,
      mine: edit(base, dice, word),
      shown: new Map(),
      decided: undefined,
      isSaved: false,
    })
    const [ada, bo] = [begin(`a${pair}`), begin(`b${pair}`)]
    const isRace = dice.chance(0.3)
    if (isRace) await Promise.all([save(ada, etag), save(bo, etag)])
    else {
      await save(ada, etag)
      await save(bo, etag)
    }
    const now = toContact(await read())
    const lost = lossesOf(now, ada, bo)
    found.lost.push(...lost.map((words) => `pair ${pair}: ${words}`))
    for (const editor of [ada, bo]) if (editor.isSaved && !isAsDecided(now, editor)) found.undone.push(`pair ${pair}`)
    if (ada.shown.size + bo.shown.size === 0) found.merged++
    const both = changedBy(ada).filter((field) => changedBy(bo).includes(field))
    const isWhole = [ada, bo].some(({ mine }) => mine['billing.same'] !== base['billing.same'])
    const needed = (field: string) => both.includes(field) || (field === 'billing.same' && isWhole)
    for (const { shown } of [ada, bo]) for (const field of shown.keys()) if (!needed(field)) found.needless++
    if (pair % 200 === 199) note(`${pair + 1} pairs, ${found.asked} questions, ${found.lost.length} lost`)
    if (pair % 10 === 0) found.tags.push(...(await tagTogether(pair)))
  }
  return found

  /** Both at once, each with a word of their own. */
  async function tagTogether(pair: number): Promise<string[]> {
    const words = ['a', 'b'].map((who) => `${who}${pair}`)
    const entry = { operation: 'updateOrder', businessId, input: { body: { id } } }
    const write: Write = (body, ifMatch) =>
      kontor.operations.updateOrder({ path: { businessId }, body: body as UpdateOrderBody }, { ifMatch })
    const before = (await owner.get(`${business}/orders/${id}`)).body.tags as string[]
    await Promise.all(
      words.map((word) => changeWords(entry, { field: 'tags', add: [word], remove: before }, read, write)),
    )
    const { tags } = await read()
    return words.filter((word) => !tags?.includes(word))
  }
}

const LABELS: Record<string, string> = {
  'shipping.name': 'Name',
  'shipping.street': 'Street and number',
  'shipping.city': 'Town',
  phone: 'Telephone',
  note: 'Note of the customer',
}

/** The same in two windows of two people: what they see, and what they press. */
async function inBrowsers(desk: DemoDesk, browser: Browser, pairs: number, note: (text: string) => void) {
  const dice = createDice(SEED + 1)
  const people = [await enter(browser), await enter(browser)]
  for (const { context } of people) {
    context.setDefaultTimeout(90_000)
    await desk.signIn(context)
  }
  const pages = people.map(({ page }) => page) as [Page, Page]
  const found = { lost: [] as string[], asked: 0 }
  for (let pair = 0; pair < pairs; pair++) {
    const { id } = await desk.buy(`pair${pair}@example.com`)
    const fields = Object.keys(LABELS)
    const changes = ['a', 'b'].map((who) => {
      const first = dice.pick(fields)
      const second = dice.pick(fields)
      return { [first]: `${who} one ${pair}`, [second]: `${who} two ${pair}` }
    }) as [Contact, Contact]
    await Promise.all(pages.map((page, index) => typeInto(page, desk.at(`/orders/${id}`), changes[index] ?? {})))
    await saveIn(pages[0])
    const { shown, theirs } = await saveIn(pages[1], dice)
    found.asked += shown.length > 0 ? 1 : 0
    const now = toContact((await desk.owner.get(`${desk.business}/orders/${id}`)).body)
    for (const [index, wanted] of changes.entries())
      for (const [field, value] of Object.entries(wanted)) {
        const isShown = shown.some((name) => name.includes(LABELS[field] ?? field))
        const isWanted = index === 0 ? theirs : !theirs
        if (now[field] !== value && !isShown)
          found.lost.push(`window ${index}, ${field}: ${value} became ${now[field]}`)
        if (isShown && changes.every((one) => field in one) && isWanted && now[field] !== value)
          found.lost.push(`window ${index}, ${field}: chosen, and is ${now[field]}`)
      }
    if (pair % 5 === 4) note(`${pair + 1} pairs in two windows`)
  }
  for (const { complaints, context } of people) {
    assert.deepEqual(complaints, [])
    await context.close()
  }
  return found
}

async function typeInto(page: Page, address: string, changes: Contact) {
  await page.goto(address)
  await page.getByRole('button', { name: 'Change addresses and note' }).click()
  const section = page.getByRole('region', { name: 'Addresses and note' })
  for (const [field, value] of Object.entries(changes))
    await section
      .getByLabel(LABELS[field] ?? field)
      .first()
      .fill(value)
}

/** Presses Save; where it asks, chooses one side for all. Answers the names of what was put side by side. */
async function saveIn(page: Page, dice?: Dice): Promise<{ shown: string[]; theirs: boolean }> {
  await page.keyboard.press('Control+s')
  const saved = page.getByText('Changes saved', { exact: true })
  const sheet = page.getByRole('heading', { name: 'Somebody was faster' })
  await saved.or(sheet).first().waitFor()
  if ((await sheet.count()) === 0) return { shown: [], theirs: false }
  const shown = await page.locator('.sides legend').allTextContents()
  const theirs = dice?.chance(0.5) ?? false
  if (theirs) for (const choice of await page.locator('.sides .choice:nth-of-type(2) input').all()) await choice.check()
  await page.getByRole('button', { name: 'Save these' }).click()
  await saved.first().waitFor()
  return { shown, theirs }
}
