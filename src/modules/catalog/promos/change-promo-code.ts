import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { promoCreated, promoDeleted, promoUpdated } from '../events.ts'
import { codeExists, promoCodeNotFound } from './errors.ts'
import { codeProblem, foldCode, mergePromo, type Promo } from './promo-code.ts'
import type { NewPromoCode, PromoCodeChanges } from './schemas.ts'

type Editor = { business: Pick<Business, 'id' | 'markets'>; actor: Actor }

export async function createPromo(tx: Tx, { business, actor }: Editor, sent: NewPromoCode): Promise<Promo> {
  const promo = mergePromo(undefined, sent, { business, at: now() })
  try {
    await tx.insertInto('catalog.promoCodes').values(promo).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'promo_codes_code_key' ? codeExists({ code: promo.code }) : error
  }
  await record(tx, promoCreated({ businessId: business.id, subject: promo.id, actor }))
  return promo
}

export async function updatePromo(
  tx: Tx,
  { business, actor }: Editor,
  id: string,
  expected: Expected,
  sent: PromoCodeChanges,
): Promise<Promo> {
  const before = await lockPromo(tx, business.id, id)
  checkVersion(expected, before)
  const after = mergePromo(before, sent, { business, at: now() })
  try {
    await tx
      .updateTable('catalog.promoCodes')
      .set(after)
      .where((promo) => promo.and({ businessId: business.id, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'promo_codes_code_key' ? codeExists({ code: after.code }) : error
  }
  const data = { fields: Object.keys(sent) }
  await record(tx, promoUpdated({ businessId: business.id, subject: id, actor, data }))
  return after
}

/** Soft delete. The code becomes free; orders that used it keep their discount. */
export async function deletePromo(tx: Tx, { business, actor }: Editor, id: string, expected: Expected): Promise<void> {
  const promo = await lockPromo(tx, business.id, id)
  checkVersion(expected, promo)
  await tx
    .updateTable('catalog.promoCodes')
    .set({ deletedAt: now(), updatedAt: now(), version: promo.version + 1 })
    .where((row) => row.and({ businessId: business.id, id }))
    .execute()
  await record(tx, promoDeleted({ businessId: business.id, subject: id, actor }))
}

/** Includes the number of redemptions, because the response shows it. */
export const etagOfPromo = ({ version, redemptions }: Pick<Promo, 'version' | 'redemptions'>) =>
  etagOf(`${version}.${redemptions}`)

/** Optimistic locking on the part before the dot: redemptions in the meantime do not make an edit stale. */
const checkVersion = (expected: Expected, { version }: Promo) =>
  checkExpected(
    expected?.map((tag) => tag.replace(/\.\d+"$/, '"')),
    etagOf(version),
  )

/** Locks the promo code: it is neither redeemed nor changed until the transaction ends. */
async function lockPromo(tx: Tx, businessId: string, id: string): Promise<Promo> {
  const row = await livePromos(tx, businessId).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw promoCodeNotFound()
  return toPromo(row)
}

export async function getPromo(db: Db, businessId: string, id: string): Promise<Promo> {
  const row = await livePromos(db, businessId).selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw promoCodeNotFound()
  return toPromo(row)
}

/** Finds by code, whatever its case and spacing. */
export async function findPromo(db: Db, businessId: string, code: string): Promise<Promo | undefined> {
  const folded = foldCode(code)
  if (codeProblem(folded)) return undefined
  const row = await livePromos(db, businessId).selectAll().where('code', '=', folded).executeTakeFirst()
  return row && toPromo(row)
}

export const livePromos = (db: Db, businessId: string) =>
  db.selectFrom('catalog.promoCodes').where('businessId', '=', businessId).where('deletedAt', 'is', null)

export const toPromo = <Row extends { type: string }>(row: Row) => ({ ...row, type: row.type as Promo['type'] })
