import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { addAuthenticator, type Credential } from '../../../test/support/virtual-authenticator.ts'
import { signIn } from './desk.ts'
import { journey } from './journey.ts'
import type { Person } from './person.ts'
import type { Service } from './service.ts'

const REST = { isRest: true }
const PLACE = '/orders?paymentStatus=PAID'

const lands = ({ page, sees }: Person) =>
  sees('the list', page.getByRole('heading', { name: 'Orders', level: 1 }), page.locator('tbody tr[data-index]'))

async function check(_shop: unknown, _about: unknown, page: Page): Promise<void> {
  const { pathname, search } = new URL(page.url())
  assert.match(pathname + search, /^\/admin\/[\w-]+\/orders\?paymentStatus=PAID$/)
}

/** The session has ended, and the browser is opened where it was, on a machine on which one comes in with a passkey. */
export const createPasskeySignIn = (service: Service) => {
  let kept: Credential[] | undefined
  let device: Awaited<ReturnType<typeof addAuthenticator>>
  const button = (page: Page) => page.getByRole('button', { name: 'Continue with a passkey' })
  return journey({
    number: 1,
    name: 'sign in with a passkey, land where I left',
    bars: { seconds: 5, actions: 2 },
    runs: 5,
    isDoor: true,
    prepare: async () => {},
    async open(page) {
      // The service refuses a device whose count of uses does not grow.
      const signCount = Math.floor(Date.now() / 1_000)
      device = await addAuthenticator(
        page,
        kept?.map((credential) => ({ ...credential, signCount })),
      )
      await page.addInitScript(`localStorage.setItem('kontor:last-way', 'passkey')`) // as it was the day before
      if (kept) return
      await device.touch(
        () => makePasskey(page, service),
        () => page.getByText('not used yet').waitFor(),
      )
      await page.context().clearCookies()
      kept = await device.credentials()
    },
    place: PLACE,
    isReady: (page) => button(page).waitFor(),
    async byMouse(person) {
      await person.sees('the door', button(person.page))
      await device.touch(
        () => person.click(button(person.page)),
        () => lands(person),
      )
      person.outside(1, REST) // the finger
    },
    async byKeyboard(person) {
      await person.sees('the door', button(person.page))
      await device.touch(
        () => person.press('Enter'),
        () => lands(person),
      )
      person.outside(1, REST)
    },
    check,
  })
}

/** By the screens, once. */
async function makePasskey(page: Page, service: Service): Promise<void> {
  await signIn(page.context(), service)
  await page.goto(`${service.url}/admin/profile/security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Make the passkey' }).click()
}

/** The same with a password. */
export const createPasswordSignIn = ({ email, password }: Service) =>
  journey({
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
    check,
  })
