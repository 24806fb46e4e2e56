import { conflict, forbidden, invalid } from '#vocabulary/errors.ts'

export const slugExists = (slug: string) =>
  conflict('slug', 'SLUG_EXISTS', `Another collection of this business has the slug ${slug}.`)
export const tooManyCollections = (limit: number) =>
  conflict('id', 'TOO_MANY', `A business has ${limit} collections at most.`)
export const hasEntries = () =>
  conflict('id', 'IN_USE', 'The collection has entries. Delete them first, or archive the collection.')
export const plansNeedNewsletter = () =>
  invalid('plans', 'NOT_A_NEWSLETTER', 'Only a collection of the type NEWSLETTER has plans.')
export const optInNeedsNewsletter = () =>
  invalid('doubleOptIn', 'NOT_A_NEWSLETTER', 'Only a collection of the type NEWSLETTER has subscribers.')
export const draftsAreHidden = () =>
  forbidden('Only who holds CONTENT_READ_DRAFTS or CONTENT_WRITE sees what is not PUBLISHED.')
export const ordersAreHidden = () => forbidden('Entries of orders and reservations also need ORDERS_READ.')
export const ownerNotFound = (field: string, owner: string) =>
  invalid(field, 'NOT_FOUND', `This business has no ${owner.replace(':', ' ')}.`)
export const ownerRequired = () =>
  invalid(
    'collectionId',
    'REQUIRED',
    'collectionId is required, or owner for what belongs to an order or a reservation.',
  )
export const ownersDiffer = () => invalid('owner', 'INVALID', 'owner and collectionId name different owners.')
export const ownedIsNotSearched = () =>
  invalid('owner', 'INVALID', 'Entries of orders and reservations are listed by status and locale only.')
export const publishAtPast = () =>
  invalid('publishAt', 'INVALID', 'publishAt must lie ahead. To publish now, send a status.')
export const alreadyPublished = () => invalid('publishAt', 'INVALID', 'The entry is published already.')
export const entryTooLarge = () =>
  invalid('blocks', 'TOO_LARGE', 'The entry has more than one and a half million characters in all. Make it two.')
