import { type Static, Type } from 'typebox'
import { Block } from '#vocabulary/blocks.ts'
import { UnixSeconds } from '#vocabulary/schemas.ts'

const { id, type, settings, value } = Block.properties

/** A requested block: one without a value. */
export const WantedBlock = Type.Object({ id, type, settings })
export type WantedBlock = Static<typeof WantedBlock>

export const GenerateRequest = Type.Object({
  prompt: Type.String({
    minLength: 1,
    maxLength: 10_000,
    pattern: '\\S',
    description: 'What the content is about, for whom, in which tone and language.',
    examples: ['A friendly page about our stoneware from the coast, in English.'],
  }),
  blocks: Type.Array(WantedBlock, {
    minItems: 1,
    maxItems: 50,
    description:
      'What to fill in. RELATIONSHIP and MEDIA cannot be made up; SELECT and MULTI_SELECT need their options.',
  }),
})
export type GenerateRequest = Static<typeof GenerateRequest>

export const GeneratedBlock = Type.Object({ id, type, value }, { title: 'GeneratedBlock' })
export type GeneratedBlock = Static<typeof GeneratedBlock>

export const GenerateAnswer = Type.Object(
  {
    blocks: Type.Array(GeneratedBlock, { maxItems: 50 }),
    tokens: Type.Integer({
      minimum: 0,
      description: 'What it took of the day’s budget. Of a model that does not say, what was reserved for it.',
      examples: [1_480],
    }),
  },
  { 'x-response-description': 'The generated values.' },
)
export type GenerateAnswer = Static<typeof GenerateAnswer>

export const GenerationBudget = Type.Object(
  {
    isAvailable: Type.Boolean({ description: 'Whether this service has a language model.', examples: [true] }),
    dailyTokens: Type.Integer({ minimum: 0, description: 'Of the business, each day.', examples: [200_000] }),
    usedTokens: Type.Integer({
      minimum: 0,
      description: 'Today, with what is reserved for requests under way.',
      examples: [11_840],
    }),
    requests: Type.Integer({ minimum: 0, description: 'How often the model was asked today.', examples: [8] }),
    renewsAt: Type.Integer({ ...UnixSeconds, description: 'Midnight UTC.' }),
  },
  { title: 'GenerationBudget' },
)
export type GenerationBudget = Static<typeof GenerationBudget>
