import { useLingui } from '@lingui/react/macro'
import { ImagePlus, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { type Item, sourceFor, toItem } from '../../media/picture.ts'
import { usePermissions } from '../../session/permissions.ts'
import { Button } from '../../ui/button.tsx'

const Picker = lazy(() => import('../../media/picker.tsx').then(({ Picker }) => ({ default: Picker })))
const SHOWN_PX = 96

type Props = {
  item: Item | undefined
  label: string
  problem: string | undefined
  onChange: (item: Item | null) => void
}

/** The logo, from the library. */
export function LogoField({ item, label, problem, onChange }: Props) {
  const { t } = useLingui()
  const { mayAny, reason } = usePermissions()
  const [isPicking, setPicking] = useState(false)
  const lacks = mayAny('CONTENT_WRITE', 'PRODUCTS_WRITE') ? undefined : reason('CONTENT_WRITE')
  return (
    <fieldset className="field logo">
      <legend className="label">{label}</legend>
      <div className="logo-row">
        {item && <img src={sourceFor(item, 2 * SHOWN_PX)} alt={t`The logo`} />}
        <Button icon={ImagePlus} reason={lacks} onClick={() => setPicking(true)}>
          {item ? t`Another picture` : t`Choose a picture`}
        </Button>
        {item && <Button look="quiet" icon={X} onClick={() => onChange(null)}>{t`Take away`}</Button>}
      </div>
      {problem && <p className="problem">{problem}</p>}
      <p className="note">{t`At the top of mails and packing slips. Wide is better than tall.`}</p>
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
    </fieldset>
  )
}
