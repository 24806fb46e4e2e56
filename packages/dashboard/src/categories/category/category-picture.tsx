import { useLingui } from '@lingui/react/macro'
import { ImagePlus, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { type Item, toItem } from '../../media/picture.ts'
import { Thumb } from '../../media/thumb.tsx'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'

const Picker = lazy(() => import('../../media/picker.tsx').then(({ Picker }) => ({ default: Picker })))
const SHOWN_PX = 288

type Props = { item: Item | undefined; reason: string | undefined; onChange: (item: Item | null) => void }

/** The picture of a category, from the library. */
export function CategoryPicture({ item, reason, onChange }: Props) {
  const { t } = useLingui()
  const { defaultLocale } = useBusiness()
  const [isPicking, setPicking] = useState(false)
  const alt = item?.alt?.[defaultLocale]?.trim()
  return (
    <section>
      <h2>{t`Picture`}</h2>
      {item && (
        <div className="category-picture">
          <Thumb of={item} px={SHOWN_PX} alt={alt || t`Picture of this category`} />
          {item.mediaId && <p className={alt ? 'note' : 'note wait-text'}>{alt || t`No alt text`}</p>}
        </div>
      )}
      <div className="flex gap-2">
        <Button look="small" icon={ImagePlus} reason={reason} onClick={() => setPicking(true)}>
          {item ? t`Another picture` : t`Choose a picture`}
        </Button>
        {item && (
          <Button look="quiet small" icon={X} reason={reason} onClick={() => onChange(null)}>{t`Take away`}</Button>
        )}
      </div>
      {isPicking && (
        <Suspense>
          <Picker
            title={t`Choose a picture`}
            taken={item?.mediaId ? [item.mediaId] : []}
            onClose={() => setPicking(false)}
            onPick={([file]) => {
              if (file) onChange(toItem(file))
              setPicking(false)
            }}
          />
        </Suspense>
      )}
    </section>
  )
}
