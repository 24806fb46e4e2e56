import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Shop } from './shop.ts'

const LINES = 1_000
const SHOWN = LINES.toLocaleString('en')
const WRONG = [120, 480, 900]

type Case = { prefix: string; file: { name: string; mimeType: string; buffer: Buffer }; writes: string[] }

let batch = 0

/** A thousand lines, one without a name, one with a price that is none, one with a stock that is none. */
async function prepare(): Promise<Case> {
  batch += 1
  const prefix = `crate-${batch}`
  const rows = Array.from({ length: LINES }, (_, index) => {
    const number = index + 1
    const name = number === WRONG[0] ? '' : `Crate ${batch}.${number}`
    const price = number === WRONG[1] ? 'ask us' : '2400'
    const quantity = number === WRONG[2] ? 'many' : '5'
    return `${prefix}-${number},${name},ACTIVE,C-${batch}-${number},${quantity},${price}`
  })
  const text = ['slug,name,status,sku,quantity,price:us', ...rows].join('\n')
  return { prefix, file: { name: `${prefix}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text) }, writes: [] }
}

/** The file is found and opened in the dialog of the browser. */
async function gives(person: Person, { file, writes }: Case, ask: () => Promise<void>): Promise<void> {
  const { page } = person
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  const opened = page.waitForEvent('filechooser')
  await page.evaluate('0') // the browser has heard that the dialog is ours
  await ask()
  person.outside(1)
  await (await opened).setFiles(file)
}

const chosen = ({ page, sees }: Person) => sees('the file', page.getByText('Recognised by its columns'))
const report = ({ page, sees }: Person) =>
  sees('what is wrong', page.getByRole('heading', { name: '3 lines are wrong' }), page.locator('.wrong input:focus'))
const left = ({ page, sees }: Person, words: string) =>
  sees(words, page.getByRole('heading', { name: words }), page.locator('.wrong input:focus'))
const allRight = ({ page, sees }: Person) => sees('that all is right', page.getByText(`${SHOWN} products will be made`))
const applied = ({ page, sees }: Person) => sees('that it is imported', page.getByText(`${SHOWN} products were made`))

/** Only the file and corrections of its lines were sent so far, and no product is there. */
async function assertUnwritten({ page }: Person, { writes }: Case): Promise<void> {
  assert.ok((await page.getByText('Dry run, nothing is written yet').count()) > 0)
  const others = writes.filter((write) => !/\/products\/imports(\/imp_\w+\/lines\/\d+)?$|\/admin\/session$/.test(write))
  assert.deepEqual(others, [], 'nothing but the file and its corrections was sent')
}

export const importFile = journey<Case>({
  number: 6,
  name: 'import 1,000 lines, 3 of them wrong: dry run, correct in place, apply',
  bars: { seconds: 90, actions: 10 },
  runs: 3,
  prepare,
  place: '/products/imports',
  isReady: (page: Page) => page.getByText('Drop a file here').waitFor(),
  async byMouse(person, about) {
    const { page } = person
    await gives(person, about, () => person.click(page.getByRole('button', { name: 'Choose a file' })))
    await chosen(person)
    await person.click(page.getByRole('button', { name: 'Try it: dry run' }))
    await report(person)
    const again = page.getByRole('button', { name: 'Look again' }).first()
    await person.type(`Crate by hand ${about.prefix}`)
    await person.click(again, { isRest: true })
    await left(person, '2 lines are wrong')
    await person.type('24.50')
    await person.click(again, { isRest: true })
    await left(person, '1 line is wrong')
    await person.type('7')
    await person.click(again, { isRest: true })
    await allRight(person)
    await assertUnwritten(person, about)
    await person.click(page.getByRole('button', { name: /^Apply/ }))
    await applied(person)
  },
  async byKeyboard(person, about) {
    await gives(person, about, () => person.press('n'))
    await chosen(person)
    await person.press('Enter')
    await report(person)
    await person.type(`Crate by hand ${about.prefix}`)
    await person.press('Enter', { isRest: true })
    await left(person, '2 lines are wrong')
    await person.type('24.50')
    await person.press('Enter', { isRest: true })
    await left(person, '1 line is wrong')
    await person.type('7')
    await person.press('Enter', { isRest: true })
    await allRight(person)
    await assertUnwritten(person, about)
    await person.press('Control+Enter')
    await applied(person)
  },
  async check(shop: Shop, { prefix }) {
    const one = async (number: number | undefined) => (await shop.read(`/products?slug=${prefix}-${number}`)).items[0]
    const [named, priced, stocked] = await Promise.all(WRONG.map(one))
    assert.equal(named.name, `Crate by hand ${prefix}`)
    assert.equal(priced.variants[0].pricing.markets[0].price, 2_450)
    assert.equal(stocked.variants[0].inventory.quantity, 7)
    assert.ok(await one(LINES))
  },
})
