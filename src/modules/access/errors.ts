import { conflict, forbidden, invalid, notFound } from '#vocabulary/define-refusal.ts'

export const businessNotFound = notFound('business')
export const invitationNotFound = notFound('invitation')
export const roleGone = notFound('role')

export const slugExists = conflict('slug', 'SLUG_EXISTS', 'The slug {slug} is taken.')
export const paymentAccountTaken = conflict(
  'paymentAccount',
  'ACCOUNT_TAKEN',
  'The account {account} belongs to another business.',
)
export const signupClosed = forbidden('Businesses are created by the operator of this service. Ask them for one.')

// Settings
export const localeInvalid = invalid('locales.{index}', 'INVALID', '{locale} is not a locale such as en or de-CH.')
export const defaultLocaleUnknown = invalid('defaultLocale', 'INVALID', 'defaultLocale must be one of locales.')
export const originInvalid = invalid(
  'allowedOrigins.{index}',
  'INVALID',
  '{origin} is not an origin such as https://shop.example.com.',
)
export const orderUrlInvalid = invalid(
  'orderUrl',
  'INVALID',
  'The address of orders must begin with one of the allowed origins and contain {orderId}, such as https://shop.example.com/orders/{orderId}.',
)
export const previewUrlInvalid = invalid(
  'storefront.previewUrl',
  'INVALID',
  'The address of previews must begin with one of the allowed origins and contain {entryId} and {token}, such as https://shop.example.com/journal/{entryId}?preview={token}.',
)
export const productUrlInvalid = invalid(
  'storefront.productUrl',
  'INVALID',
  'The address of products must begin with one of the allowed origins and contain {slug}, such as https://shop.example.com/products/{slug}.',
)
export const timeZoneInvalid = invalid('timeZone', 'INVALID', '{timeZone} is not a time zone such as Europe/Berlin.')
export const logoNotAPicture = invalid('logo.mimeType', 'INVALID', 'The logo must be a picture, such as a PNG.')
export const currencyInvalid = invalid('{at}.currency', 'INVALID', '{currency} is not an ISO 4217 currency.')
export const taxClassRepeated = invalid('{at}.taxClass', 'DUPLICATE', 'This market has two rates for {taxClass}.')
export const marketRepeated = invalid('{at}.id', 'DUPLICATE', 'Two markets have the id {id}.')
export const shippingMethodRepeated = invalid('{at}.id', 'DUPLICATE', 'Two shipping methods have the id {id}.')
export const settingsTooLarge = invalid(
  'markets',
  'TOO_LARGE',
  'The settings are larger than 64 KB as JSON. Remove markets or shipping methods, or shorten their names.',
)

export const secondFactorNotPassed = conflict(
  'requireSecondFactor',
  'WRONG_STATE',
  'Only a session that has passed a second factor can switch this on or off, and no API key. Set one up, or log in with it, then try again.',
)

// Roles
export const roleNameExists = conflict('name', 'NAME_EXISTS', 'There is a role named {name} already.')
export const roleInUse = conflict('id', 'IN_USE', 'Users still have this role. Take it from them first.')
export const lastAdmin = conflict('roleId', 'LAST_ADMIN', 'This would leave the business without anybody who is ADMIN.')
export const memberNotFound = notFound('member')
export const memberRoleNotFound = invalid('roleIds', 'NOT_FOUND', 'This business has no role {id}.')
export const roleNotFound = invalid('roleId', 'NOT_FOUND', 'This business has no role {id}.')
export const cannotGrant = forbidden(
  'You cannot give, change or take {permission}, because you do not have it yourself.',
)
export const adminNotAgreed = conflict(
  'permissions',
  'IN_USE',
  'Others have this role, and nobody becomes ADMIN without agreeing to it. Make another role with ADMIN, and give it to them.',
)

// Invitations
export const invitationRequired = invalid('token', 'REQUIRED', 'Send the token of the invitation, or its id.')
export const invitationInvalid = invalid(
  '{field}',
  'TOKEN_INVALID',
  'This invitation is not valid, or was accepted already.',
)
export const invitationExpired = invalid('{field}', 'TOKEN_EXPIRED', 'This invitation has expired. Ask for a new one.')
