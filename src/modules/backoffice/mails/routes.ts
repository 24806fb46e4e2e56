import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import { inNameOf } from '#platform/mail/mailer.ts'
import type { Rendered } from '#platform/mail/render.ts'
import type { Business } from '#vocabulary/business.ts'
import * as operation from './operations.ts'
import type { MailName, MailPreview } from './schemas.ts'

/** How each mail is made, by the modules that send them. */
export type MailOptions = { mails: Record<MailName, (business: Business) => Promise<Rendered>> }

const READERS: Record<MailName, MailPreview['to']> = {
  'order-confirmation': 'CUSTOMER',
  shipment: 'CUSTOMER',
  claim: 'CUSTOMER',
  'confirm-subscription': 'CUSTOMER',
  'new-order': 'BUSINESS',
  'low-stock': 'BUSINESS',
  invitation: 'INVITED',
}

/** These go out in the name of the business, and answers come back to it. */
const IN_NAME: readonly MailName[] = ['order-confirmation', 'shipment']

export const mailRoutes: FastifyPluginAsyncTypebox<MailOptions> = async (app, { mails }) => {
  handle(app, operation.previewMail, async ({ business, params: { mail } }) => {
    const sender = IN_NAME.includes(mail) ? inNameOf(business) : { name: null, replyTo: null }
    const rendered = await mails[mail](business)
    return { mail, to: READERS[mail], fromName: sender.name, replyTo: sender.replyTo, ...rendered }
  })
}
