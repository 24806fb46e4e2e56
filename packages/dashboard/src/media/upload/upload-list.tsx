import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { RotateCw, X } from 'lucide-react'
import { addressOf, useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Dot, type Fill, type Tone } from '../../ui/status.tsx'
import { dismiss, tryAgain, type Upload } from './uploads.ts'
import { useUploadWords } from './use-upload-words.ts'

/** Each file with how far it is, what went wrong, and what can be done about it. */
export const UploadList = ({ uploads, isLinked = true }: { uploads: readonly Upload[]; isLinked?: boolean }) => (
  <ul className="uploads">
    {uploads.map((one) => (
      <Line key={one.id} upload={one} isLinked={isLinked} />
    ))}
  </ul>
)

/** It would end the same way: the file itself has to be another one. */
const IN_VAIN = new Set([
  'TOO_LARGE',
  'EMPTY',
  'UNREADABLE',
  'TYPE_NOT_ALLOWED',
  'TYPE_DIFFERS',
  'HIDDEN_CONTENT',
  'BROKEN',
  'TOO_MANY_PIXELS',
  'SIDE_TOO_LONG',
])

const dotOf = ({ step, isAway }: Upload): { fill: Fill; tone: Tone } => {
  if (step === 'failed') return { fill: 'off', tone: 'alert' }
  if (isAway) return { fill: 'unknown', tone: 'wait' }
  if (step === 'done') return { fill: 'full', tone: 'good' }
  if (step === 'checking') return { fill: 'unknown', tone: 'act' }
  return step === 'sending' ? { fill: 'half', tone: 'act' } : { fill: 'ring', tone: 'soft' }
}

function Line({ upload, isLinked }: { upload: Upload; isLinked: boolean }) {
  const { t } = useLingui()
  const business = addressOf(useBusiness())
  const words = useUploadWords()(upload)
  const { id, fileName, step, sent, size, media, failed } = upload
  return (
    <li className={step}>
      <Dot {...dotOf(upload)} />
      <div>
        <p className="name">
          {media && isLinked ? (
            <Link to="/$business/media/$file" params={{ business, file: media.id }} className="link cut">
              {fileName}
            </Link>
          ) : (
            <span className="cut" title={fileName}>
              {fileName}
            </span>
          )}
        </p>
        <p className={step === 'failed' ? 'note alert-text' : 'note'}>{words}</p>
        {step === 'sending' && <progress max={size} value={sent} aria-label={t`${fileName}: how much has left`} />}
      </div>
      {failed && !IN_VAIN.has(failed.code) && (
        <Button look="quiet small" icon={RotateCw} only={t`Try ${fileName} again`} onClick={() => tryAgain(id)} />
      )}
      <Button
        look="quiet small"
        icon={X}
        only={step === 'done' || step === 'failed' ? t`Take ${fileName} off this list` : t`Cancel ${fileName}`}
        onClick={() => void dismiss(id)}
      />
    </li>
  )
}
