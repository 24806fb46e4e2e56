import { findBusiness } from '#modules/access/index.ts'
import type { Databases, Db } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from './boot.ts'

/** A business that a command names, and the cell that it lives in. */
export async function findHome(
  { control, cells }: Databases,
  businessId: string,
): Promise<{ business: Business; cell: Db }> {
  const business = await findBusiness(control, businessId)
  if (!business) throw new BootError(`There is no business ${businessId}.`)
  const cell = cells.get(business.cell)
  if (!cell) throw new BootError(`${businessId} lives in the cell "${business.cell}", which CELLS does not name.`)
  return { business, cell }
}
