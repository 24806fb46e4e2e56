import type { Explanation } from '@kontor/sdk'

export type Step = Explanation['steps'][number]

/** The steps by the figure that they explain. Rules are words of the service; what follows them is data. */
export function sortSteps(steps: readonly Step[]) {
  const beginning = (word: string) =>
    steps.filter(({ rule }) => rule === word || rule.startsWith(`${word} `) || rule.startsWith(`${word},`))
  return {
    promo: steps.find(({ rule }) => rule.startsWith('promo ')),
    shipping: beginning('shipping')[0],
    taxes: beginning('tax'),
  }
}

export const isPercent = ({ rule }: Step) => rule.endsWith(', basis points')
export const isInside = ({ rule }: Step) => rule.startsWith('tax inside')

/** From which sum on shipping was free, if that was so. */
export function freeFromOf({ rule }: Step): number | undefined {
  const found = /, free from (\d+)$/.exec(rule)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Where the figures of the order and those computed again are apart: by the name of the figure, `lines.0.tax` for a line's. */
export const differencesAt = ({ differences }: Explanation, at: (field: string) => boolean) =>
  differences.filter(({ field }) => at(field))
