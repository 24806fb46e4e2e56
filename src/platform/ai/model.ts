import type { JSONSchema7 } from 'ai'

export type JsonSchema = JSONSchema7
export type Message = { role: 'user' | 'assistant'; content: string }

export type Question = {
  /** The system prompt, written by us. Callers' text goes into `messages` only. */
  systemPrompt: string
  messages: Message[]
  /** The JSON schema that the reply must match. */
  schema: JsonSchema
  maxOutputTokens: number
  signal: AbortSignal
}

export type ModelAnswer = {
  /** The raw reply. */
  text: string
  /** The reply parsed as JSON; undefined if it is not JSON. Not validated against the schema. */
  value: unknown
  end: 'COMPLETE' | 'CUT_OFF' | 'REFUSED'
  /** Tokens used by prompt and reply; undefined when the provider does not report them. */
  tokens: number | undefined
}

/** The model gave no usable reply. The message is for the log, and quotes neither the prompt nor the provider. */
export class ModelFailure extends Error {
  /** Tokens used; undefined when the provider may have done work that it never reported. */
  readonly tokens: number | undefined
  /** Whether it stays broken until somebody changes the configuration. */
  readonly isLasting: boolean

  constructor(message: string, { tokens, isLasting = false }: { tokens: number | undefined; isLasting?: boolean }) {
    super(message)
    this.name = 'ModelFailure'
    this.tokens = tokens
    this.isLasting = isLasting
  }
}

/** The small part of a language model that we need. Throws a `ModelFailure`; never called inside a transaction. */
export type Model = { ask(question: Question): Promise<ModelAnswer> }
