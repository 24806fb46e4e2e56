import { Type } from 'typebox'
import { operation } from '../http/operation.ts'

const MAX_BYTES = 1024 ** 3

const SignedTerms = Type.Object({
  key: Type.String({ maxLength: 500, examples: ['incoming/biz_01jcq3v7k8f5/med_01jcq3v7k8f5'] }),
  mimeType: Type.String({ maxLength: 100, examples: ['image/jpeg'] }),
  size: Type.Integer({ minimum: 0, maximum: MAX_BYTES, examples: [204_800] }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', maxLength: 64, examples: ['9f'.repeat(32)] }),
  expiresAt: Type.Integer({ minimum: 0, maximum: 99_999_999_999, examples: [1_790_000_000] }),
  signature: Type.String({ maxLength: 100, examples: ['J2a-yY2pEFcyxnXz0dyjYxETBbchz7N95VHMxjwziLY'] }),
})

export const uploadFile = operation({
  method: 'PUT',
  url: '/v1/media-uploads',
  config: { access: 'public', business: 'none', uploads: ['*/*'], fails: [403] },
  bodyLimit: MAX_BYTES,
  schema: {
    operationId: 'uploadFile',
    tags: ['Media'],
    summary: 'Upload a file to an address that was given out',
    description:
      'Where the store is a folder, `upload.url` of new media leads here: send the file as it was announced, with `upload.headers`. The signature in the address is the credential. Use the address as it is; where the store is another one, it leads there. 403: the address was changed, or is too old.',
    querystring: SignedTerms,
    response: {
      200: Type.Object({ uploaded: Type.Literal(true) }, { 'x-response-description': 'The file was uploaded.' }),
    },
  },
})
