import type { Answer } from '@kontor/sdk'

export type Node = Answer<'getCategoryTree'>['items'][number]
/** Where something is put: in front of one of those with this parent, or last. */
export type Place = { parentId: string | null; beforeId: string | null }

/** As the service has it: levels, the roots being the first. */
export const MAX_DEPTH = 6

export type Tree = { nodes: ReadonlyMap<string, Node>; below: ReadonlyMap<string | null, readonly Node[]> }

/** `items` are in their order among those with the same parent. */
export function treeOf(items: readonly Node[]): Tree {
  const below = new Map<string | null, Node[]>()
  for (const node of items) {
    const siblings = below.get(node.parentId)
    if (siblings) siblings.push(node)
    else below.set(node.parentId, [node])
  }
  return { nodes: new Map(items.map((node) => [node.id, node])), below }
}

export const belowOf = ({ below }: Tree, id: string | null): readonly Node[] => below.get(id) ?? []

/** The way to a category, the topmost first, without itself. */
export function aboveOf({ nodes }: Tree, id: string): Node[] {
  const above: Node[] = []
  for (let next = nodes.get(nodes.get(id)?.parentId ?? ''); next; next = nodes.get(next.parentId ?? ''))
    above.unshift(next)
  return above
}

const levelOf = (tree: Tree, id: string) => aboveOf(tree, id).length + 1
export const heightOf = (tree: Tree, id: string): number =>
  1 + Math.max(0, ...belowOf(tree, id).map((child) => heightOf(tree, child.id)))
export const isWithin = (tree: Tree, id: string, branch: string) =>
  id === branch || aboveOf(tree, id).some((node) => node.id === branch)

/** A category with everything below it: itself is not counted. */
export const countBelow = (tree: Tree, id: string): number =>
  belowOf(tree, id).reduce((sum, child) => sum + 1 + countBelow(tree, child.id), 0)
export const countProducts = (tree: Tree, id: string): number =>
  belowOf(tree, id).reduce((sum, child) => sum + countProducts(tree, child.id), tree.nodes.get(id)?.products ?? 0)

export type Row = {
  node: Node
  level: number
  /** Its number among those with the same parent, from 1, and how many these are. */
  index: number
  count: number
  hasBelow: boolean
  isOpen: boolean
}

/** What is shown, line by line. */
export function rowsOf(tree: Tree, closed: ReadonlySet<string>, without?: string): Row[] {
  const rows: Row[] = []
  const add = (parentId: string | null, level: number) => {
    const siblings = belowOf(tree, parentId)
    for (const [at, node] of siblings.entries()) {
      if (node.id === without) continue
      const hasBelow = belowOf(tree, node.id).some(({ id }) => id !== without)
      const isOpen = hasBelow && !closed.has(node.id)
      rows.push({ node, level, index: at + 1, count: siblings.length, hasBelow, isOpen })
      if (isOpen) add(node.id, level + 1)
    }
  }
  add(null, 1)
  return rows
}

/** The list as it is once a move is done. What others made impossible meanwhile is left out. */
export function withMove(items: readonly Node[], id: string, { parentId, beforeId }: Place): readonly Node[] {
  const tree = treeOf(items)
  const node = tree.nodes.get(id)
  const isKnown = parentId === null || tree.nodes.has(parentId)
  if (!node || !isKnown || (parentId !== null && isWithin(tree, parentId, id))) return items
  const rest = items.filter((one) => one.id !== id)
  const at = rest.findIndex((one) => one.id === beforeId)
  return rest.toSpliced(at < 0 ? rest.length : at, 0, { ...node, parentId })
}

export type Step = 'up' | 'down' | 'in' | 'out'

/** Where a step leads; undefined: nowhere. `in` is below the one before it, `out` behind the one above it. */
export function stepOf(tree: Tree, id: string, step: Step): Place | undefined {
  const node = tree.nodes.get(id)
  if (!node) return undefined
  const { parentId } = node
  const siblings = belowOf(tree, parentId)
  const at = siblings.indexOf(node)
  const before = siblings[at - 1]
  if (step === 'up') return before && { parentId, beforeId: before.id }
  if (step === 'down') return siblings[at + 1] && { parentId, beforeId: siblings[at + 2]?.id ?? null }
  if (step === 'in') {
    const hasRoom = levelOf(tree, id) + heightOf(tree, id) <= MAX_DEPTH
    return before && hasRoom ? { parentId: before.id, beforeId: null } : undefined
  }
  const parent = tree.nodes.get(parentId ?? '')
  if (!parent) return undefined
  const uncles = belowOf(tree, parent.parentId)
  return { parentId: parent.parentId, beforeId: uncles[uncles.indexOf(parent) + 1]?.id ?? null }
}

/**
 * Where it falls when it is let go in front of the row at `gap`, as far to the right as `level`, or as far as is
 * possible there. `rows` are those that are shown, without what is dragged. Undefined: nowhere.
 */
export function dropOf(tree: Tree, rows: readonly Row[], id: string, gap: number, level: number) {
  const [before, after] = [rows[gap - 1], rows[gap]]
  const least = after?.level ?? 1
  const most = Math.min((before?.level ?? 0) + 1, MAX_DEPTH - heightOf(tree, id) + 1)
  if (most < least) return undefined
  const falls = Math.max(least, Math.min(most, level))
  const parent = rows.slice(0, gap).findLast((row) => row.level === falls - 1)
  const place: Place = {
    parentId: falls === 1 ? null : (parent?.node.id ?? null),
    beforeId: after?.level === falls ? after.node.id : null,
  }
  return { ...place, level: falls }
}

/** Whether it is there already. */
export function isAt(tree: Tree, id: string, { parentId, beforeId }: Place): boolean {
  const node = tree.nodes.get(id)
  if (!node || node.parentId !== parentId) return false
  const siblings = belowOf(tree, parentId)
  return (siblings[siblings.indexOf(node) + 1]?.id ?? null) === beforeId
}

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The next row from there on whose name begins so, around the end. */
export function findRow(rows: readonly Row[], from: number, typed: string): number {
  const wanted = fold(typed)
  const order = rows.map((_, step) => (from + step) % rows.length)
  return order.find((at) => fold(rows[at]?.node.name ?? '').startsWith(wanted)) ?? -1
}
