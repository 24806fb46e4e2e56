import type { FastifyBaseLogger } from 'fastify'
import { type Message, type Model, type ModelAnswer, ModelFailure, type Question } from '#platform/ai/model.ts'
import type { Db } from '#platform/database/database.ts'
import { checkSchemaBlocks } from '#vocabulary/blocks.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import {
  budgetUsedUp,
  modelFailed,
  noGoodAnswer,
  noModel,
  notGenerated,
  promptRefused,
  tooManyOptions,
} from '../errors.ts'
import { readAnswer, repairOf, SYSTEM_PROMPT, schemaOf } from './question.ts'
import type { GenerateAnswer, GenerateRequest, WantedBlock } from './schemas.ts'
import { reserveTokens, secondsUntilTomorrow, settleTokens } from './usage.ts'

const MAX_OUTPUT_TOKENS = 4_000
// About 15,000 tokens. Only options can make a schema this long.
const MAX_SCHEMA_LENGTH = 60_000

export type GenerateContext = {
  model: Model | undefined
  /** Tokens per business and day (UTC). */
  dailyTokens: number
  cell: Db
  businessId: string
  signal: AbortSignal
  log: FastifyBaseLogger
}

/**
 * Generates content for blocks with a language model. The output is validated like any other and not stored. One wrong
 * answer may be repaired.
 */
export async function generateBlocks(
  { model, log, ...budget }: GenerateContext,
  { prompt, blocks }: GenerateRequest,
): Promise<GenerateAnswer> {
  checkWanted(blocks)
  const schema = schemaOf(blocks)
  if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) throw tooManyOptions()
  if (!model) throw noModel()

  const ask = (messages: Message[]) =>
    askOnBudget(model, budget, { systemPrompt: SYSTEM_PROMPT, messages, schema, maxOutputTokens: MAX_OUTPUT_TOKENS })
  try {
    const opening: Message[] = [{ role: 'user', content: prompt }]
    const first = await ask(opening)
    const reading = readAnswer(blocks, first)
    if ('blocks' in reading) return { blocks: reading.blocks, tokens: first.cost }

    const repaired = await ask([...opening, ...repairOf(first.text, reading.problems, schema)])
    const second = readAnswer(blocks, repaired)
    if ('blocks' in second) return { blocks: second.blocks, tokens: first.cost + repaired.cost }
    log.warn({ first: reading.problems.length, second: second.problems.length }, 'the AI provider was wrong twice')
    throw noGoodAnswer()
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    const { isLasting } = error
    if (isLasting) log.error({ err: error }, 'the AI provider refuses us: look at AI_API_URL, AI_API_KEY and AI_MODEL')
    else if (!isAbandoned(budget.signal)) log.warn({ err: error }, 'the AI provider failed')
    throw modelFailed()
  }
}

function checkWanted(blocks: WantedBlock[]): void {
  const details = blocks.flatMap(({ type }, index): Detail[] =>
    type === 'RELATIONSHIP' || type === 'MEDIA' ? [notGenerated.asDetail({ index, type })] : [],
  )
  if (details.length > 0) throw invalidFields(details)
  checkSchemaBlocks(blocks)
}

/** Aborted by the caller, or because this process stops: not the provider's fault. */
const isAbandoned = ({ aborted, reason }: AbortSignal) => aborted && (reason as Error).name !== 'TimeoutError'

type Budget = Pick<GenerateContext, 'cell' | 'businessId' | 'dailyTokens' | 'signal'>

/**
 * Reserves tokens before the request and settles them after it. When the real usage is unknown, the whole reservation
 * counts. `cost`: what counted.
 */
async function askOnBudget(
  model: Model,
  { cell, businessId, dailyTokens, signal }: Budget,
  question: Omit<Question, 'signal'>,
): Promise<ModelAnswer & { cost: number }> {
  if (signal.aborted) throw new ModelFailure('There was no time left to ask.', { tokens: 0 })
  const reservation = await reserveTokens(cell, businessId, estimateOf(question), dailyTokens)
  if (!reservation) throw budgetUsedUp({ seconds: secondsUntilTomorrow() })

  let spent: number | undefined
  try {
    const answer = await model.ask({ ...question, signal })
    spent = answer.tokens
    if (answer.end === 'REFUSED') throw promptRefused()
    return { ...answer, cost: spent ?? reservation.tokens }
  } catch (error) {
    if (error instanceof ModelFailure) spent = error.tokens
    throw error
  } finally {
    await settleTokens(cell, reservation, spent ?? reservation.tokens)
  }
}

/** An upper bound: a token is at least one byte. */
const estimateOf = ({ systemPrompt, messages, schema, maxOutputTokens }: Omit<Question, 'signal'>) =>
  maxOutputTokens + Buffer.byteLength(JSON.stringify([systemPrompt, messages, schema]))
