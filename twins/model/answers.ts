type Json = Record<string, unknown>

/** A scripted reply instead of the right one. */
export type Reply =
  /** These values, whatever the schema; `text` as it stands. */
  | { values: Json }
  | { text: string }
  /** The right reply, after this delay. */
  | { afterMs: number }
  /** `length`: the model stops in the middle of the reply. `connection`: the server closes the connection. */
  | { cut: 'length' | 'connection' }
  /** The model refuses; `filter`: a content filter does. */
  | { refuses: 'model' | 'filter' }
  | { status: 400 | 401 | 403 | 404 | 429 | 500 | 503 }
  /** The right reply, with another token usage. Null: with none at all. */
  | { tokens: number | null }
  /** A body that violates the protocol. */
  | { body: string }

export type Asked = {
  model: string
  messages: { role: string; content: string }[]
  max_tokens?: number
  max_completion_tokens?: number
  response_format?: { type: string; json_schema?: { name: string; strict?: boolean; schema: Json } }
}

/** A chat completion, made up from the schema alone. */
export function completionOf(asked: Asked, reply: Reply | undefined) {
  const text = contentOf(asked, reply)
  const isRefusal = reply && 'refuses' in reply && reply.refuses === 'model'
  return {
    id: 'chatcmpl-twin',
    object: 'chat.completion',
    created: 1_789_000_000,
    model: asked.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: isRefusal ? null : text, ...(isRefusal && { refusal: text }) },
        finish_reason: finishOf(reply),
      },
    ],
    ...usageOf(asked, text, reply),
  }
}

function contentOf(asked: Asked, reply: Reply = { afterMs: 0 }): string {
  if ('text' in reply) return reply.text
  if ('values' in reply) return JSON.stringify(reply.values)
  if ('refuses' in reply) return 'I cannot help with that.'
  const right = JSON.stringify(valueOf(asked.response_format?.json_schema?.schema ?? {}, 'answer'))
  return 'cut' in reply && reply.cut === 'length' ? right.slice(0, right.length / 2) : right
}

function finishOf(reply: Reply | undefined): string {
  if (reply && 'cut' in reply) return 'length'
  return reply && 'refuses' in reply && reply.refuses === 'filter' ? 'content_filter' : 'stop'
}

function usageOf(asked: Asked, text: string, reply: Reply | undefined) {
  if (reply && 'tokens' in reply && reply.tokens === null) return {}
  const prompt = Math.ceil(JSON.stringify(asked.messages).length / 4)
  const total = reply && 'tokens' in reply && reply.tokens ? reply.tokens : prompt + Math.ceil(text.length / 4)
  const prompt_tokens = Math.min(prompt, total)
  return { usage: { prompt_tokens, completion_tokens: total - prompt_tokens, total_tokens: total } }
}

function valueOf(schema: Json, name: string): unknown {
  const { type, properties, items, minimum = 1, maximum = Number.MAX_SAFE_INTEGER } = schema
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries((properties ?? {}) as Record<string, Json>).map(([key, inner]) => [key, valueOf(inner, key)]),
    )
  }
  if (type === 'array') return [valueOf(items as Json, name)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.min(Math.max(1, Number(minimum)), Number(maximum))
  return `Text of ${name}`
}

const ALLOWED = 'type properties required additionalProperties items enum description minimum maximum minItems maxItems'
const ALLOWED_KEYWORDS = new Set(ALLOWED.split(' '))

/** The problem with a strict schema, if any: OpenAI supports only a part of JSON Schema. */
export function schemaProblem(schema: Json, path = 'schema'): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !ALLOWED_KEYWORDS.has(keyword))
  if (unknown) return `${path}: '${unknown}' is not permitted.`
  const properties = (schema.properties ?? {}) as Record<string, Json>
  if (schema.type === 'object') {
    const required = new Set(schema.required as string[] | undefined)
    if (schema.additionalProperties !== false) return `${path}: 'additionalProperties' is required to be false.`
    if (Object.keys(properties).some((key) => !required.has(key)))
      return `${path}: 'required' must name every property.`
  }
  const inner = [...Object.entries(properties), ...(schema.items ? [['items', schema.items] as const] : [])]
  return inner.map(([key, each]) => schemaProblem(each as Json, `${path}.${key}`)).find(Boolean)
}
