// Names the inline schemas of openapi.json, so that the generated types have names as well: an editor then shows
// `OrderLine`, not its fields. The document itself keeps them inline.
type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; items?: Schema; title?: string }
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = { operationId: string; requestBody?: Content; responses: Record<string, Content> }
export type Described = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Better names than those generated from a schema's place. */
const BETTER: Record<string, string> = {
  VariantPricing: 'Pricing',
  PricingMarket: 'Price',
  VariantInventory: 'Inventory',
  VariantAttribute: 'Attribute',
  MarketShippingMethod: 'ShippingMethod',
  UserAddress: 'Address',
  UserApiToken: 'ApiToken',
}

export function nameShapes(document: Described): Described {
  const schemas: Record<string, Schema> = {}
  /** Request schemas often equal response schemas. */
  const answered = new Map<string, string>()

  /** The schema with every inline object replaced by a named one. */
  function nameParts(schema: Schema, name: string): Schema {
    const entries = Object.entries(schema).map(([key, part]) => {
      if (key === 'properties') {
        const properties = Object.entries(part as Record<string, Schema>)
        return [
          key,
          Object.fromEntries(properties.map(([field, inner]) => [field, move(inner, name + capital(field))])),
        ]
      }
      if (key === 'items' && isSchema(part)) return [key, move(part, singular(name))]
      if (Array.isArray(part) && ['anyOf', 'oneOf', 'allOf'].includes(key)) {
        return [key, part.map((inner: Schema) => move(inner, name))]
      }
      return [key, part]
    })
    return Object.fromEntries(entries) as Schema
  }

  function move(schema: Schema, place: string): Schema {
    if (schema.type !== 'object' || !schema.properties) return nameParts(schema, place)
    const name = nameFor(schema, place)
    const shape = nameParts(schema, name)
    const known = answered.get(JSON.stringify(shape))
    if (!known) schemas[name] = shape
    return { $ref: `#/components/schemas/${known ?? name}` }
  }

  /** The better name, unless the document or another schema has it. */
  function nameFor(schema: Schema, place: string): string {
    const isFree = (name: string) => {
      if (document.components.schemas[name]) return false
      return !schemas[name] || JSON.stringify(schemas[name]) === JSON.stringify(nameParts(schema, name))
    }
    const better = BETTER[place]
    if (better && isFree(better)) return better
    let name = place
    for (let count = 2; !isFree(name); count++) name = `${place}${count}`
    return name
  }

  for (const [name, schema] of Object.entries(document.components.schemas)) schemas[name] = nameParts(schema, name)
  for (const [name, shape] of Object.entries(schemas)) answered.set(JSON.stringify(shape), name)
  const named = structuredClone(document)
  for (const { operationId, requestBody, responses } of Object.values(named.paths).flatMap((each) =>
    Object.values(each),
  )) {
    moveContent(requestBody, `${capital(operationId)}Body`)
    for (const [status, response] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue
      const isPage = response.content?.['application/json']?.schema?.properties?.cursor
      moveContent(response, capital(operationId) + (isPage ? 'Page' : 'Answer'))
    }
  }
  named.components.schemas = schemas
  return named

  function moveContent(holder: Content | undefined, name: string): void {
    const json = holder?.content?.['application/json']
    if (json?.schema) json.schema = move(json.schema, name)
  }
}

const isSchema = (part: unknown): part is Schema => typeof part === 'object' && part !== null && !Array.isArray(part)
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
/** `OrderLines` is a list of `OrderLine`. */
const singular = (name: string) => name.replace(/ies$|(?<=ss|us)es$|(?<![su])s$/, (end) => (end === 'ies' ? 'y' : ''))
