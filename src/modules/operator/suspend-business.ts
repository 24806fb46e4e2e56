import { Type } from 'typebox'
import { readMarks, suspendBusiness } from '#modules/access/index.ts'
import type { ControlDb, ControlTx, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { BusinessId } from '#vocabulary/schemas.ts'
import { alreadySuspended, notSuspended, notWhole } from './errors.ts'

export type PauseSends = (cell: Db, businessId: string, problem: string) => Promise<number>

const SUSPENDED = 'The operator of this service has suspended the business.'
const DELETED = 'The operator of this service is going to delete the business.'
/** One every six hours after the first ten: a cell may be away for days. */
const ATTEMPTS = 50

const untold = (): never => {
  throw new Error('This job is run by the worker only, which knows how to pause')
}

/** A job, because the cell may be away when its business is suspended: the letters pause as soon as it is back. */
export const pauseLetters = (pauseSends: PauseSends = untold) =>
  defineJob({
    name: 'operator.pause-letters',
    on: 'control',
    maxAttempts: ATTEMPTS,
    payload: Type.Object({ businessId: BusinessId }),
    async run({ businessId }, { db, cells, log }) {
      const business = await readMarks(db, businessId)
      if (!business?.suspendedAt) return // it was resumed meanwhile
      const cell = cells.get(business.cell)
      if (!cell) throw new Error(`The cell ${business.cell} is off, or not known here`)
      const paused = await pauseSends(cell, businessId, business.deleteAt ? DELETED : SUSPENDED)
      log.info({ businessId, paused }, 'paused the letters of a suspended business')
    },
  })

export const suspend = (control: ControlDb, id: string, actor: Actor, reason: string): Promise<void> =>
  transaction(control, async (tx) => {
    const { isChanged } = await suspendBusiness(tx, id, true, { actor, reason })
    if (!isChanged) throw alreadySuspended()
    await enqueue(tx, pauseLetters(), { businessId: id })
  })

export type ResumeContext = {
  control: ControlDb
  /** Mails invitations of an imported business, which has been closed until now. */
  mailInvitations: (tx: ControlTx, businessId: string) => Promise<void>
}

export const resume = ({ control, mailInvitations }: ResumeContext, id: string, actor: Actor): Promise<void> =>
  transaction(control, async (tx) => {
    const { isChanged } = await suspendBusiness(tx, id, false, { actor })
    // Only now: the lock is held, so nobody asks for its deletion between the two.
    const marks = await readMarks(tx, id)
    if (marks?.importOf || marks?.deleteAt) throw notWhole()
    if (!isChanged) throw notSuspended()
    await mailInvitations(tx, id)
  })
