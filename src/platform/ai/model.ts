import type { JSONSchema7 } from 'ai'

export type JsonSchema = JSONSchema7
export type Message = { role: 'user' | 'assistant'; content: string }

export type Question = {
  /** Our own words on what is to be done. What callers say comes in `messages` only. */
  frame: string
  messages: Message[]
  /** What the answer must look like. */
  schema: JsonSchema
  maxOutputTokens: number
  signal: AbortSignal
}

export type ModelAnswer = {
  /** As it came. */
  text: string
  /** The same, read as JSON; undefined when it is none. Not held against the schema. */
  value: unknown
  end: 'COMPLETE' | 'CUT_OFF' | 'REFUSED'
  /** What question and answer cost; undefined when the provider does not say. */
  tokens: number | undefined
}

/** There is no answer. Its message is for the log, and quotes neither the question nor the provider. */
export class ModelFailure extends Error {
  /** What it cost; undefined when the provider may have worked for us and we shall never know. */
  readonly tokens: number | undefined
  /** Whether it goes on like this until somebody changes the configuration. */
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
