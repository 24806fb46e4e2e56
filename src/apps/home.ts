import { findBusiness } from '#modules/access/index.ts'
import type { Cell, Databases } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from './boot.ts'

/** A business named on the command line, and its cell. */
export async function findHome(
  { control, cells }: Pick<Databases, 'control' | 'cells'>,
  businessId: string,
): Promise<{ business: Business; cell: Cell }> {
  const business = await findBusiness(control, businessId)
  if (!business) throw new BootError(`There is no business ${businessId}.`)
  const cell = cells.get(business.cell)
  if (!cell)
    throw new BootError(
      `${businessId} lives in the cell "${business.cell}", which is off or not known here: cli cells list`,
    )
  return { business, cell }
}
