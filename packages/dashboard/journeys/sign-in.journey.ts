import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { journey } from './journey.ts'
import type { Person } from './person.ts'

const REST = { isRest: true }
const PLACE = '/orders?paymentStatus=PAID'

/** The session has ended, and the browser is opened where it was. */
export const createSignIn = ({ email, password }: { email: string; password: string }) => {
  const lands = ({ page, sees }: Person) =>
    sees('the list', page.getByRole('heading', { name: 'Orders', level: 1 }), page.locator('tbody tr[data-index]'))
  return journey({
    number: 1,
    name: 'sign in with a password, land where I left',
    bars: { seconds: 15 },
    runs: 5,
    isDoor: true,
    prepare: async () => {},
    place: PLACE,
    isReady: (page: Page) => page.getByRole('button', { name: 'Sign in' }).waitFor(),
    async byMouse(person) {
      const { page } = person
      await person.sees('the door', page.getByLabel('Email'))
      await person.type(email)
      await person.click(page.getByLabel('Password'), REST)
      await person.type(password, REST)
      await person.click(page.getByRole('button', { name: 'Sign in' }))
      await lands(person)
    },
    async byKeyboard(person) {
      await person.sees('the door', person.page.getByLabel('Email'))
      await person.type(email)
      await person.press('Tab', REST)
      await person.type(password, REST)
      await person.press('Enter', REST)
      await lands(person)
    },
    check: async (_shop, _about, page) => {
      const { pathname, search } = new URL(page.url())
      assert.match(pathname + search, /^\/admin\/[\w-]+\/orders\?paymentStatus=PAID$/)
    },
  })
}
