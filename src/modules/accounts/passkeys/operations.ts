import { Type } from 'typebox'
import { operation } from '#platform/http/operation.ts'
import { Success } from '#vocabulary/schemas.ts'
import { Challenge } from '../second-factor/schemas.ts'
import * as shape from './schemas.ts'

const own = { access: 'signed-in', business: 'none', keys: 'refused' } as const
const FRESH =
  'Needs a proof of at most 10 minutes ago (403 `REAUTHENTICATION_REQUIRED`): a login, or `POST /v1/users/reauthenticate`.'

export const getPasskeyLoginOptions = operation({
  method: 'POST',
  url: '/login/passkey-options',
  config: { access: 'public', business: 'none' },
  schema: {
    operationId: 'getPasskeyLoginOptions',
    tags: ['Sign in'],
    summary: 'Get what a browser needs to ask for a passkey',
    description:
      'For a login (`provider: "PASSKEY"`), a second factor, or `POST /v1/users/reauthenticate`. Its challenge works once, for 5 minutes. With the `challenge` of a login that waits for its second factor, the browser asks for passkeys of that account only.',
    body: Type.Object({ challenge: Type.Optional(Challenge) }),
    response: { 200: shape.PasskeyLoginOptions },
  },
})

export const getPasskeyOptions = operation({
  method: 'POST',
  url: '/passkeys/options',
  config: own,
  schema: {
    operationId: 'getPasskeyOptions',
    tags: ['Second factor'],
    summary: 'Get what a browser needs to make a passkey',
    description: `Its challenge works once, for 5 minutes. ${FRESH}`,
    response: { 200: shape.PasskeyOptions },
  },
})

export const createPasskey = operation({
  method: 'POST',
  url: '/passkeys',
  config: own,
  schema: {
    operationId: 'createPasskey',
    tags: ['Second factor'],
    summary: 'Add a passkey',
    description: `The first factor of an account ends all its other sessions. ${FRESH}`,
    body: Type.Object({ passkey: shape.NewPasskey, name: shape.PasskeyName }),
    response: { 201: shape.OwnPasskey },
  },
})

export const listPasskeys = operation({
  method: 'GET',
  url: '/passkeys',
  config: { ...own, takesLimitedSessions: true },
  schema: {
    operationId: 'listPasskeys',
    tags: ['Second factor'],
    summary: 'List my passkeys',
    response: { 200: Type.Object({ items: Type.Array(shape.OwnPasskey) }) },
  },
})

export const deletePasskey = operation({
  method: 'DELETE',
  url: '/passkeys/:id',
  config: own,
  schema: {
    operationId: 'deletePasskey',
    tags: ['Second factor'],
    summary: 'Remove a passkey',
    description: `All other sessions end. ${FRESH}`,
    params: Type.Object({ id: shape.PasskeyId }),
    response: { 200: Success },
  },
})
