import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Model } from '#platform/ai/model.ts'
import { now } from '#platform/clock.ts'
import { handle } from '#platform/http/operation.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { generationStopped } from '../errors.ts'
import { generateBlocks } from './generate-blocks.ts'
import * as operation from './operations.ts'
import { readUsage, secondsUntilTomorrow } from './usage.ts'

export type GenerateOptions = {
  model: Model | undefined
  /** Tokens per business and day (UTC). */
  dailyTokens: number
  /** For both rounds together. */
  timeoutMs?: number
  /** How long to wait for answers while the service stops; less than its own grace period. */
  closeGraceMs?: number
}

export const generateRoutes: FastifyPluginAsyncTypebox<GenerateOptions> = async (app, options) => {
  const { model, dailyTokens, timeoutMs = 30_000, closeGraceMs = 15_000 } = options
  const stop = new AbortController()
  app.addHook('preClose', async () => void setTimeout(() => stop.abort(), closeGraceMs).unref())

  handle(app, operation.generateBlocks, async ({ cell, business, body, log }, reply) => {
    const signal = AbortSignal.any([goneSignal(reply), stop.signal, AbortSignal.timeout(timeoutMs)])
    const context = { model, dailyTokens, cell, businessId: business.id, signal, log }
    try {
      return await generateBlocks(context, body)
    } catch (error) {
      throw stop.signal.aborted ? generationStopped() : error
    }
  })

  handle(app, operation.getGenerationBudget, async ({ cell, business }) => ({
    isAvailable: model !== undefined,
    dailyTokens,
    ...(await readUsage(cell, business.id)),
    renewsAt: toSeconds(now()) + secondsUntilTomorrow(),
  }))
}

/** Aborted when the caller disconnects. Fastify's `request.signal` aborts as soon as the body has been read. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
