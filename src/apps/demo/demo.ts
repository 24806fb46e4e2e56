import { DAY_MS } from '#demo/time.ts'
import { createBusiness, findBusinessBySlug, findPeople } from '#modules/access/index.ts'
import { addPeople, findConfirmedByEmail } from '#modules/accounts/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Cell, ControlDb, Databases } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from '../boot.ts'
import { MARKETS } from './markets.ts'
import { AGE_DAYS, inThePast } from './past.ts'

export const DEMO_OWNER = 'demo@example.com'
const NAME = 'Harbour Goods'

export type Demo = {
  control: ControlDb
  cell: Cell
  business: Business
  owner: Actor
  publicUrl: string
  /** When the business was created. All times are relative to it, so that a second run continues the first. */
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

/** Finds or creates the demo business and its owner. */
export async function openDemo(options: DemoOptions): Promise<Demo & { isNew: boolean }> {
  const { databases, publicUrl, slug } = options
  const { control, cells } = databases
  const owner = await openOwner(control, options.ownerEmail)
  const known = await findBusinessBySlug(control, slug)
  if (known) await checkIsDemo(control, known, owner)
  const business = known ?? (await makeBusiness(control, [...cells.keys()], owner, slug))
  const cell = cells.get(business.cell)
  if (!cell)
    throw new BootError(`The demo lives in the cell "${business.cell}", which is off or not known here: cli cells list`)
  const startMs = business.createdAt.getTime()
  return { control, cell, business, owner, publicUrl, startMs, endMs: startMs + AGE_DAYS * DAY_MS, isNew: !known }
}

/** The account has no password, so nobody can log in to it. */
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

/** Refuses to fill a real business with demo data. */
async function checkIsDemo(control: ControlDb, { id, name, slug }: Business, { userId }: Actor): Promise<void> {
  if (name !== NAME)
    throw new BootError(`The slug ${slug} belongs to ${name}, which is not the demo. Choose another with --slug.`)
  const people = await findPeople(control, id, [userId])
  if (!people.has(userId))
    throw new BootError(`The demo ${slug} belongs to somebody else: name them with --owner, or choose another --slug.`)
}

const makeBusiness = (control: ControlDb, cells: string[], owner: Actor, slug: string): Promise<Business> =>
  inThePast(nowMs() - AGE_DAYS * DAY_MS, () =>
    transaction(control, (tx) =>
      createBusiness(
        tx,
        { ownerId: owner.userId, ownerEmail: owner.email ?? null, actor: undefined, cells },
        {
          name: NAME,
          slug,
          defaultLocale: 'en',
          locales: ['en', 'de'],
          markets: MARKETS,
          storefront: { isPublic: true },
        },
      ),
    ),
  )
