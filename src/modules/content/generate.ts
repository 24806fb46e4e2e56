import type { FastifyBaseLogger } from 'fastify'
import { type Message, type Model, type ModelAnswer, ModelFailure, type Question } from '#platform/ai/model.ts'
import type { Db } from '#platform/database/database.ts'
import { checkSchemaBlocks } from '#vocabulary/blocks.ts'
import {
  AppError,
  invalid,
  invalidFields,
  providerFailed,
  providerNotConfigured,
  rateLimited,
} from '#vocabulary/errors.ts'
import { FRAME, readAnswer, repairOf, schemaOf } from './generate-question.ts'
import type { GeneratedBlock, GenerateRequest, WantedBlock } from './generate-schemas.ts'
import { reserveTokens, secondsUntilTomorrow, settleTokens } from './generation-usage.ts'

const MAX_OUTPUT_TOKENS = 4_000
// Some 15,000 tokens. Options are all that can make it long.
const MAX_SCHEMA_LENGTH = 60_000

export type GenerateContext = {
  model: Model | undefined
  /** What a business may spend on a day (UTC). */
  dailyTokens: number
  cell: Db
  businessId: string
  signal: AbortSignal
  log: FastifyBaseLogger
}

/** Content for blocks, made up by a language model: checked like any other, stored nowhere. A wrong answer may be mended once. */
export async function generateBlocks(
  { model, log, ...budget }: GenerateContext,
  { prompt, blocks }: GenerateRequest,
): Promise<GeneratedBlock[]> {
  checkWanted(blocks)
  const schema = schemaOf(blocks)
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) throw tooManyOptions()
  if (!model) throw providerNotConfigured('AI')

  const ask = (messages: Message[]) =>
    askOnBudget(model, budget, { frame: FRAME, messages, schema, maxOutputTokens: MAX_OUTPUT_TOKENS })
  try {
    const opening: Message[] = [{ role: 'user', content: prompt }]
    const first = await ask(opening)
    const reading = readAnswer(blocks, first)
    if ('blocks' in reading) return reading.blocks

    const second = readAnswer(blocks, await ask([...opening, ...repairOf(first.text, reading.problems, schema)]))
    if ('blocks' in second) return second.blocks
    log.warn({ first: reading.problems.length, second: second.problems.length }, 'the AI provider was wrong twice')
    throw noGoodAnswer()
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    const { isLasting } = error
    if (isLasting) log.error({ err: error }, 'the AI provider refuses us: look at AI_API_URL, AI_API_KEY and AI_MODEL')
    else if (!isAbandoned(budget.signal)) log.warn({ err: error }, 'the AI provider failed')
    throw providerFailed('AI')
  }
}

function checkWanted(blocks: WantedBlock[]): void {
  const details = blocks.flatMap(({ type }, index) =>
    type === 'RELATIONSHIP' || type === 'MEDIA'
      ? [{ field: `blocks.${index}.type`, error: 'INVALID', message: `A ${type} cannot be made up by a model.` }]
      : [],
  )
  if (details.length > 0) throw invalidFields(details)
  checkSchemaBlocks(blocks)
}

/** By the caller, or because this process stops: no fault of the provider's. */
const isAbandoned = ({ aborted, reason }: AbortSignal) => aborted && (reason as Error).name !== 'TimeoutError'

type Budget = Pick<GenerateContext, 'cell' | 'businessId' | 'dailyTokens' | 'signal'>

/** Tokens are set aside first and counted afterwards. When nobody can tell what was spent, all of them were. */
async function askOnBudget(
  model: Model,
  { cell, businessId, dailyTokens, signal }: Budget,
  question: Omit<Question, 'signal'>,
): Promise<ModelAnswer> {
  if (signal.aborted) throw new ModelFailure('There was no time left to ask.', { tokens: 0 })
  const reservation = await reserveTokens(cell, businessId, estimateOf(question), dailyTokens)
  if (!reservation) throw budgetUsedUp()

  let spent: number | undefined
  try {
    const answer = await model.ask({ ...question, signal })
    spent = answer.tokens
    if (answer.end === 'REFUSED') throw promptRefused()
    return answer
  } catch (error) {
    if (error instanceof ModelFailure) spent = error.tokens
    throw error
  } finally {
    await settleTokens(cell, reservation, spent ?? reservation.tokens)
  }
}

/** A token is at least a byte, so that no question costs more. */
const estimateOf = ({ frame, messages, schema, maxOutputTokens }: Omit<Question, 'signal'>) =>
  maxOutputTokens + Buffer.byteLength(JSON.stringify([frame, messages, schema]))

const tooManyOptions = () =>
  invalid('blocks', 'TOO_LARGE', 'These blocks have more options than a model can be asked about at once. Send fewer.')

const budgetUsedUp = () =>
  rateLimited(secondsUntilTomorrow(), 'This business has used up what it may generate today. Go on tomorrow (UTC).')

const noGoodAnswer = () =>
  new AppError(
    502,
    'PROVIDER_FAILED',
    'The AI provider gave nothing that fits these blocks. Change the prompt, or try again.',
  )

const promptRefused = () =>
  new AppError(502, 'PROVIDER_FAILED', 'The AI provider refused to answer this prompt. Change it, then try again.')
