import { findBusiness, type Marks, readMarks } from '#modules/access/index.ts'
import type { Cell, ControlDb, Databases } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from './boot.ts'

type Homes = Pick<Databases, 'control' | 'cells'>

/** A business named on the command line, and its cell. */
export async function findHome(databases: Homes, businessId: string): Promise<{ business: Business; cell: Cell }> {
  const [business, cell] = await find(databases, businessId, findBusiness)
  return { business, cell }
}

/** Like `findHome`, for a business whose settings may be damaged. */
export async function findMarked(databases: Homes, businessId: string): Promise<{ marks: Marks; cell: Cell }> {
  const [marks, cell] = await find(databases, businessId, readMarks)
  return { marks, cell }
}

async function find<Found extends { cell: string }>(
  { control, cells }: Homes,
  businessId: string,
  read: (db: ControlDb, id: string) => Promise<Found | undefined>,
): Promise<[Found, Cell]> {
  const found = await read(control, businessId)
  if (!found) throw new BootError(`Business ${businessId} not found.`)
  const cell = cells.get(found.cell)
  if (!cell)
    throw new BootError(
      `${businessId} lives in the cell "${found.cell}", which is off or not known here: cli cells list`,
    )
  return [found, cell]
}
