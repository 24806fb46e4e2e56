import assert from 'node:assert/strict'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

const TITLE = { id: 'title', type: 'TEXT', label: 'Title', required: true }
const INTRO = { id: 'intro', type: 'TEXT', label: 'Introduction' }
const TEASER = { id: 'teaser', type: 'TEXT', label: 'Teaser', required: true }

const MINE = 'What I saw at the quay.'
const THEIRS = 'What happened at the quay.'

type Case = { id: string; place: string; addField: () => Promise<unknown>; saveTheirs: () => Promise<unknown> }

let count = 0

/** Somebody else adds a required field and, faster than us, saves the entry with it. */
async function prepare(shop: Shop): Promise<Case> {
  count += 1
  const collection = await shop.write('POST', '/collections', {
    name: `Log no. ${count}`,
    blocks: [TITLE, INTRO],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const { id } = await shop.write('POST', '/entries', {
    collectionId: collection.id,
    statuses: [{ status: 'PUBLISHED' }],
    blocks: [{ id: 'title', type: 'TEXT', value: 'Log of today' }],
  })
  return {
    id,
    place: `/content/${collection.id}/${id}`,
    addField: () => shop.write('PUT', `/collections/${collection.id}`, { blocks: [TITLE, INTRO, TEASER] }),
    saveTheirs: () =>
      shop.write('PUT', `/entries/${id}`, {
        blocks: [
          { id: 'title', type: 'TEXT', value: 'Log of today, with care' },
          { id: 'teaser', type: 'TEXT', value: THEIRS },
        ],
      }),
  }
}

const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true })
const asked = ({ page }: Person) => page.getByText('The collection asks for more now: Teaser.')
const sheet = ({ page }: Person) => page.getByRole('dialog').getByText('Somebody was faster')
const saved = ({ page }: Person) => page.getByText('Changes saved', { exact: true })

/** Only what the other one costs us is counted, so what we write ourselves is written before. */
async function begin(person: Person, { addField }: Case): Promise<void> {
  await field(person, 'Introduction').fill('Written by me.')
  await addField()
  await person.sees('that the collection asks for more', asked(person), field(person, 'Teaser'))
}

export const twoEditors = journey<Case>({
  number: 11,
  name: 'two editors, one entry, a new required field in between: both finish',
  bars: { seconds: 30 },
  runs: 5,
  prepare,
  place: ({ place }) => place,
  isReady: (page) => page.getByRole('textbox', { name: 'Introduction', exact: true }).waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await begin(person, about)
    await person.click(field(person, 'Teaser'))
    await person.type(MINE, { isRest: true })
    await about.saveTheirs()
    await person.click(page.getByRole('button', { name: /^Save/ }))
    await person.sees('theirs beside mine', sheet(person))
    await person.click(page.getByLabel(/^Theirs/))
    await person.click(page.getByRole('button', { name: 'Save these' }))
    await person.sees('that it is saved', saved(person))
  },
  async byKeyboard(person, about) {
    await begin(person, about)
    await person.press('Tab')
    await person.sees('the new field', field(person, 'Teaser').and(person.page.locator(':focus')))
    await person.type(MINE, { isRest: true })
    await about.saveTheirs()
    await person.press('Control+s')
    await person.sees('theirs beside mine', sheet(person))
    await person.press('ArrowDown')
    await person.press('Enter', { isRest: true })
    await person.sees('that it is saved', saved(person))
  },
  /** What either wrote alone is there, and what both wrote is what was chosen. */
  async check(shop, { id }) {
    const { blocks } = await shop.read(`/entries/${id}`)
    const values = Object.fromEntries(blocks.map((block: { id: string; value: unknown }) => [block.id, block.value]))
    assert.deepEqual(values, { title: 'Log of today, with care', intro: 'Written by me.', teaser: THEIRS })
  },
})
