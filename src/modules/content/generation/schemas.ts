import { type Static, Type } from 'typebox'
import { Block } from '#vocabulary/blocks.ts'

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

export const GenerateAnswer = Type.Object({ blocks: Type.Array(GeneratedBlock, { maxItems: 50 }) })
