import { collectDetails, type Details, isEmpty, makeCheck, type Report } from './block-values.ts'
import { type Block, collectIds, type NewBlock, toBlock } from './blocks.ts'
import type { Detail } from './errors.ts'
import type { KnownMedia } from './media.ts'
import * as refusal from './refusals.ts'

/**
 * `complete`: required blocks must have a value. `field`: the path of the blocks in the body, `blocks` by default.
 * `isStored`: the blocks were written under an earlier schema, and are checked as they stand. `known`: the files that MEDIA
 * may name.
 */
export type CheckOptions = { complete: boolean; field?: string; isStored?: boolean; known?: KnownMedia }

export type CompiledBlocks = {
  /** Returns the blocks to store. Throws 422 with a detail for each mistake. */
  check(blocks: readonly NewBlock[], options: CheckOptions): Block[]
  /** The details that `check` would throw; empty if the blocks fit. */
  findMistakes(blocks: readonly NewBlock[], options: CheckOptions): Detail[]
}

/**
 * Compiles a collection's schema into a check of its entries' blocks. Label and settings always come from the schema,
 * whatever was sent. Cache the result: everything that depends on the schema alone is computed here.
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
      if (id === undefined) report(refusal.blockIdRequired.asDetail({ at }))
      else if (!rule) report(refusal.blockNotFound.asDetail({ at, id }))
      else if (rule.type !== type) report(refusal.blockTypeDiffers.asDetail({ at, id, type: rule.type }))
      else checked.push(rule.check(block, `${at}.value`, options, report))
    }
    for (const id of complete ? required : []) {
      if (!sent.has(id)) report(refusal.blockRequired.asDetail({ at: `${field}.${id}`, id }))
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
    check(
      { value, settings }: NewBlock,
      at: string,
      { complete, isStored, known }: CheckOptions,
      report: Report,
    ): Block {
      const stored = isStored ? { isHtml: settings?.variant === 'HTML' } : undefined
      const checked = checkValue(value, at, report, stored, known)
      if (complete && required && isEmpty(checked)) report(refusal.blockRequired.asDetail({ at, id }))
      return toBlock(block, checked)
    },
  }
}
