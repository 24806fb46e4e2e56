import {
  badRequest,
  conflict,
  defineRefusal,
  forbidden,
  invalid,
  lineRefused,
  notFound,
  providerFailed,
  providerNotConfigured,
  rateLimited,
} from '#vocabulary/define-refusal.ts'

export const businessNotFound = notFound('business')
export const collectionNotFound = notFound('collection')
export const noMail = providerNotConfigured('mail')
export const notANewsletter = conflict(
  '{field}',
  'NOT_A_NEWSLETTER',
  'That is no newsletter: its collection is not of the type NEWSLETTER.',
)

// Subscriptions
export const planRequired = invalid('planId', 'REQUIRED', 'planId is required: this newsletter has plans.')
export const planNotFound = invalid('{field}', 'NOT_FOUND', 'The newsletter has no such plan.')
export const plansDiffer = invalid('planId', 'INVALID', 'planId and plan_id name different plans.')
export const marketNotFound = invalid('market', 'NOT_FOUND', 'This business has no such market.')
export const alreadySubscribed = conflict(
  'planId',
  'ALREADY_SUBSCRIBED',
  'This address has a paid subscription already. It must be ended first.',
)
export const returnUrlInvalid = invalid(
  '{field}',
  'INVALID_REDIRECT_URI',
  '{field} must be on an origin that the business allows.',
)
export const priceOutOfRange = invalid(
  'planId',
  'AMOUNT_OUT_OF_RANGE',
  'The price is outside of what can be paid by card.',
)
export const tokenInvalid = invalid('token', 'TOKEN_INVALID', 'This link is not valid.')
export const hasSubscribers = conflict('{field}', 'IN_USE', '{what}, because people are subscribed to it.')

// Sending
export const entryNotFound = notFound('entry')
export const entryTypeNotFound = notFound('entry type')
export const sendNotFound = notFound('send')
export const entryMoved = conflict(
  'entryId',
  'WRONG_STATE',
  'The entry has been moved to another newsletter since it was planned.',
)
export const alreadySent = conflict(
  'entryId',
  'ALREADY_SENT',
  'This entry has been sent. Send `resend: true` to send it once more.',
)
export const cannotMove = conflict('status', 'WRONG_STATE', 'A send that is {status} cannot be {verb}.')
export const isUnderWay = conflict(
  'id',
  'WRONG_STATE',
  'A send of this entry has not ended yet. Wait for it, or cancel it.',
)
export const hasNobodyLeft = conflict(
  'statuses',
  'NOBODY_LEFT',
  'Nobody is left to send it to: those whom it did not reach got it since, have left, or their address bounces.',
)
export const isSending = conflict('id', 'IN_USE', 'The newsletter is being sent. Cancel that first.')
export const noAddress = invalid('email', 'REQUIRED', 'Your account has no email address to send a test to.')
export const mailTooLarge = invalid('blocks', 'TOO_LARGE', 'A mail cannot be longer than {limit} characters.')
export const templateInvalid = invalid('{field}', 'TEMPLATE_INVALID', '{field} is no valid template: {reason}.')

// Conditions of who gets a letter
export const valueNotFound = invalid('conditions.{index}.values.{at}', 'NOT_FOUND', 'Unknown {what} {value}.')
export const boughtEitherOr = invalid('conditions.{index}', 'INVALID', 'Name either productIds or a categoryId.')
export const boughtProductNotFound = invalid(
  'conditions.{index}.productIds.{at}',
  'NOT_FOUND',
  'This business has no product {productId}.',
)
export const boughtCategoryNotFound = invalid(
  'conditions.{index}.categoryId',
  'NOT_FOUND',
  'This business has no category {categoryId}.',
)
export const clickedEntryNotFound = invalid(
  'conditions.{index}.entryId',
  'NOT_FOUND',
  'This newsletter has no letter {entryId}.',
)
export const conditionsNeedOrders = forbidden(
  'Conditions about what readers bought, or about their tags as customers, also need ORDERS_READ.',
)
export const subscribedWhen = invalid('conditions.{index}', 'REQUIRED', 'Say from when on, or until when.')
export const subscribedEndsFirst = invalid('conditions.{index}.to', 'INVALID', 'It has to be later than from.')

export const goesByItself = conflict(
  'entryId',
  'IN_USE',
  'This letter goes out by itself. Send another one, or delete that first.',
)
export const wentByItself = conflict(
  'id',
  'WRONG_STATE',
  'This letter went out by itself: there is no rest to send it to.',
)

// Letters that go out by themselves
export const automationNotFound = notFound('automation')
export const letterGone = invalid('entryId', 'NOT_FOUND', 'The newsletter has no such letter.')
export const letterNotPublished = conflict('entryId', 'WRONG_STATE', 'The letter is not published.')
export const letterTaken = conflict(
  'entryId',
  'IN_USE',
  'This letter goes out by itself already, after something else.',
)
export const triggerTaken = conflict(
  'trigger',
  'IN_USE',
  'The newsletter has a letter for this already. Change that one.',
)
export const tellsNobody = conflict(
  'collectionId',
  'WRONG_STATE',
  'This newsletter has no letter that says what is back in stock.',
)
export const variantNotFound = invalid('variantId', 'NOT_FOUND', 'Variant not found, or not for sale.')
export const canBeBought = conflict(
  'variantId',
  'WRONG_STATE',
  'The variant can be bought: there is nothing to wait for.',
)

// Bounces
export const suppressionNotFound = notFound('suppression')
export const noBounces = providerNotConfigured('bounce')
export const noSns = providerNotConfigured('SNS')
export const snsFailed = providerFailed('SNS')
export const tooManyCertificates = rateLimited('Too many requests. Try again in {seconds} s.')
export const bodyNotJson = badRequest('The body is not valid JSON.')
export const signatureInvalid = defineRefusal({
  status: 400,
  code: 'BAD_REQUEST',
  summary: 'These events are not signed with the secret of this service, or were signed too long ago.',
  field: 'kontor-signature',
  detail: 'SIGNATURE_INVALID',
  message: 'The signature does not fit.',
})
export const snsSignatureInvalid = defineRefusal({
  status: 400,
  code: 'BAD_REQUEST',
  summary: 'This is not signed by Amazon SNS, or was signed too long ago.',
  field: 'Signature',
  detail: 'SIGNATURE_INVALID',
  message: 'The signature does not fit.',
})
export const topicUnknown = defineRefusal({
  status: 400,
  code: 'BAD_REQUEST',
  summary: 'Nothing is expected from this topic.',
  field: 'TopicArn',
  detail: 'TOPIC_UNKNOWN',
  message: 'SNS_TOPIC_ARNS does not name this topic.',
})

// Limits
export const dailyLimitReached = conflict(
  'entryId',
  'LIMIT_REACHED',
  'This business may send {limit} letters a day, and has sent them. Send it tomorrow; the operator of this service can raise the limit.',
)

// Files of subscribers
export const columnsMissing = badRequest('The first line of the file must name its columns, email among them.')
export const newsletterGone = lineRefused('', 'INVALID', 'The newsletter is not there any more.')
export const planIsPaid = lineRefused(
  'planId',
  'PAID_PLAN',
  'Who subscribes to a paid plan has to pay: it cannot be imported.',
)
