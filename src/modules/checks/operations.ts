import { operation } from '#platform/http/operation.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

const config = { access: 'ADMIN', business: 'path' } as const
const tags = ['Checks']

export const readChecks = operation({
  method: 'GET',
  url: '/checks',
  config,
  schema: {
    operationId: 'readChecks',
    tags,
    summary: 'Do the books balance?',
    description:
      'Every rule that must be true of this business, and whether it was at the last check. Of a rule that is broken, `examples` ' +
      'name rows. While a check is under way, `run` says how far it is; `items` are those of the check before. Every business ' +
      'in which something happened is checked every night, any other every 30 days.',
    params: BusinessParams,
    response: { 200: shape.Checks },
  },
})

export const startChecks = operation({
  method: 'POST',
  url: '/checks',
  config,
  schema: {
    operationId: 'startChecks',
    tags,
    summary: 'Check the books now',
    description:
      'A worker does it, one business of a cell at a time; those that people ask for go first. If one is under way, it answers ' +
      'that one. Once an hour for a business, else 429.',
    params: BusinessParams,
    response: { 202: shape.Checks },
  },
})

export const stopChecks = operation({
  method: 'DELETE',
  url: '/checks',
  config: { ...config, fails: [409] },
  schema: {
    operationId: 'stopChecks',
    tags,
    summary: 'Stop the check that is under way',
    description:
      'What it found so far is forgotten, and the check before counts. If none is under way, this returns 409 `WRONG_STATE`.',
    params: BusinessParams,
    response: { 200: shape.Checks },
  },
})
