import { useEffect } from 'preact/hooks'
import { useBusiness } from '../state/kontor.ts'

/** The title of the window. */
export function useTitle(title: string | undefined) {
  const shop = useBusiness().value?.name ?? 'Harbour Goods'
  useEffect(() => {
    document.title = title ? `${title} · ${shop}` : shop
  }, [title, shop])
}
