import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { type Item, PaletteBox, useActions } from '../shell/palette-box.tsx'
import { foundQuery } from './queries.ts'
import { Tick, useHealth } from './words.tsx'

/** Ctrl K, over all businesses: finds one and does what can be done. */
export function OperatorPalette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const asked = useDeferredValue(text)
  const items = [...useBusinesses(asked), ...useActions(asked)]
  return (
    <PaletteBox
      text={text}
      onText={setText}
      placeholder={t`A business, its number, or what to do`}
      items={items}
      onClose={onClose}
    />
  )
}

function useBusinesses(text: string): Item[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  const health = useHealth()
  const typed = text.trim()
  const isAsked = typed.length > 1
  const { data } = useQuery({ ...foundQuery(typed), enabled: isAsked, placeholderData: keepPreviousData })
  const found = (isAsked && data?.items) || []
  return found.map((business) => {
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
}
