import assert from 'node:assert/strict'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

type Case = { id: string; title: string }

let count = 0

/** The newest letter of the newsletter is a draft. */
async function prepare(shop: Shop): Promise<Case> {
  count += 1
  const title = `Letter of the day, no. ${count}`
  const { items } = await shop.read('/collections?slug=harbour-letter')
  const { id } = await shop.write('POST', '/entries', {
    collectionId: items[0].id,
    locale: 'en',
    blocks: [
      { id: 'title', type: 'TEXT', value: title },
      {
        id: 'body',
        type: 'TEXT',
        value: '<p>Dear {{ subscriber.name | default: "friend" }}, the lamps are lit.</p>',
      },
    ],
  })
  return { id, title }
}

const shown = ({ page }: Person) => page.frameLocator('iframe.mail-frame').getByText('Dear Ada, the lamps are lit.')
const onPhone = ({ page }: Person) => page.locator('.shown.phone')
const fine = ({ page }: Person) => page.getByText('Nothing is wrong with it.')
const tested = ({ page }: Person) => page.getByText(/Test email sent to/)
const field = ({ page }: Person) => page.getByLabel('Date and time')
const planned = ({ page }: Person) => page.getByText(/^starts at/)

export const letter = journey<Case>({
  number: 9,
  name: 'letter: from a draft through preview, test mail and schedule',
  bars: { seconds: 60, actions: 10 },
  runs: 5,
  prepare,
  place: '/letters',
  isReady: (page) => page.getByRole('table', { name: 'Letters' }).waitFor(),
  async byMouse(person, { title }) {
    const { page } = person
    await person.click(page.getByRole('link', { name: title, exact: true }))
    await person.sees('what readers get', shown(person), fine(person))
    await person.click(page.getByRole('link', { name: 'Phone' }))
    await person.sees('it as on a phone', onPhone(person))
    await person.click(page.getByRole('button', { name: 'Test to me' }))
    await person.sees('that a test is on its way', tested(person))
    await person.click(page.getByText('Later', { exact: true }))
    await person.sees('when', field(person))
    await person.click(page.getByRole('button', { name: /^Plan it for/ }))
    await person.sees('that it is planned', planned(person))
  },
  async byKeyboard(person) {
    await person.press('j')
    await person.press('e', { isRest: true })
    await person.sees('what readers get', shown(person), fine(person))
    await person.press('2')
    await person.sees('it as on a phone', onPhone(person))
    await person.press('t')
    await person.sees('that a test is on its way', tested(person))
    await person.press('s')
    await person.sees('when', field(person).and(person.page.locator(':focus')))
    await person.press('Enter')
    await person.sees('that it is planned', planned(person))
  },
  async check(shop, { id }) {
    const { items } = await shop.read(`/entries/${id}/sends`)
    assert.deepEqual(
      items.map(({ status }: { status: string }) => status),
      ['SCHEDULED'],
    )
    assert.ok(items[0].scheduledAt > Date.now() / 1_000)
  },
})
