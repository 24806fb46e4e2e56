import type { Block } from './blocks.ts'

/** What strangers may know that a record points at. A relationship that does not say may point at anybody. */
const SHOWN_TARGETS: readonly (string | undefined)[] = ['PRODUCT', 'ENTRY', 'COLLECTION']

/** Whether everybody may see this block once its record is public: one that points at a person or an order stays here. */
export const isPublicBlock = ({ type, settings }: Pick<Block, 'type' | 'settings'>): boolean =>
  type !== 'RELATIONSHIP' || SHOWN_TARGETS.includes(settings?.targetType)

const ANY = /"type":"RELATIONSHIP"/g
// As blocks are serialised: type, label, required, settings. Whatever looks different counts as hidden.
const SHOWN = new RegExp(
  String.raw`"type":"RELATIONSHIP"(?:,"label":"(?:[^"\\]|\\.)*")?(?:,"required":(?:true|false))?,"settings":\{` +
    String.raw`(?:[^{}]*,)?"targetType":"(?:PRODUCT|ENTRY|COLLECTION)"`,
  'g',
)
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * Whether stored JSON may hold a block that is not public, without parsing it: most records hold none. Inside a string
 * the quotation marks would be escaped, so no text of a person can look like a block.
 */
export const mayHoldHiddenBlocks = (json: string): boolean => {
  const relationships = count(json, ANY)
  return relationships > 0 && relationships !== count(json, SHOWN)
}
