import { type TSchema, Type } from 'typebox'
import { type Flaw, findFlaw } from '#platform/portable/flaw.ts'
import type { ArchivedRow } from '#platform/portable/tables.ts'
import { isRefusal } from '#vocabulary/errors.ts'
import { Email, Id, Nullable } from '#vocabulary/schemas.ts'
import { NewRole, StoredBusiness } from './schemas.ts'
import { checkSettings, checkSize } from './settings.ts'

const version = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })

const Business = Type.Object({ ...StoredBusiness.properties, id: Id, version })
const Role = Type.Object({ ...NewRole.properties, id: Id, version })
const Invitation = Type.Object({
  id: Id,
  email: Nullable(Email),
  userId: Nullable(Id),
  roleId: Id,
  invitedBy: Id,
})
const Membership = Type.Object({ userId: Id, roleId: Id })
const Customer = Type.Object({ userId: Id })

const toFields = (row: ArchivedRow) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase()),
      value,
    ]),
  )

const checkBy = (shape: TSchema) => (row: ArchivedRow) => findFlaw(shape, toFields(row))

/** Every request of the business reads it, and so does each list of the businesses of its members. */
export function checkArchivedBusiness(row: ArchivedRow): Flaw | undefined {
  const business = toFields(row)
  const flaw = findFlaw(Business, business)
  if (flaw) return flaw
  try {
    checkSettings(business)
    checkSize(business)
    return undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { field: error.details[0]?.field ?? '', says: error.details[0]?.message ?? error.message }
  }
}

export const checkArchivedRole = checkBy(Role)
export const checkArchivedInvitation = checkBy(Invitation)
export const checkArchivedMembership = checkBy(Membership)
export const checkArchivedCustomer = checkBy(Customer)
