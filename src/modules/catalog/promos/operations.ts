import { operation } from '#platform/http/operation.ts'
import { BusinessParams, PageOf, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const createPromoCode = operation({
  method: 'POST',
  url: '/promo-codes',
  config: { access: 'PROMOS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'createPromoCode',
    tags: ['Promo codes'],
    summary: 'Create a promo code',
    description: 'A term that is left out or null does not restrict the code.',
    params: BusinessParams,
    body: shape.NewPromoCode,
    response: { 201: shape.PromoCode },
  },
})

export const listPromoCodes = operation({
  method: 'GET',
  url: '/promo-codes',
  config: { access: 'PROMOS_WRITE', business: 'path' },
  schema: {
    operationId: 'listPromoCodes',
    tags: ['Promo codes'],
    summary: 'List promo codes',
    description: 'Newest first.',
    params: BusinessParams,
    querystring: shape.PromoCodeQuery,
    response: { 200: PageOf(shape.PromoCode) },
  },
})

export const countPromoCodes = operation({
  method: 'GET',
  url: '/promo-codes/counts',
  config: { access: 'PROMOS_WRITE', business: 'path' },
  schema: {
    operationId: 'countPromoCodes',
    tags: ['Promo codes'],
    summary: 'Count promo codes by status',
    description: 'Those that match; a status that none of them has is left out.',
    params: BusinessParams,
    querystring: shape.PromoCountQuery,
    response: { 200: shape.PromoCounts },
  },
})

export const getPromoCode = operation({
  method: 'GET',
  url: '/promo-codes/:id',
  config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'getPromoCode',
    tags: ['Promo codes'],
    summary: 'Get a promo code',
    description: 'Its `ETag` changes with the code and with its `redemptions`.',
    params: RecordParams,
    response: { 200: shape.PromoCode },
  },
})

export const updatePromoCode = operation({
  method: 'PUT',
  url: '/promo-codes/:id',
  config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'updatePromoCode',
    tags: ['Promo codes'],
    summary: 'Change a promo code',
    description:
      'Changes what is sent and keeps the rest; null removes a term. Past redemptions stay, even above a new limit, and new ones in the meantime do not affect `If-Match`.',
    params: RecordParams,
    body: shape.PromoCodeChanges,
    response: { 200: shape.PromoCode },
  },
})

export const deletePromoCode = operation({
  method: 'DELETE',
  url: '/promo-codes/:id',
  config: { access: 'PROMOS_WRITE', business: 'path', versioned: true },
  schema: {
    operationId: 'deletePromoCode',
    tags: ['Promo codes'],
    summary: 'Delete a promo code',
    description: 'It can no longer be used, and its code is free. Orders that used it keep their discount.',
    params: RecordParams,
    response: { 200: Success },
  },
})
