import path from 'node:path'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { messageIdOf } from '#platform/mail/mailer.ts'
import { createRenderer } from '#platform/mail/render.ts'
import { Id } from '#vocabulary/schemas.ts'
import { readEndpoints } from './queries.ts'

const render = createRenderer(path.join(import.meta.dirname, 'mails'))

/** The email addresses of those who are ADMIN of a business. */
export type FindAdmins = (control: ControlDb, businessId: string) => Promise<string[]>

const untold: FindAdmins = () => {
  throw new Error('This job is run by the worker only, which knows the addresses of people')
}

/** An endpoint has failed for a day; or for five, and is disabled. */
export const mailAdmins = (findAdmins = untold) =>
  defineJob({
    name: 'webhooks.mail-admins',
    on: 'cell',
    payload: Type.Object({ businessId: Id, endpointId: Id, isDisabled: Type.Boolean() }),
    async run({ businessId, endpointId, isDisabled }, { db, control, services }) {
      const [endpoint] = await readEndpoints(db, businessId, [endpointId])
      const business = await findBusiness(control, businessId)
      if (!endpoint || !business || !services.mail) return
      const { row, position } = endpoint
      if (row.isEnabled === isDisabled || !position.failingSince) return // somebody has seen to it meanwhile
      const { hostname } = new URL(row.url)
      const subject = isDisabled ? `Webhooks to ${hostname} are disabled` : `Webhooks to ${hostname} fail`
      const mail = await render('endpoint-failing', subject, {
        business: business.name,
        url: row.url,
        since: position.failingSince.toISOString().slice(0, 16).replace('T', ' '),
        lastNumber: position.number,
        isDisabled,
      })
      const kind = isDisabled ? 'webhook-disabled' : 'webhook-failing'
      for (const [index, to] of (await findAdmins(control, businessId)).entries()) {
        const id = `${endpointId}.${position.failingSince.getTime()}.${index}`
        await services.mail.send({ to, ...mail, messageId: messageIdOf(kind, id, services.publicUrl) })
      }
    },
  })
