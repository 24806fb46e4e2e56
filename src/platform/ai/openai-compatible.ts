import type { FinishReason, LanguageModelUsage } from 'ai'
import { type Model, type ModelAnswer, ModelFailure } from './model.ts'

export type ModelConfig = { apiUrl: string; apiKey: string; model: string }

/** Any server with OpenAI's chat completions API that takes a JSON schema as `response_format`. */
export function createModel(config: ModelConfig): Model {
  let loading: ReturnType<typeof load> | undefined
  return {
    async ask({ systemPrompt, messages, schema, maxOutputTokens, signal }) {
      const { sdk, model } = await (loading ??= load(config))
      try {
        const result = await sdk.generateText({
          model,
          instructions: systemPrompt,
          messages,
          output: sdk.Output.object({ schema: sdk.jsonSchema(schema) }),
          maxOutputTokens,
          maxRetries: 0, // each try costs tokens: the caller decides, who counts them
          abortSignal: signal,
        })
        const { text, finishReason, usage } = result
        const hasOutput = text !== '' && finishReason !== 'tool-calls'
        return toAnswer(text, hasOutput ? result.output : undefined, finishReason, usage)
      } catch (error) {
        if (sdk.NoObjectGeneratedError.isInstance(error)) {
          return toAnswer(error.text ?? '', undefined, error.finishReason, error.usage)
        }
        if (sdk.APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400) {
          throw statusFailure(error.statusCode, error.data)
        }
        throw signal.aborted ? givenUp() : networkFailure(error)
      }
    },
  }
}

/** Loaded on first use: the SDK costs 0.1 s and 30 MB, and most deployments never use it. */
async function load({ apiUrl, apiKey, model }: ModelConfig) {
  const [sdk, { createOpenAICompatible }] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')])
  const provider = createOpenAICompatible({
    name: 'ai',
    baseURL: apiUrl,
    apiKey,
    supportsStructuredOutputs: true, // else the SDK asks for any JSON at all
    fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }), // the key goes nowhere else
    ...(new URL(apiUrl).hostname === 'api.openai.com' && { transformRequestBody: renameLimit }),
  })
  return { sdk, model: provider(model) }
}

/** OpenAI's newer models refuse the old name, which is the only one that many other servers know. */
const renameLimit = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
})

function toAnswer(
  text: string,
  value: unknown,
  finishReason: FinishReason | undefined,
  usage: LanguageModelUsage | undefined,
): ModelAnswer {
  const ends: Record<string, ModelAnswer['end']> = { length: 'CUT_OFF', 'content-filter': 'REFUSED' }
  return { text, value, end: ends[finishReason ?? ''] ?? 'COMPLETE', tokens: tokensOf(usage) }
}

function tokensOf(usage: LanguageModelUsage | undefined): number | undefined {
  const total = usage?.totalTokens
  return Number.isSafeInteger(total) && Number(total) >= 0 ? total : undefined
}

/** A 4xx was refused before any work was done, so it cost nothing. The tokens spent before a 5xx are unknown. */
function statusFailure(status: number, data: unknown): ModelFailure {
  const message = `The AI provider answered ${status}${codeOf(data)}.`
  const tokens = status < 500 ? 0 : undefined
  return new ModelFailure(message, { tokens, isLasting: [400, 401, 403, 404, 422].includes(status) })
}

/** The provider's error code and nothing else: the message may quote the key or the prompt. */
function codeOf(data: unknown): string {
  const { code, type } = (data as { error?: { code?: unknown; type?: unknown } } | undefined)?.error ?? {}
  const isCode = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text)
  const known = isCode(code) ? code : type
  return isCode(known) ? ` (${known})` : ''
}

const givenUp = () => new ModelFailure('The AI provider was not waited for any longer.', { tokens: undefined })

const NEVER_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

function networkFailure(error: unknown): ModelFailure {
  const code = networkCode(error)
  const message = `The AI provider gave no readable answer (${code ?? (error as Error).name}).`
  return new ModelFailure(message, { tokens: code && NEVER_REACHED.has(code) ? 0 : undefined })
}

function networkCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return undefined
}
