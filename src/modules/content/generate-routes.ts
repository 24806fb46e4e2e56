import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Model } from '#platform/ai/model.ts'
import { unavailable } from '#vocabulary/errors.ts'
import { BusinessParams } from '#vocabulary/schemas.ts'
import { generateBlocks } from './generate.ts'
import * as shape from './generate-schemas.ts'

export type GenerateOptions = {
  model: Model | undefined
  /** What each business may spend on a day (UTC). */
  dailyTokens: number
  /** For both rounds together. */
  timeoutMs?: number
  /** How long an answer is waited for once the service stops: less than it is given to stop. */
  closeGraceMs?: number
}

export const generateRoutes: FastifyPluginAsyncTypebox<GenerateOptions> = async (app, options) => {
  const { model, dailyTokens, timeoutMs = 30_000, closeGraceMs = 15_000 } = options
  const stop = new AbortController()
  app.addHook('preClose', async () => void setTimeout(() => stop.abort(), closeGraceMs).unref())

  app.post(
    '/collections/blocks/generate',
    {
      config: { access: 'CONTENT_WRITE', business: 'path', fails: [502], isSlow: true },
      schema: {
        operationId: 'generateBlocks',
        tags: ['Collections'],
        summary: 'Generate values for blocks',
        description:
          'Asks a language model for content that fits the blocks, and answers it in their order. It keeps to the rules of ' +
          'the blocks (`variant: HTML` is cleaned, too), and is stored nowhere. A business can spend so many tokens a day; then ' +
          'it is 429 until midnight UTC. 502 `PROVIDER_FAILED`: the model failed, refused the prompt, or gave nothing that ' +
          'fits. 503 `PROVIDER_NOT_CONFIGURED`: this service has no model.',
        params: BusinessParams,
        body: shape.GenerateRequest,
        response: { 200: shape.GenerateAnswer },
      },
    },
    async ({ cell, params, body, log }, reply) => {
      const signal = AbortSignal.any([goneSignal(reply), stop.signal, AbortSignal.timeout(timeoutMs)])
      const context = { model, dailyTokens, cell, businessId: params.businessId, signal, log }
      try {
        return { blocks: await generateBlocks(context, body) }
      } catch (error) {
        throw stop.signal.aborted ? unavailable() : error
      }
    },
  )
}

/** Aborted when the caller leaves. Fastify's `request.signal` is so as soon as the body has been read. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
