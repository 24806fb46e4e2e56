import { collectDetails, type Details, isEmpty, makeCheck, type Report } from './block-values.ts'
import { type Block, collectIds, type NewBlock, toBlock } from './blocks.ts'
import type { Detail } from './errors.ts'

/**
 * `complete`: all that is required must be there. `field`: where the blocks stand in the body, `blocks` if not said. `isStored`:
 * the blocks were written under their own settings, and are to fit as they stand.
 */
export type CheckOptions = { complete: boolean; field?: string; isStored?: boolean }

export type CompiledBlocks = {
  /** The blocks as they are to be stored. Throws 422 with a detail for each mistake. */
  check(blocks: readonly NewBlock[], options: CheckOptions): Block[]
  /** What `check` would throw as details; none if the blocks fit. */
  findMistakes(blocks: readonly NewBlock[], options: CheckOptions): Detail[]
}

/**
 * The blocks of a collection as a check of its entries' blocks. Each is answered with the label and settings of the
 * schema, which rule whatever was sent. Worth keeping: all that depends on the schema alone is worked out here.
 */
export function compileBlocks(schema: readonly Block[]): CompiledBlocks {
  const rules = new Map(schema.map((block) => [block.id, toRule(block)]))
  const required = schema.filter((block) => block.required).map(({ id }) => id)

  function walk(blocks: readonly NewBlock[], options: CheckOptions, details: Details): Block[] {
    const { complete, field = 'blocks' } = options
    const { report, isFull } = details
    const sent = collectIds(blocks, field, report)
    const checked: Block[] = []
    for (const [index, block] of blocks.entries()) {
      if (isFull()) break
      const { id, type } = block
      const at = `${field}.${index}`
      const rule = id === undefined ? undefined : rules.get(id)
      if (id === undefined) report(`${at}.id`, 'REQUIRED', `${at}.id is required.`)
      else if (!rule) report(`${at}.id`, 'NOT_FOUND', `The schema has no block ${id}.`)
      else if (rule.type !== type) report(`${at}.type`, 'INVALID', `The block ${id} is a ${rule.type}.`)
      else checked.push(rule.check(block, `${at}.value`, options, report))
    }
    for (const id of complete ? required : []) {
      if (!sent.has(id)) report(`${field}.${id}`, 'REQUIRED', `${id} is required.`)
    }
    return checked
  }

  return {
    check(blocks, options) {
      const details = collectDetails()
      const checked = walk(blocks, options, details)
      details.throwIfAny()
      return checked
    },
    findMistakes(blocks, options) {
      const details = collectDetails()
      walk(blocks, options, details)
      return details.listDetails()
    },
  }
}

function toRule(block: Block) {
  const checkValue = makeCheck(block.type, block.settings)
  const { id, type, required = false } = block
  return {
    type,
    check({ value, settings }: NewBlock, at: string, { complete, isStored }: CheckOptions, report: Report): Block {
      const stored = isStored ? { isHtml: settings?.variant === 'HTML' } : undefined
      const checked = checkValue(value, at, report, stored)
      if (complete && required && isEmpty(checked)) report(at, 'REQUIRED', `${id} is required.`)
      return toBlock(block, checked)
    },
  }
}
