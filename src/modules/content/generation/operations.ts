import { operation } from '#platform/http/operation.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const generateBlocks = operation({
  method: 'POST',
  url: '/collections/blocks/generate',
  config: { access: 'CONTENT_WRITE', business: 'path', fails: [502], isSlow: true },
  schema: {
    operationId: 'generateBlocks',
    tags: ['Collections'],
    summary: 'Generate values for blocks',
    description:
      'Asks a language model for content that fits the blocks, and returns it in their order. It keeps to the rules of ' +
      'the blocks (`variant: HTML` is cleaned, too), and is stored nowhere. A business has a daily budget of tokens; above it, this returns 429 until midnight UTC. 502 `PROVIDER_FAILED`: the model failed, refused the prompt, or gave nothing that ' +
      'fits. 503 `PROVIDER_NOT_CONFIGURED`: this service has no model.',
    params: BusinessParams,
    body: shape.GenerateRequest,
    response: { 200: shape.GenerateAnswer },
  },
})

export const getGenerationBudget = operation({
  method: 'GET',
  url: '/collections/blocks/generate/budget',
  config: { access: 'CONTENT_WRITE', business: 'path' },
  schema: {
    operationId: 'getGenerationBudget',
    tags: ['Collections'],
    summary: 'Get what is left of the day’s budget of tokens',
    params: BusinessParams,
    response: { 200: shape.GenerationBudget },
  },
})
