import {
  conflict,
  defineRefusal,
  forbidden,
  invalid,
  notFound,
  providerFailed,
  providerNotConfigured,
  rateLimited,
  unavailable,
} from '#vocabulary/define-refusal.ts'
import { MAX_FILTERS, MAX_VALUE_LENGTH, MAX_VALUES } from './limits.ts'

// Collections
export const collectionNotFound = notFound('collection')
export const slugExists = conflict('slug', 'SLUG_EXISTS', 'Another collection of this business has the slug {slug}.')
export const tooManyCollections = conflict('id', 'TOO_MANY', 'A business has {limit} collections at most.')
export const hasEntries = conflict(
  'id',
  'IN_USE',
  'The collection has entries. Delete them first, or archive the collection.',
)
export const collectionTooLarge = invalid(
  'blocks',
  'TOO_LARGE',
  'The collection has more than half a million characters in all. Make it two.',
)
export const plansNeedNewsletter = invalid(
  'plans',
  'NOT_A_NEWSLETTER',
  'Only a collection of the type NEWSLETTER has plans.',
)
export const optInNeedsNewsletter = invalid(
  'doubleOptIn',
  'NOT_A_NEWSLETTER',
  'Only a collection of the type NEWSLETTER has subscribers.',
)
export const clicksNeedNewsletter = invalid(
  'countClicks',
  'NOT_A_NEWSLETTER',
  'Only a collection of the type NEWSLETTER has letters with links.',
)
export const opensNeedNewsletter = invalid(
  'countOpens',
  'NOT_A_NEWSLETTER',
  'Only a collection of the type NEWSLETTER has letters that are opened.',
)
export const planRepeated = invalid('plans.{index}.id', 'DUPLICATE', 'Two plans have the id {id}.')
export const planCurrencyInvalid = invalid('plans.{index}.price.currency', 'INVALID', '{currency} is no currency.')

// Entries
export const entryNotFound = notFound('entry')
export const versionNotFound = notFound('version')
export const previewInvalid = invalid('preview', 'TOKEN_INVALID', 'This link shows no preview of this entry.')
export const previewEnded = invalid('preview', 'TOKEN_EXPIRED', 'This preview has ended. Ask for a new link.')
export const draftsAreHidden = forbidden(
  'Only who holds CONTENT_READ_DRAFTS or CONTENT_WRITE sees what is not PUBLISHED.',
)
export const ordersAreHidden = forbidden('Entries of orders and reservations also need ORDERS_READ.')
export const ownerNotFound = invalid('{field}', 'NOT_FOUND', 'This business has no {owner}.')
export const ownerRequired = invalid(
  'collectionId',
  'REQUIRED',
  'collectionId is required, or owner for what belongs to an order or a reservation.',
)
export const ownersDiffer = invalid('owner', 'INVALID', 'owner and collectionId name different owners.')
export const ownedIsNotSearched = invalid(
  'owner',
  'INVALID',
  'Entries of orders and reservations are listed by status and locale only.',
)
export const localeInvalid = invalid('locale', 'INVALID', 'locale must be a language tag such as en or de-CH.')
export const publishAtPast = invalid('publishAt', 'INVALID', 'publishAt must lie ahead. To publish now, send a status.')
export const alreadyPublished = invalid('publishAt', 'INVALID', 'The entry is published already.')
export const entryTooLarge = invalid(
  'blocks',
  'TOO_LARGE',
  'The entry has more than one and a half million characters in all. Make it two.',
)
export const tooManyValues = invalid(
  'blocks',
  'TOO_MANY',
  `The entry has more than ${MAX_VALUES} short values in all. Make it two.`,
)
export const targetChanged = invalid(
  'blocks.{index}.value',
  'NOT_FOUND',
  '{id} is the id of a {before}; the schema now wants one of a {target}.',
)

// Filters by block
export const tooManyFilters = invalid('block', 'TOO_MANY', `A list has ${MAX_FILTERS} block filters at most.`)
export const filterInvalid = invalid('block', 'INVALID', 'block.<id>: the id is not a block’s.')
export const filterRepeated = invalid('{name}', 'DUPLICATE', '{name} is there twice.')
export const filterTooLong = invalid(
  '{name}',
  'TOO_LONG',
  `Only values of up to ${MAX_VALUE_LENGTH} characters can be compared.`,
)
export const filterNotAText = invalid('{name}', 'INVALID', '{name} is not a text.')

// Generation
export const noModel = providerNotConfigured('AI')
export const modelFailed = providerFailed('AI')
export const noGoodAnswer = defineRefusal({
  status: 502,
  code: 'PROVIDER_FAILED',
  message: 'The AI provider gave nothing that fits these blocks. Change the prompt, or try again.',
})
export const promptRefused = defineRefusal({
  status: 502,
  code: 'PROVIDER_FAILED',
  message: 'The AI provider refused to answer this prompt. Change it, then try again.',
})
export const generationStopped = unavailable('The service cannot answer right now. Try again shortly.')
export const budgetUsedUp = rateLimited('This business has used up what it may generate today. Go on tomorrow (UTC).')
export const tooManyOptions = invalid(
  'blocks',
  'TOO_LARGE',
  'These blocks have more options than a model can be asked about at once. Send fewer.',
)
export const notGenerated = invalid('blocks.{index}.type', 'INVALID', 'A {type} cannot be made up by a model.')
