import type { Static } from 'typebox'
import { setCell } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { cellInUse, cellNotFound, cellOnTheWay, mainStaysOn } from './errors.ts'
import { listCells, type OverviewContext } from './overview.ts'
import type { CellBody, OperatorCell } from './schemas.ts'

/** What a cell takes. Every process follows within some seconds. */
export async function changeCell(
  context: OverviewContext,
  id: string,
  { placement, weight, force = false }: Static<typeof CellBody>,
  actor: Actor,
): Promise<Static<typeof OperatorCell>> {
  const changes = { ...(placement && { state: placement }), ...(weight !== undefined && { weight }) }
  const done = await transaction(context.control, (tx) => setCell(tx, id, changes, { actor, force }))
  if (done.outcome === 'NO_CELL') throw cellNotFound()
  if (done.outcome === 'IS_MAIN') throw mainStaysOn()
  if (done.outcome === 'IN_USE') throw cellInUse({ businesses: done.businesses })
  if (done.outcome === 'ON_THE_WAY') throw cellOnTheWay()
  const [shown] = await listCells(context, id)
  if (!shown) throw cellNotFound() // removed meanwhile
  return shown
}
