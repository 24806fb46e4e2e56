import type { Answer } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Crosshair } from 'lucide-react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { sourceFor } from '../picture.ts'
import { Thumb } from '../thumb.tsx'
import { type Point, toPoint } from './fields.ts'
import { usePointWords } from './use-file.ts'

type Props = {
  file: Answer<'getMedia'>
  point: Point | null
  onChange: (point: Point | null) => void
}

const PREVIEW_PX = 900
const MIDDLE: Point = { x: 0.5, y: 0.5 }
const STEP = 0.01
const BIG_STEP = 0.1
const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The whole picture. What must stay visible is pointed at, and the crops beside show what becomes of it. */
export function FocalPoint({ file, point, onChange }: Props) {
  const { t } = useLingui()
  const words = usePointWords()
  const { x, y } = point ?? MIDDLE
  const aim = (event: MouseEvent<HTMLElement>) => {
    // Enter and Space press the button as well, and are nowhere.
    if (event.detail === 0) return
    const box = event.currentTarget.getBoundingClientRect()
    onChange(toPoint((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height))
  }
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const by = event.shiftKey ? BIG_STEP : STEP
    onChange(toPoint(x + step[0] * by, y + step[1] * by))
  }
  return (
    <>
      <div className="media-stage">
        <div className="media-preview">
          <span className="media-box">
            <img
              src={sourceFor(file, PREVIEW_PX)}
              alt={t`Preview`}
              width={file.width ?? undefined}
              height={file.height ?? undefined}
            />
          </span>
          <button
            type="button"
            className={point ? 'focal' : 'focal none'}
            aria-label={t`Focal point: ${words(point)}. Click the picture, or use the arrow keys.`}
            onClick={aim}
            onKeyDown={press}
          >
            <i style={{ insetInlineStart: `${x * 100}%`, insetBlockStart: `${y * 100}%` }} />
          </button>
        </div>
      </div>
      <div className="section-head media-aim">
        <h2>{t`As it is cropped`}</h2>
        <span className="note">{t`Click what must stay visible, or move the point with the arrow keys.`}</span>
        <span className="end">
          <Button
            look="quiet small"
            icon={Crosshair}
            reason={point ? undefined : t`Already centered`}
            onClick={() => onChange(null)}
          >{t`Back to the middle`}</Button>
        </span>
      </div>
      <Crops file={file} point={point} />
    </>
  )
}

function Crops({ file, point }: Pick<Props, 'file' | 'point'>) {
  const { t } = useLingui()
  const shapes = [
    { name: t`Square`, shape: '1' },
    { name: t`Wide`, shape: '16 / 9' },
    { name: t`Tall`, shape: '3 / 4' },
    { name: t`Banner`, shape: '3' },
  ]
  return (
    <div className="crops">
      {shapes.map(({ name, shape }) => (
        <figure key={name} style={{ '--shape': shape } as object}>
          <Thumb of={{ ...file, focalPoint: point }} px={CROP_PX} />
          <figcaption>{name}</figcaption>
        </figure>
      ))}
    </div>
  )
}

const CROP_PX = 400
