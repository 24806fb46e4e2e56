/** Codes that clients may switch on, and what they mean. `docs/errors.md` lists them; another code does not compile. */

/** `error` of every refusal. */
export const ERRORS = {
  BAD_REQUEST:
    'The request cannot be read, or it asks for something that does not exist here. Change it; trying again does not help.',
  UNAUTHENTICATED: 'There is no credential, or not a valid one. Log in, or refresh the token.',
  FORBIDDEN: 'It is known who calls, and they may not do this.',
  NOT_FOUND: 'The route or record does not exist, or is not visible to the caller.',
  CONFLICT: 'The request is right, but the state of things refuses it. One detail says why.',
  PRECONDITION_FAILED: '`If-Match` names another version. Read the record again.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  VALIDATION_FAILED: 'Fields are missing or wrong. One detail for each.',
  RATE_LIMITED: 'Too much in too short a time. `Retry-After` says when to come back.',
  INTERNAL: 'Our fault. It has been logged under the `requestId`.',
  PROVIDER_FAILED: 'A service outside of this one failed: identity, payment, AI or SNS. Trying again may help.',
  PROVIDER_NOT_CONFIGURED: 'The operator has not set up what this needs. There is nothing to wait for.',
  CALLOUT_FAILED:
    'A service that the business has set up for quote and checkout failed. The detail names which. Trying again may help.',
  UNAVAILABLE: 'Overloaded, stopping, or a database is away. `Retry-After` says when to come back.',
} as const satisfies Record<string, string>

export type ErrorCode = keyof typeof ERRORS

/** `details[].error`: what is wrong with one field. */
export const DETAILS = {
  ACCOUNT_TAKEN: 'Another business is paid on this account of the payment provider. Only on the command line.',
  ALREADY_SENT: 'The entry has been sent. `resend: true` sends it to everybody once more.',
  ALREADY_SUBSCRIBED: 'The address pays for another plan of this newsletter. It has to leave that first.',
  AMOUNT_OUT_OF_RANGE: 'A sum that cannot be paid by card, or is too large to be computed with.',
  BULK_EDIT_RUNNING: 'Another bulk edit of the business is under way. Wait for it, or stop it.',
  CALLOUT_FAILED: 'The service of the business for this point is away, too slow, or answers what cannot be used.',
  CART_CHANGED: 'Prices changed while the services of the business were asked. Ask for a quote again.',
  CART_REFUSED: 'A service of the business does not accept the cart. `problems` of the body has its own codes.',
  CHALLENGE_INVALID: 'The challenge of a login has run out, was used, or is none. Log in again.',
  CODE_EXISTS: 'The business has a promo code of this name.',
  CODE_WRONG: 'Not the code from the SMS, or none was sent; not the code of the second factor, or one that was used.',
  COUNTED_SINCE: 'Somebody else has counted the variant since its stock was read, and corrected it.',
  DUPLICATE: 'An item, or an id among items, appears twice.',
  EMAIL_EXISTS: 'The address has an account. Log in, or ask for a new password.',
  IDEMPOTENCY_KEY_REUSED: 'The key was used for another request. Make a new one.',
  INVALID: 'Of the wrong type, form or choice; or it does not fit the rest.',
  INVALID_ORIGIN_URI: '`originUrl` or `reserveDomain` is not among the origins of the operator.',
  INVALID_REDIRECT_URI: '`redirectUrl`, `returnUrl` or `cancelUrl` leads to an origin that is not allowed.',
  IN_USE:
    'Something else needs it: users a role, entries or subscribers a collection, subscribers a plan, products or others below it a category, records a file, an automation a letter.',
  LAST_ADMIN: 'Nobody would be ADMIN of the business any more.',
  LIMIT_REACHED: 'The operator of the service has set a limit for this business. The message says which.',
  NAME_EXISTS: 'The business has a role of this name.',
  NOBODY_LEFT: 'Nobody is left whom a send has not reached and who still wants it.',
  NOTHING_TO_REFUND: 'Nothing was paid through the payment provider, or all of it went back.',
  NOTHING_TO_SHIP: 'All pieces of the order were shipped, or refunded before they were.',
  NOT_A_NEWSLETTER: 'The collection is not of the type NEWSLETTER.',
  NOT_CLEAN: 'A stored text holds markup that the schema of today does not allow. Only in lists of stale entries.',
  NOT_CONFIRMED: 'The password is right, but the address is not confirmed yet.',
  NOT_FOUND: 'What the field names is not there, or not in this business.',
  NOT_READY: 'The file is not uploaded and checked yet, or it was rejected. Only READY ones can be shown.',
  NO_PRICE: 'The variant is not sold in this market.',
  ORDER_CANCELLED: 'The order of this `Idempotency-Key` has ended. Use a new key.',
  ORDER_CLOSED: 'The order is too far along to be changed.',
  ORDER_FINAL: 'The order is CANCELLED or REFUNDED, and stays so.',
  ORDER_PAID: 'The order is paid, perhaps while it was being cancelled.',
  OUT_OF_STOCK: 'There is less than is to be taken.',
  OWN_SIGN_IN_REQUIRED:
    'The session comes from the sign-in provider of a business and works in that business only. Confirm it with a password, passkey, or second factor: `POST /v1/users/reauthenticate`.',
  PAID_PLAN: 'A line of an import names a plan that has to be paid for.',
  PASSKEY_EXISTS: 'The passkey is registered already, here or with another account.',
  PASSKEY_INVALID:
    'The passkey is unknown, or its answer does not hold: origin, relying party, challenge, signature, or a counter that fell.',
  PASSWORD_REQUIRED: 'The password is missing.',
  PASSWORD_WEAK: 'Too short, too long, the address itself, or easy to guess. The message says which.',
  PASSWORD_WRONG: 'The address or the password is wrong.',
  PAYMENT_OPEN: 'The order is paid, or its payment page is open.',
  PHONE_IN_USE: 'Another account has verified this number.',
  PROMO_EXHAUSTED: 'The promo code was used as often as it can be.',
  PROMO_NOT_APPLICABLE: 'The terms of the promo code are not met. The message says which.',
  QUOTA_EXCEEDED: 'The files of the business take all the room that it has. Delete some.',
  REAUTHENTICATION_REQUIRED:
    'The person has to prove themselves again first, because that was more than 10 minutes ago: `POST /v1/users/reauthenticate`.',
  REQUIRED: 'Missing.',
  SECOND_FACTOR_REQUIRED:
    'A login needs the second factor as well; or the business lets roles count only in sessions that have passed one.',
  SIGNATURE_INVALID: 'A webhook that was not signed with our secret, or too long ago.',
  SLUG_EXISTS: 'The slug is taken.',
  STATUS_EXISTS: 'The history has an entry of this id, with another status.',
  STEP: 'The amount is not a multiple of the currency step: 10 minor units for BHD, IQD, JOD, KWD, LYD, OMR, and TND, 100 for MGA.',
  STILL_RUNNING: 'The first request with this `Idempotency-Key` has not ended. `Retry-After` says when to ask.',
  TEMPLATE_INVALID: 'A text of a newsletter is no valid template.',
  TOKEN_EXPIRED: 'A link or code has run out. Ask for a new one.',
  TOKEN_INVALID: 'A link or code is not valid, or was used.',
  TOO_FEW: 'Too few items.',
  TOO_LARGE: 'A number, or the whole of a record, is too large.',
  TOO_LONG: 'Too many characters.',
  TOO_MANY: 'Too many items, or more pieces than are left.',
  TOO_MANY_UNPAID: 'Ten orders of this caller wait to be paid. Pay or cancel one, or wait until one expires.',
  TOO_SHORT: 'Too few characters.',
  TOO_SMALL: 'A number is too small.',
  TOPIC_UNKNOWN: 'A message of an SNS topic that the operator has not named.',
  TYPE_NOT_ALLOWED: 'Files of this type are not taken.',
  UNKNOWN_FIELD:
    'The body contains a field that the operation does not accept. The message suggests a similar field or lists the accepted ones.',
  UNKNOWN_PARAMETER: 'The route has no query parameter of this name. The message lists those that it has.',
  WRONG_STATE:
    'An order cannot be shipped, or cancelled by its customer, in its state; a send cannot be paused, resumed, cancelled or sent to the rest; or its entry has moved; the letter of an automation is not published; a variant can be bought, or nobody would tell of it; a bulk edit or an import cannot be applied, undone, discarded or corrected; there is a second factor already, or none; the session has not passed one.',
} as const satisfies Record<string, string>

export type DetailCode = keyof typeof DETAILS
