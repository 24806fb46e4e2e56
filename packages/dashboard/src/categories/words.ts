import { useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import type { Place, Tree } from './tree.ts'

/** Where something is, or would be. */
export function usePlaceWords(tree: Tree) {
  const { t } = useLingui()
  return ({ parentId, beforeId }: Place): string => {
    const parent = tree.nodes.get(parentId ?? '')?.name
    const before = tree.nodes.get(beforeId ?? '')?.name
    if (parent) return before ? t`In ${parent}, before ${before}` : t`In ${parent}, last`
    return before ? t`At the top level, before ${before}` : t`At the top level, last`
  }
}

/** `Deutsch` for `de`, in the language of the reader. */
export function useLocaleName() {
  const { locale } = useFormat()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return (tag: string): string => names.of(tag) ?? tag
}
