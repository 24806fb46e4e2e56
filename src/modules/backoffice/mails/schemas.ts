import { type Static, Type } from 'typebox'
import { BusinessId, Nullable, OneOf } from '#vocabulary/schemas.ts'

/** What goes out in the name of a business, but for its newsletters, which are written. */
export const MAILS = [
  'order-confirmation',
  'shipment',
  'claim',
  'confirm-subscription',
  'new-order',
  'low-stock',
  'invitation',
] as const
export type MailName = (typeof MAILS)[number]

export const MailParams = Type.Object({
  businessId: BusinessId,
  mail: OneOf(MAILS, { description: 'Which mail.', examples: ['order-confirmation'] }),
})

export const MailPreview = Type.Object(
  {
    mail: OneOf(MAILS),
    to: OneOf(['CUSTOMER', 'BUSINESS', 'INVITED'], {
      description: 'A customer or reader; the contact address of the business; whoever was invited.',
    }),
    fromName: Nullable(
      Type.String({ description: 'The name of the sender. Null: that of the service.', examples: ['Harbour Goods'] }),
    ),
    replyTo: Nullable(Type.String({ description: 'Where an answer goes.', examples: ['hello@harbour.example'] })),
    subject: Type.String({ examples: ['Your order K7Q2-M9X3'] }),
    html: Type.String({ examples: ['<!doctype html><p>Thank you.</p>'] }),
    text: Type.String({ examples: ['Thank you.'] }),
  },
  { title: 'MailPreview', 'x-response-description': 'The rendered email.' },
)
export type MailPreview = Static<typeof MailPreview>
