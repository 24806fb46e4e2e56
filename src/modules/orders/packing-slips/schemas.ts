import { type Static, Type } from 'typebox'
import { OneOf } from '#vocabulary/schemas.ts'

export const PAPERS = ['A4', 'LETTER'] as const
export const MAX_SLIPS = 50
export const MAX_SLIP_LINES = 1_000

export const SlipQuery = Type.Object({
  ids: Type.Array(
    Type.String({
      maxLength: 4_000,
      pattern: '^[A-Za-z0-9_-]+(,[A-Za-z0-9_-]+)*$',
      'x-says': { pattern: 'must be ids of orders, with commas between them' },
      examples: ['ord_01jcq3v7k8f5t9x2m4n6p8r0sw'],
    }),
    {
      minItems: 1,
      maxItems: MAX_SLIPS,
      description: `Ids of orders, at most ${MAX_SLIPS}: the parameter repeated, or with commas.`,
    },
  ),
  paper: Type.Optional(OneOf(PAPERS, { default: 'A4' })),
})
export type SlipQuery = Static<typeof SlipQuery>
