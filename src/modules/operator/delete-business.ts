import { askDeletion, graceEnd, readMarks, undoDeletion } from '#modules/access/index.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { alreadyDeleting, businessNotFound, deletionBegan, notDeleting, notWhole, slugDiffers } from './errors.ts'
import { pauseLetters } from './suspend-business.ts'

export type DeletionContext = {
  control: ControlDb
  /** Tells its members what is going to become of it. */
  mailDeletion: (tx: ControlTx, businessId: string) => Promise<void>
}

/** Closes a business; a worker removes it when the grace is over. `slug` shows that it is the one that is meant. */
export async function deleteBusiness(
  { control, mailDeletion }: DeletionContext,
  id: string,
  { slug, actor }: { slug: string; actor: Actor },
): Promise<void> {
  const business = await readMarks(control, id)
  if (!business) throw businessNotFound()
  if (business.slug !== slug) throw slugDiffers()
  await transaction(control, async (tx) => {
    const { isNew, marks } = await askDeletion(tx, id, graceEnd(), actor)
    if (!isNew) throw marks.importOf ? notWhole() : alreadyDeleting()
    await mailDeletion(tx, id)
    await enqueue(tx, pauseLetters(), { businessId: id })
  })
}

/** It is as it was before, unless its time is up. */
export async function undeleteBusiness(
  { control, mailDeletion }: DeletionContext,
  id: string,
  actor: Actor,
): Promise<void> {
  if (!(await readMarks(control, id))) throw businessNotFound()
  await transaction(control, async (tx) => {
    if ((await readMarks(tx, id))?.importOf) throw notWhole()
    const undone = await undoDeletion(tx, id, actor)
    if (undone === 'NOT_ASKED') throw notDeleting()
    if (undone === 'TOO_LATE') throw deletionBegan()
    await mailDeletion(tx, id)
  })
}
