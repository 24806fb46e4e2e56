import { Type } from 'typebox'
import { publicBusiness } from '#modules/access/index.ts'
import { Id } from '#vocabulary/schemas.ts'

const business = Type.String({ ...Id, maxLength: 100, description: 'Id or slug.', examples: ['harbour-goods'] })
const idOrSlug = Type.String({ ...Id, maxLength: 100, description: 'Id or slug.', examples: ['journal'] })

export const ShopParams = Type.Object({ business })
export const NamedParams = Type.Object({ business, idOrSlug })
export const RecordParams = Type.Object({ business, id: Id })

export const PublicBusiness = Type.Object(publicBusiness, {
  title: 'PublicBusiness',
  description: 'What a shop front needs to know of a business.',
})
