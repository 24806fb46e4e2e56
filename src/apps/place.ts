import { readCells } from '#platform/cells/cells.ts'
import type { Databases } from '#platform/database/database.ts'
import { BootError } from './boot.ts'

const WHY = {
  DRAINING: 'is being emptied',
  OFF: 'is off',
} as const

/** Refuses a cell that an operator has named, and that takes no businesses. A closed one takes those that are put there. */
export async function checkPin({ control, cells }: Databases, name: string): Promise<void> {
  const row = (await readCells(control)).find(({ id }) => id === name)
  if (!row) throw new BootError(`Cell ${name} not found. Run cli cells list to see all cells.`)
  if (row.state === 'DRAINING' || row.state === 'OFF')
    throw new BootError(
      `The cell ${name} ${WHY[row.state]}: nothing is put there. To change that: cli cells open ${name}`,
    )
  if (!cells.has(name)) throw new BootError(`Neither CELLS nor control says where the cell ${name} is.`)
}
