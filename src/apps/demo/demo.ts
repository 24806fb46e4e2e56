import { createBusiness, findBusinessBySlug, findPeople } from '#modules/access/index.ts'
import { addPeople, findConfirmedByEmail } from '#modules/accounts/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb, Databases, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from '../boot.ts'
import { MARKETS } from './markets.ts'
import { AGE_DAYS, DAY_MS, inThePast } from './past.ts'

export const DEMO_OWNER = 'demo@example.com'
const NAME = 'Harbour Goods'

export type Demo = {
  control: ControlDb
  cell: Db
  business: Business
  owner: Actor
  publicUrl: string
  /** When the business was made. All that happens is counted from there, so that a second run goes on where the first ended. */
  startMs: number
  endMs: number
}

export type DemoOptions = { databases: Databases; publicUrl: string; ownerEmail?: string | undefined; slug: string }

export const actorOf = (userId: string, email: string): Actor => ({
  kind: 'user',
  userId,
  email,
  sessionId: undefined,
  onlyBusinessId: undefined,
})

/** The demo business with its owner: found, or made. */
export async function openDemo(options: DemoOptions): Promise<Demo & { isNew: boolean }> {
  const { databases, publicUrl, slug } = options
  const { control, cells } = databases
  const owner = await openOwner(control, options.ownerEmail)
  const known = await findBusinessBySlug(control, slug)
  if (known) await checkIsDemo(control, known, owner)
  const business = known ?? (await makeBusiness(control, [...cells.keys()], owner, slug))
  const cell = cells.get(business.cell)
  if (!cell) throw new BootError(`The demo lives in the cell "${business.cell}", which CELLS does not name.`)
  const startMs = business.createdAt.getTime()
  return { control, cell, business, owner, publicUrl, startMs, endMs: startMs + AGE_DAYS * DAY_MS, isNew: !known }
}

/** Nobody can log in to the account that is made here: it has no password. */
async function openOwner(control: ControlDb, email: string | undefined): Promise<Actor> {
  const known = await findConfirmedByEmail(control, email ?? DEMO_OWNER)
  if (known) return actorOf(known.id, known.email ?? '')
  if (email !== undefined)
    throw new BootError(
      `Nobody has a confirmed account with the address ${email}. Make one first, or leave --owner out.`,
    )
  const made = await transaction(control, (tx) =>
    addPeople(tx, [{ email: DEMO_OWNER, name: 'Marit Hagen', addresses: [] }]),
  )
  return actorOf(made.ids.get(DEMO_OWNER) ?? '', DEMO_OWNER)
}

/** Nobody's own business is to be filled with what the demo makes up. */
async function checkIsDemo(control: ControlDb, { id, name, slug }: Business, { userId }: Actor): Promise<void> {
  if (name !== NAME)
    throw new BootError(`The slug ${slug} belongs to ${name}, which is not the demo. Choose another with --slug.`)
  const people = await findPeople(control, id, [userId])
  if (!people.has(userId))
    throw new BootError(`The demo ${slug} belongs to somebody else: name them with --owner, or choose another --slug.`)
}

// No address of its own: nothing that happens to it is mailed to anybody.
const makeBusiness = (control: ControlDb, cells: string[], owner: Actor, slug: string): Promise<Business> =>
  inThePast(nowMs() - AGE_DAYS * DAY_MS, () =>
    transaction(control, (tx) =>
      createBusiness(
        tx,
        { ownerId: owner.userId, actor: undefined, cells },
        { name: NAME, slug, defaultLocale: 'en', locales: ['en', 'de'], markets: MARKETS },
      ),
    ),
  )
