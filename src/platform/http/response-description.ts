import type { TSchema } from 'typebox'

type Described = {
  'x-response-description'?: string
  title?: string
  properties?: Record<string, { items?: { title?: string } }>
}
export type DescribedResponse = { method: string; operationId: string; status: number; schema: TSchema }

/**
 * Describes a successful response by its schema: "The created product." A schema with a better text of its own has it
 * in `x-response-description`.
 */
export function describeResponse({ method, operationId, status, schema }: DescribedResponse): string {
  const { 'x-response-description': own, title, properties } = schema as Described
  if (own) return own
  if (title === 'Success') return 'The request succeeded.'
  const items = properties?.items?.items
  if (items && !title) {
    const plural = items.title ? pluralOf(nounOf(items.title)) : nounOf(operationId.replace(/^[a-z]+/, ''))
    return properties?.cursor ? `A page of ${plural}.` : `The list of ${plural}.`
  }
  if (!title) return 'The requested data.'
  const noun = nounOf(title)
  if (status === 201) return `The created ${noun}.`
  if (status === 202) return `The ${noun}. Processing continues in the background.`
  return method === 'PUT' || method === 'DELETE' ? `The updated ${noun}.` : `The ${noun}.`
}

/** Parts of names that tell schemas of one thing apart. */
const QUALIFIERS = /^(Operator|Public|Own|Full|Whole)(?=[A-Z])|(Details?|Summary|With[A-Z]\w+)$/g

/** `OperatorBusiness` is a business, and `ApiKey` is an API key. */
const nounOf = (name: string) =>
  name
    .replace(QUALIFIERS, '')
    .replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .replace(/\bapi\b/, 'API')
    .replace(/\bsign in\b/, 'sign-in')

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return noun.replace(/y$/, 'ies')
  return /(s|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`
}
