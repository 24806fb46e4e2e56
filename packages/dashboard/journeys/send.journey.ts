import assert from 'node:assert/strict'
import { until } from '../../../test/support/until.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

const READERS = 50
const ONE = 'io9@sea.example'

type Case = { path: string; place: string; id: string; goOn: () => Promise<unknown> }

let newsletter: Promise<string> | undefined
let count = 0

/** Fifty readers: to one the mail server says no, of another it never says anything. */
async function makeNewsletter(shop: Shop): Promise<string> {
  const { id } = await shop.write('POST', '/collections', {
    name: 'Sea News',
    type: 'NEWSLETTER',
    blocks: [{ id: 'title', type: 'TEXT', required: true }],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const emails = Array.from({ length: READERS - 2 }, (_, index) => `io${index + 1}@sea.example`)
  for (const email of [...emails, 'refused.1@sea.example', 'silent.1@sea.example'])
    await shop.write('POST', `/collections/${id}/subscribe`, { email })
  return id
}

/** It stands still while the page is opened; `goOn` is when the journey begins. */
async function prepare(shop: Shop): Promise<Case> {
  newsletter ??= makeNewsletter(shop)
  count += 1
  const { id: entry } = await shop.write('POST', '/entries', {
    collectionId: await newsletter,
    blocks: [{ id: 'title', type: 'TEXT', value: `Sea news no. ${count}` }],
  })
  const { id } = await shop.write('POST', `/entries/${entry}/send`, {})
  const path = `/entries/${entry}/sends/${id}`
  await until('it has begun', async () => (await shop.read(path)).total === READERS, { everyMs: 50 })
  await shop.write('POST', `${path}/pause`, {})
  return { path, id, place: `/letters/${entry}/sends/${id}`, goOn: () => shop.write('POST', `${path}/resume`, {}) }
}

/** In every frame that is drawn: the parts, the total, the bar. */
const WATCH = `(() => {
  window.frames_ = { count: 0, odd: [] }
  const look = () => {
    const line = document.querySelector('.sum-line')
    if (line) {
      const sum = [...line.querySelectorAll('[data-count]')].reduce((all, one) => all + Number(one.dataset.count), 0)
      const bar = [...document.querySelectorAll('.balance span')].reduce((all, one) => all + Number(one.style.flexGrow), 0)
      const total = Number(line.dataset.total)
      window.frames_.count++
      if (sum !== total || (total > 0 && bar !== total)) window.frames_.odd.push([sum, total, bar])
    }
    requestAnimationFrame(look)
  }
  look()
})()`

const state = ({ page }: Person, name: string) => page.locator('.facts-line').getByText(name, { exact: true })
const one = ({ page }: Person) => page.getByRole('row', { name: new RegExp(ONE) })
const ended = ({ page }: Person) => page.locator('.facts-line').getByText(/^ended at/)
const rest = ({ page }: Person) => page.getByText('the first send')

async function begin(person: Person, { goOn }: Case): Promise<void> {
  await person.page.evaluate(WATCH)
  await goOn()
  await state(person, 'Sending').waitFor()
}

export const sendLetter = journey<Case>({
  number: 10,
  name: 'a send is running: pause, look what became of one reader, resume; then send to failed and uncertain',
  bars: { seconds: 25, actions: 8 },
  runs: 3,
  prepare,
  place: ({ place }) => place,
  isReady: (page) => page.locator('.sum-line').waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await begin(person, about)
    await person.click(page.getByRole('button', { name: 'Pause' }))
    await person.sees('that it is paused', state(person, 'Paused'))
    await person.click(page.getByLabel('Find a reader'))
    await person.type(ONE, { isRest: true })
    await person.sees('what became of one reader', one(person))
    await person.click(page.getByRole('button', { name: 'Resume' }))
    await person.sees('that it is over', ended(person))
    await person.click(page.getByRole('checkbox', { name: 'Uncertain: 1' }))
    await person.click(page.getByRole('button', { name: 'Send to the rest: 2' }), { isRest: true })
    await person.sees('that it goes to the rest', rest(person))
  },
  async byKeyboard(person, about) {
    await begin(person, about)
    await person.press('p')
    await person.sees('that it is paused', state(person, 'Paused'))
    await person.press('/')
    await person.type(ONE, { isRest: true })
    await person.sees('what became of one reader', one(person))
    await person.press('Tab')
    await person.press('p', { isRest: true })
    await person.sees('that it is over', ended(person))
    await person.press('r')
    await person.press('Space', { isRest: true })
    await person.press('Enter', { isRest: true })
    await person.sees('that it goes to the rest', rest(person))
  },
  /** Everybody once: the first send has 50 in its parts, the second only those two. */
  async check(shop, { path, id }, page) {
    const { count: frames, odd } = (await page.evaluate('window.frames_')) as { count: number; odd: number[][] }
    assert.ok(frames > 0)
    assert.deepEqual(odd, [], 'the parts were the whole in every frame')
    const first = await shop.read(path)
    assert.deepEqual([first.status, first.sent, first.failed, first.uncertain], ['DONE', READERS - 2, 1, 1])
    const { items } = await shop.read(path.replace(/\/snd_\w+$/, ''))
    assert.equal(items[0].remainderOf, id)
    await until('the rest was tried', async () => (await shop.read(path.replace(id, items[0].id))).status === 'DONE')
    assert.equal((await shop.read(path.replace(id, items[0].id))).total, 2)
  },
})
