import { operation } from '#platform/http/operation.ts'
import * as shape from './schemas.ts'

export const previewMail = operation({
  method: 'GET',
  url: '/mails/:mail/preview',
  config: { access: 'ADMIN', business: 'path' },
  schema: {
    operationId: 'previewMail',
    tags: ['Back office'],
    summary: 'Preview a mail',
    description:
      'A mail that the business sends by itself, with its name, logo and locale, about a made-up order. Nothing is sent.',
    params: shape.MailParams,
    response: { 200: shape.MailPreview },
  },
})
