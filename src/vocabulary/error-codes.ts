/** Codes that clients may switch on, and what they mean. `docs/errors.md` lists them; another code does not compile. */

/** `error` of every refusal. */
export const ERRORS = {
  BAD_REQUEST:
    'The request cannot be parsed, or uses something that this service does not have. Change the request before you retry.',
  UNAUTHENTICATED: 'The credential is missing or invalid. Log in, or refresh the token.',
  FORBIDDEN: 'The caller is authenticated but lacks the required permission.',
  NOT_FOUND: 'The route or record does not exist, or is not visible to the caller.',
  CONFLICT: 'The request is valid, but the current state of the record does not allow it. `details` has the reason.',
  PRECONDITION_FAILED: '`If-Match` does not match the current version. Read the record again.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  VALIDATION_FAILED: 'Fields are missing or invalid. `details` has one entry per field.',
  RATE_LIMITED: 'Too many requests. Retry after the time in `Retry-After`.',
  INTERNAL: 'Internal error. The log has it under the `requestId`.',
  PROVIDER_FAILED: 'An external service failed: identity, payment, AI, or SNS. A retry may succeed.',
  PROVIDER_NOT_CONFIGURED: 'The operator has not configured the required provider. A retry does not help.',
  CALLOUT_FAILED: 'A callout of the business failed. `details` has its name. A retry may succeed.',
  UNAVAILABLE:
    'The service is overloaded or shutting down, or a database is unreachable. Retry after the time in `Retry-After`.',
} as const satisfies Record<string, string>

export type ErrorCode = keyof typeof ERRORS

/** `details[].error`: what is wrong with one field. */
export const DETAILS = {
  ACCOUNT_TAKEN: 'Another business uses this account of the payment provider. Only on the command line.',
  ALREADY_SENT: 'The entry has already been sent. Use `resend: true` to send it to all subscribers again.',
  ALREADY_SUBSCRIBED: 'The address has a paid subscription to another plan of this newsletter. Cancel it first.',
  AMOUNT_OUT_OF_RANGE: 'The amount cannot be charged to a card, or is too large to compute with.',
  BULK_EDIT_RUNNING: 'Another bulk edit of the business is running. Wait until it finishes, or cancel it.',
  CALLOUT_FAILED: 'The callout service of the business is unreachable, too slow, or returned an invalid response.',
  CART_CHANGED: 'Prices changed while callouts were running. Request a new quote.',
  CART_REFUSED: 'A callout rejected the cart. `problems` has its codes.',
  CHALLENGE_INVALID: 'The login challenge is invalid, expired, or already used. Log in again.',
  CODE_EXISTS: 'The business already has a promo code with this code.',
  CODE_WRONG: 'The SMS code or second-factor code is wrong, was already used, or was never sent.',
  COUNTED_SINCE: 'Another stocktake has corrected the variant since its stock was read.',
  DUPLICATE: 'An item or an id appears twice in the list.',
  EMAIL_EXISTS: 'An account with this email address already exists. Log in, or reset the password.',
  IDEMPOTENCY_KEY_REUSED: 'The key was used for a different request. Use a new key.',
  INVALID: 'The value has the wrong type or format, is not an accepted option, or conflicts with other fields.',
  INVALID_ORIGIN_URI: '`originUrl` or `reserveDomain` is not an origin that the operator allows.',
  INVALID_REDIRECT_URI: 'The origin of `redirectUrl`, `returnUrl`, or `cancelUrl` is not allowed.',
  IN_USE:
    'Other records use this record: members use a role, entries or subscribers a collection, subscribers a plan, products or child categories a category, records a file, an automation an entry.',
  LAST_ADMIN: 'The business would have no ADMIN left.',
  LIMIT_REACHED: 'The business has reached a limit set by the operator. The message names the limit.',
  NAME_EXISTS: 'The business already has a role with this name.',
  NOBODY_LEFT: 'All remaining recipients have received the send or unsubscribed.',
  NOTHING_TO_REFUND: 'The order has no payment through the payment provider, or is fully refunded.',
  NOTHING_TO_SHIP: 'All items of the order are shipped, or were refunded before shipment.',
  NOT_A_NEWSLETTER: 'The collection is not of the type NEWSLETTER.',
  NOT_CLEAN: 'A stored text contains markup that the current schema does not allow. Only in lists of stale entries.',
  NOT_CONFIRMED: 'The password is correct, but the email address is not confirmed.',
  NOT_FOUND: 'The record that the field refers to does not exist in this business.',
  NOT_READY: 'The file is still uploading or processing, or was rejected. Only READY files can be used.',
  NO_PRICE: 'The variant has no price in this market.',
  ORDER_CANCELLED: 'The order of this `Idempotency-Key` is canceled. Use a new key.',
  ORDER_CLOSED: 'The status of the order no longer allows changes.',
  ORDER_FINAL: 'The order is CANCELLED or REFUNDED. These statuses are final.',
  ORDER_PAID: 'The order is paid. The payment may have arrived during the cancellation.',
  OUT_OF_STOCK: 'The quantity exceeds the stock.',
  OWN_SIGN_IN_REQUIRED:
    'The session comes from the sign-in provider of a business and works in that business only. Confirm it with a password, passkey, or second factor: `POST /v1/users/reauthenticate`.',
  PAID_PLAN: 'A row of the import refers to a paid plan.',
  PASSKEY_EXISTS: 'The passkey is already registered with this or another account.',
  PASSKEY_INVALID:
    'The passkey is unknown, or its response failed verification of the origin, relying party, challenge, signature, or counter.',
  PASSWORD_REQUIRED: 'The password is missing.',
  PASSWORD_WEAK:
    'The password is too short, too long, equal to the email address, or easy to guess. The message has the reason.',
  PASSWORD_WRONG: 'The email address or the password is wrong.',
  PAYMENT_OPEN: 'The order is paid, or its payment page is open.',
  PHONE_IN_USE: 'Another account has verified this number.',
  PROMO_EXHAUSTED: 'The promo code has reached its usage limit.',
  PROMO_NOT_APPLICABLE: 'The cart does not meet the conditions of the promo code. The message has the reason.',
  QUOTA_EXCEEDED: 'The files of the business exceed its storage quota. Delete files to free space.',
  REAUTHENTICATION_REQUIRED: 'Requires authentication within the last 10 minutes: `POST /v1/users/reauthenticate`.',
  REQUIRED: 'The field is missing.',
  SECOND_FACTOR_REQUIRED:
    'The login requires the second factor, or the business requires a session with a second factor.',
  SIGNATURE_INVALID: 'The signature of the webhook is invalid or too old.',
  SLUG_EXISTS: 'The slug is already in use.',
  STATUS_EXISTS: 'The history has an entry with this id and a different status.',
  STEP: 'The amount is not a multiple of the currency step: 10 minor units for BHD, IQD, JOD, KWD, LYD, OMR, and TND, 100 for MGA.',
  STILL_RUNNING:
    'The first request with this `Idempotency-Key` is still running. Retry after the time in `Retry-After`.',
  TEMPLATE_INVALID: 'A text of the newsletter is not a valid template.',
  TOKEN_EXPIRED: 'The link or code has expired. Request a new one.',
  TOKEN_INVALID: 'The link or code is invalid or was already used.',
  TOO_FEW: 'The list has too few items.',
  TOO_LARGE: 'The number or the record is too large.',
  TOO_LONG: 'The text has too many characters.',
  TOO_MANY: 'The list has too many items, or the quantity exceeds the remaining units.',
  TOO_MANY_UNPAID: 'The caller has 10 unpaid orders. Pay or cancel one, or wait until one expires.',
  TOO_SHORT: 'The text has too few characters.',
  TOO_SMALL: 'The number is too small.',
  TOPIC_UNKNOWN: 'The message comes from an SNS topic that the operator has not configured.',
  TYPE_NOT_ALLOWED: 'Files of this type are not accepted.',
  UNKNOWN_FIELD:
    'The body contains a field that the operation does not accept. The message suggests a similar field or lists the accepted ones.',
  UNKNOWN_PARAMETER: 'The operation has no query parameter with this name. The message lists the accepted ones.',
  WRONG_STATE:
    'The state of the record does not allow the operation, for example: the order cannot be shipped or canceled; the send cannot be paused, resumed, or canceled; the entry of an automation is not published; the variant is in stock; the bulk edit or import cannot be applied or undone; the second factor is already set up or missing. The message has the reason.',
} as const satisfies Record<string, string>

export type DetailCode = keyof typeof DETAILS
