import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { type Item, PaletteBox } from '../shell/palette-box.tsx'
import { foundQuery } from './queries.ts'
import { Tick, useHealth } from './words.tsx'

/** Ctrl K, over all businesses: finds one and does what can be done. */
export function OperatorPalette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const searched = useDeferredValue(text)
  const { businesses, isSearching } = useBusinesses(searched)
  return (
    <PaletteBox
      text={text}
      onText={setText}
      placeholder={t`A business, its number, or what to do`}
      {...{ searched, isSearching }}
      records={businesses}
      onClose={onClose}
    />
  )
}

function useBusinesses(text: string) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const health = useHealth()
  const typed = text.trim()
  const isAsked = typed.length > 1
  const { data, isFetching, isPlaceholderData } = useQuery({
    ...foundQuery(typed),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  })
  const found = (isAsked && data?.items) || []
  const businesses = found.map((business): Item => {
    const { look, word } = health(business).overall
    return {
      id: business.id,
      group: t`Businesses`,
      icon: Building2,
      label: business.name,
      end: (
        <span className={`op-word ${look}`}>
          <Tick look={look} words="" />
          {word}
        </span>
      ),
      run: () => void navigate({ to: '/operator/businesses/$id', params: { id: business.id } }),
    }
  })
  return { businesses, isSearching: isAsked && isFetching && (isPlaceholderData || !data) }
}
